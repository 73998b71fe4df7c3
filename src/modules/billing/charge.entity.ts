import { Check, Entity, Index, PrimaryKey, Property, Trigger, Unique } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import type { Money } from '../../common/money';
import { AmountColumn, TextColumn, TimestampColumn } from '../../platform/database/columns';

/**
 * The cost and the charge of one eval, or a correction of the month's charge by the operator.
 * Never changed and never deleted: the database refuses both. It says all that a statement needs, so that evals may be
 * erased.
 */
@Entity({ tableName: 'charges' })
// Sorted by byte, unlike the primary key: so ordered, no plan can walk through the charges of all users to find one
// user's.
@Index({
  name: 'charges_by_user_and_month_index',
  expression: 'create index "charges_by_user_and_month_index" on "charges" ("user_id", "month", "id" collate "C")',
})
@Trigger({
  name: 'charges_append_only',
  timing: 'before',
  events: ['update', 'delete'],
  body: "raise exception 'charges is append-only' using errcode = 'integrity_constraint_violation'",
})
@Check({ name: 'charges_amounts_check', expression: 'cost >= 0 and margin >= 0 and (charge >= 0 or eval_id is null)' })
@Check({ name: 'charges_kind_check', expression: '(eval_id is null) = (reason is not null)' })
export class Charge {
  /** Sorts by time. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @UserId()
  userId!: string;

  /** null for a correction. */
  @TextColumn({ nullable: true })
  @Unique()
  evalId!: string | null;

  /** The key that was used; null for a correction. */
  @TextColumn({ nullable: true })
  keyId!: string | null;

  /** YYYY-MM in UTC, of the eval's start. */
  @TextColumn()
  month!: string;

  @Property({ type: 'text[]' })
  models!: string[];

  @Property({ type: 'integer' })
  inputTokens!: number;

  @Property({ type: 'integer' })
  outputTokens!: number;

  /** The cost: the amount that the vendors charge the operator. */
  @AmountColumn()
  cost!: Money;

  /** The margin that was in force, as a fraction. */
  @Property({ type: 'string', columnType: 'numeric' })
  margin!: string;

  /** The charge to the user; may be negative in a correction only. */
  @AmountColumn()
  charge!: Money;

  @Property({ type: 'boolean' })
  isFree!: boolean;

  /** Why a correction was made; null for an eval. */
  @TextColumn({ nullable: true })
  reason!: string | null;

  /** Start of the eval, or time of the correction. */
  @TimestampColumn()
  occurredAt!: Date;

  @TimestampColumn()
  createdAt!: Date;
}

export type BillableCharge = Pick<Charge, 'id' | 'charge' | 'occurredAt'>;
