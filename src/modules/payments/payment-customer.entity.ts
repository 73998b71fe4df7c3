import { PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, Property, Unique } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import type { Money } from '../../common/money';
import { AmountColumn, TextColumn, TimestampColumn } from '../../platform/database/columns';

/** A user as the payment provider knows one; from then on the user's charges are metered there. */
@Entity({ tableName: 'payment_customers' })
@Check({
  name: 'payment_customers_metered_check',
  expression: 'metered_nano_usd >= 0 and metered_nano_usd >= floor(charged * 1000000000)',
})
export class PaymentCustomer {
  [PrimaryKeyProp]?: 'userId';

  @UserId({ primary: true })
  userId!: string;

  @TextColumn()
  @Unique()
  stripeCustomerId!: string;

  /** Sum of the charges that were put into the outbox, exact. */
  @AmountColumn({ default: '0' })
  charged!: Money;

  /** Sum of the outbox's values: the highest that `charged` has been, in whole nano-dollars. */
  @Property({ type: 'bigint', default: 0 })
  meteredNanoUsd!: bigint;

  /** Grows with every sync of the customer's payment methods, so that of two concurrent syncs the later one counts. */
  @Property({ type: 'integer', default: 0 })
  syncVersion!: number;

  @TimestampColumn()
  createdAt!: Date;
}
