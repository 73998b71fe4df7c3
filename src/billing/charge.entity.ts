import { Check, Trigger, Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';
import type { Money } from '../common/money';
import { MoneyColumn } from '../common/money.column';

/** What one eval cost and what was charged for it. Never changed and never deleted: the database refuses both. */
@Entity({ tableName: 'charges' })
@Index({ properties: ['userId', 'month'] })
@Trigger({ name: 'charges_append_only', timing: 'before', events: ['update', 'delete'], body: "raise exception 'charges is append-only' using errcode = 'integrity_constraint_violation'" })
@Check({ name: 'charges_amounts_check', expression: 'cost >= 0 and margin >= 0 and charge >= 0' })
export class Charge {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  @Property({ type: 'text' })
  @Unique()
  evalId!: string;

  /** YYYY-MM in UTC, of the eval's start. */
  @Property({ type: 'text' })
  month!: string;

  /** What the vendors charge us. */
  @Property({ type: MoneyColumn })
  cost!: Money;

  /** The margin that was in force, as a fraction. */
  @Property({ type: 'string', columnType: 'numeric' })
  margin!: string;

  /** What the user is charged. */
  @Property({ type: MoneyColumn })
  charge!: Money;

  @Property({ type: 'boolean' })
  isFree!: boolean;

  @Property({ type: 'timestamptz', length: 3 })
  createdAt!: Date;
}
