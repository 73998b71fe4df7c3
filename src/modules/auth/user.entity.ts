import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { Money } from '../../common/money';
import { AmountColumn, TextColumn, TimestampColumn } from '../../platform/database/columns';

/** Somebody who pays for evals and owns keys. */
@Entity({ tableName: 'users' })
@Unique({
  name: 'users_email_unique',
  expression: 'create unique index "users_email_unique" on "users" (lower("email"))',
})
export class User {
  @PrimaryKey({ type: 'text' })
  id!: string;

  /** As given, compared without regard to case. */
  @TextColumn()
  email!: string;

  /** Free evals a month; null stands for the service's own default. */
  @Property({ type: 'integer', nullable: true })
  freeQuota!: number | null;

  @Property({ type: 'boolean' })
  hasPaymentMethod!: boolean;

  /** Most that may be charged in a calendar month; null for no limit. */
  @AmountColumn({ nullable: true })
  monthlySpendLimit!: Money | null;

  @TimestampColumn()
  createdAt!: Date;
}

/** The column `user_id` of a row that belongs to a user. */
export function UserId(options: { primary?: true } = {}): ReturnType<typeof ManyToOne> {
  return ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict', ...options });
}
