import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';
import type { Money } from '../common/money';
import { MoneyColumn } from '../database/money.column';

/** One comparison. What a list shows stands on the row itself, so that a list never loads results. */
@Entity({ tableName: 'evals' })
// Sorted by byte, unlike the primary key: so ordered, no plan can walk through the evals of all users to find one user's.
@Index({ name: 'evals_by_user_index', expression: 'create index "evals_by_user_index" on "evals" ("user_id", "id" collate "C")' })
export class Eval {
  /** Sorts by time, so that it also orders a user's evals. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  /** As submitted, before the input was put in. */
  @Property({ type: 'text' })
  prompt!: string;

  @Property({ type: 'text', nullable: true })
  input!: string | null;

  @Property({ type: 'text[]' })
  models!: string[];

  @Property({ type: 'double' })
  temperature!: number;

  @Property({ type: 'integer' })
  maxTokens!: number;

  @Property({ type: MoneyColumn })
  totalCost!: Money;

  /** What the user was charged: a copy of the charge, for reading. */
  @Property({ type: MoneyColumn })
  charge!: Money;

  @Property({ type: 'boolean' })
  isFree!: boolean;

  @Property({ type: 'text' })
  fastestModel!: string;

  @Property({ type: 'text' })
  cheapestModel!: string;

  /** When it started; that instant also decides its month. */
  @Property({ type: 'timestamptz', length: 3 })
  createdAt!: Date;

  /** From start to the last result. */
  @Property({ type: 'integer' })
  durationMs!: number;
}
