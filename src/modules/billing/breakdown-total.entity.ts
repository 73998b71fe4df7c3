import { PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Money } from '../../common/money';
import { AmountColumn } from '../../platform/database/columns';

export const DIMENSIONS = ['model', 'day', 'key'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/**
 * A part of a user's month: one model, one day or one key. Kept in the transaction of each charge, so that reading it
 * never counts evals.
 */
@Entity({ tableName: 'breakdown_totals' })
@Check({ name: 'breakdown_totals_held_check', expression: 'held >= 0' })
export class BreakdownTotal {
  [PrimaryKeyProp]?: ['userId', 'month', 'dimension', 'item'];

  @PrimaryKey({ type: 'text' })
  userId!: string;

  /** YYYY-MM in UTC. */
  @PrimaryKey({ type: 'text' })
  month!: string;

  @PrimaryKey({ type: 'text' })
  dimension!: Dimension;

  /** Model id, YYYY-MM-DD or key id. */
  @PrimaryKey({ type: 'text' })
  item!: string;

  @Property({ type: 'integer', default: 0 })
  evalCount!: number;

  @Property({ type: 'bigint', default: 0 })
  inputTokens!: bigint;

  @Property({ type: 'bigint', default: 0 })
  outputTokens!: bigint;

  @AmountColumn({ default: '0' })
  cost!: Money;

  @AmountColumn({ default: '0' })
  charge!: Money;

  /** The most that evals of a key with a limit may still be charged by their reservations; zero in any other row. */
  @AmountColumn({ default: '0' })
  held!: Money;
}

export type BreakdownPart = Omit<BreakdownTotal, 'userId' | 'month' | 'held' | symbol>;
