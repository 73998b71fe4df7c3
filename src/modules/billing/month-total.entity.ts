import { PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Money } from '../../common/money';
import { AmountColumn } from '../../platform/database/columns';

/**
 * A user's totals of one month, kept in the statement of each charge; reservations are decided on this row, under its
 * lock.
 */
@Entity({ tableName: 'month_totals' })
@Check({ name: 'month_totals_counts_check', expression: 'free_eval_count >= 0 and free_eval_count <= eval_count' })
@Check({ name: 'month_totals_held_check', expression: 'free_held >= 0 and held >= 0' })
export class MonthTotal {
  [PrimaryKeyProp]?: ['userId', 'month'];

  @PrimaryKey({ type: 'text' })
  userId!: string;

  /** YYYY-MM in UTC. */
  @PrimaryKey({ type: 'text' })
  month!: string;

  @Property({ type: 'integer', default: 0 })
  evalCount!: number;

  @Property({ type: 'integer', default: 0 })
  freeEvalCount!: number;

  /** The cost: the amount that the vendors charge the operator. */
  @AmountColumn({ default: '0' })
  cost!: Money;

  @AmountColumn({ default: '0' })
  charge!: Money;

  @Property({ type: 'integer', default: 0 })
  freeHeld!: number;

  /** The most that evals with reservations may still be charged. */
  @AmountColumn({ default: '0' })
  held!: Money;
}
