import { PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import type { Verdict } from '../checks/verdict';
import type { Money } from '../../common/money';
import type { ResultErrorCode, ResultWarningCode } from '../../common/result-codes';
import { AmountColumn, TextColumn } from '../../platform/database/columns';
import { Eval } from './eval.entity';

/** Why a model failed, as reported to the caller. */
export interface ResultError {
  code: ResultErrorCode;
  message: string;
  retryable: boolean;
}

export interface ResultWarning {
  code: ResultWarningCode;
  message: string;
}

@Entity({ tableName: 'results' })
@Check({ name: 'results_counts_check', expression: 'cost >= 0 and input_tokens >= 0 and output_tokens >= 0' })
export class Result {
  [PrimaryKeyProp]?: ['evalId', 'position'];

  @ManyToOne(() => Eval, { primary: true, mapToPk: true, fieldName: 'eval_id', deleteRule: 'cascade' })
  evalId!: string;

  /** Index of the result from 0: the sample times the number of models, plus the index of the model in the request. */
  @Property({ type: 'integer', primary: true })
  position!: number;

  @TextColumn()
  model!: string;

  /** Label of the provider, as in the catalog when the eval ran. */
  @TextColumn()
  provider!: string;

  @TextColumn()
  output!: string;

  /** Milliseconds from dispatch to the last byte of the successful attempt, or to the failure. */
  @Property({ type: 'integer' })
  latencyMs!: number;

  /** Vendor cost in USD, without our margin. */
  @AmountColumn()
  cost!: Money;

  @Property({ type: 'integer' })
  inputTokens!: number;

  @Property({ type: 'integer' })
  outputTokens!: number;

  @Property({ type: 'jsonb', nullable: true })
  error!: ResultError | null;

  @Property({ type: 'jsonb' })
  warnings!: ResultWarning[];

  /**
   * How the call was made, counted and priced. Amounts are decimal strings, because JSON numbers would be read as
   * floats.
   */
  @Property({ type: 'jsonb' })
  details!: ResultDetails;

  /** The verdicts on it, in the order of the checks; null without checks. */
  @Property({ type: 'jsonb', nullable: true })
  checks!: Verdict[] | null;
}

/** Token counts as a vendor reported them; null where it sent no finite number. */
export type ReportedUsage = Record<
  'inputTokens' | 'cachedInputTokens' | 'cacheWriteTokens' | 'outputTokens' | 'reasoningTokens',
  number | null
>;

/** How one model call was made, counted and priced. */
export interface ResultDetails {
  vendorModel: string;
  /** The model that answered, as the vendor names it; absent where it names none and in evals of earlier releases. */
  answeredBy?: string;
  /** The charge to the user for this call, in USD. */
  charge: string;
  finishReason: string | null;
  /** Requests sent to the vendor, including retries. */
  attempts: number;
  /**
   * Time to first token: milliseconds from dispatch to the first text; null when there was none, or the answer came as
   * a whole.
   */
  ttftMs: number | null;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** The vendor's own counts, only where they differ from the billed ones. */
  reported?: ReportedUsage;
  /** The cost that the vendor stated, in USD; only where it is below the list price and so is the cost. */
  statedCost?: string;
  /** The parameters that were sent, under the vendor's names. */
  applied: Record<string, number | string>;
  /** USD per million tokens. */
  rates: { input: string; cachedInput: string; cacheWrite: string; output: string } | null;
}
