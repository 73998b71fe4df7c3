import { PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Money } from '../common/money';
import { MoneyColumn } from '../database/money.column';

/** A user's books of one month, kept in the transaction of each charge; also the lock under which promises are made. */
@Entity({ tableName: 'month_totals' })
@Check({ name: 'month_totals_counts_check', expression: 'free_eval_count >= 0 and free_eval_count <= eval_count' })
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

  /** What the vendors charge us. */
  @Property({ type: MoneyColumn, default: '0' })
  cost!: Money;

  /** What the user is charged. */
  @Property({ type: MoneyColumn, default: '0' })
  charge!: Money;
}
