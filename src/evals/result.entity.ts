import { PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import type { Money } from '../common/money';
import { MoneyColumn } from '../database/money.column';
import { Eval } from './eval.entity';

/** Why a model failed, as the caller sees it. */
export interface ResultError {
  code: string;
  message: string;
  retryable: boolean;
}

/** Something the caller should know about a good result. */
export interface ResultWarning {
  code: string;
  message: string;
}

/** What one model answered in an eval. */
@Entity({ tableName: 'results' })
@Check({ name: 'results_counts_check', expression: 'cost >= 0 and input_tokens >= 0 and output_tokens >= 0' })
export class Result {
  [PrimaryKeyProp]?: ['evalId', 'position'];

  @ManyToOne(() => Eval, { primary: true, mapToPk: true, fieldName: 'eval_id', deleteRule: 'cascade' })
  evalId!: string;

  /** Place in the request, from 0. */
  @Property({ type: 'integer', primary: true })
  position!: number;

  @Property({ type: 'text' })
  model!: string;

  /** Label of the provider, as in the model record of that day. */
  @Property({ type: 'text' })
  provider!: string;

  @Property({ type: 'text' })
  output!: string;

  @Property({ type: 'integer' })
  latencyMs!: number;

  @Property({ type: MoneyColumn })
  cost!: Money;

  @Property({ type: 'integer' })
  inputTokens!: number;

  @Property({ type: 'integer' })
  outputTokens!: number;

  @Property({ type: 'jsonb', nullable: true })
  error!: ResultError | null;

  @Property({ type: 'jsonb' })
  warnings!: ResultWarning[];

  /** What goes beyond the contract: how the call was made, counted and priced. Amounts in it are decimal strings. */
  @Property({ type: 'jsonb' })
  details!: ResultDetails;
}

/** What a vendor counted, as it said it; null where it was no finite number. */
export type ReportedUsage = Record<'inputTokens' | 'cachedInputTokens' | 'cacheWriteTokens' | 'outputTokens' | 'reasoningTokens', number | null>;

/** The receipt of one model call. */
export interface ResultDetails {
  vendorModel: string;
  /** What the user is charged for this call, in USD. */
  charge: string;
  finishReason: string | null;
  attempts: number;
  ttftMs: number | null;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** The vendor's own counts; only where they differ from what is billed. */
  reported?: ReportedUsage;
  applied: Record<string, number>;
  /** USD per million tokens. */
  rates: { input: string; cachedInput: string; cacheWrite: string; output: string } | null;
}
