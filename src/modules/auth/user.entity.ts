import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { Money } from '../../common/money';
import { MoneyColumn } from '../../platform/database/money.column';

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
  @Property({ type: 'text' })
  email!: string;

  /** Free evals a month; null stands for the service's own default. */
  @Property({ type: 'integer', nullable: true })
  freeQuota!: number | null;

  @Property({ type: 'boolean' })
  hasPaymentMethod!: boolean;

  /** Most that may be charged in a calendar month; null for no limit. */
  @Property({ type: MoneyColumn, nullable: true })
  monthlySpendLimit!: Money | null;

  @Property({ type: 'timestamptz', length: 3 })
  createdAt!: Date;
}
