import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import type { Check } from '../checks/types';
import type { Money } from '../../common/money';
import { AmountColumn, TextColumn, TimestampColumn } from '../../platform/database/columns';
import type { ExtraOptions } from './extra-options';

/** A comparison. Everything a list shows is in this row, so that lists never load results. */
@Entity({ tableName: 'evals' })
@Index({
  name: 'evals_outside_experiments_index',
  expression:
    'create index "evals_outside_experiments_index" on "evals" ("user_id", "id" collate "C") where experiment_id is null',
})
@Index({
  name: 'evals_of_experiment_index',
  expression:
    'create index "evals_of_experiment_index" on "evals" ("experiment_id", "id" collate "C") where experiment_id is not null',
})
// Collation "C", unlike the primary key: with this order, no plan can scan the evals of all users to find those of one
// user.
@Index({
  name: 'evals_by_user_index',
  expression: 'create index "evals_by_user_index" on "evals" ("user_id", "id" collate "C")',
})
export class Eval {
  /** Sorts by creation time, so it also orders a user's evals. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @UserId()
  userId!: string;

  /** The prompt as submitted, before `{input}` was filled in. */
  @TextColumn()
  prompt!: string;

  @TextColumn({ nullable: true })
  input!: string | null;

  @Property({ type: 'text[]' })
  models!: string[];

  @Property({ type: 'double' })
  temperature!: number;

  @Property({ type: 'integer' })
  maxTokens!: number;

  @AmountColumn()
  totalCost!: Money;

  /** The charge to the user in USD: a copy of the charge row, to read an eval without a join. */
  @AmountColumn()
  charge!: Money;

  @Property({ type: 'boolean' })
  isFree!: boolean;

  @TextColumn()
  fastestModel!: string;

  @TextColumn()
  cheapestModel!: string;

  /**
   * When it was asked for: the start of the eval or, of one in the background, the time of its 202. Its month is that
   * of its start, which its charge has.
   */
  @TimestampColumn()
  createdAt!: Date;

  /** Milliseconds from the start to the last result. */
  @Property({ type: 'integer' })
  durationMs!: number;

  @Property({ type: 'integer', default: 1 })
  samples!: number;

  /** The checks of every result, names and defaults filled in; null where there are none. */
  @Property({ type: 'jsonb', nullable: true })
  checks!: Check[] | null;

  @TextColumn({ nullable: true })
  rerunOf!: string | null;

  /** `max_cost_usd`, which a rerun keeps; null where there was none. */
  @AmountColumn({ nullable: true })
  maxCost!: Money | null;

  /**
   * The options that few compares set; null where there are none. Not jsonb, because models follow the order of a
   * schema's members.
   */
  @Property({ type: 'json', columnType: 'json', nullable: true })
  options!: ExtraOptions | null;

  /** The experiment of which it is a row. */
  @TextColumn({ nullable: true })
  experimentId!: string | null;
}
