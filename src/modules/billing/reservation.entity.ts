import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import type { Money } from '../../common/money';
import { Amount, Text, Timestamp } from '../../platform/database/columns';

/**
 * The part of its user's month that a running eval holds until it is settled; once expired, any process may release it.
 */
@Entity({ tableName: 'reservations' })
@Index({ properties: ['userId', 'expiresAt'] })
@Unique({ name: 'reservations_idempotency_key_unique', properties: ['userId', 'idempotencyKey'] })
export class Reservation {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @UserId()
  userId!: string;

  @Text()
  keyId!: string;

  /** YYYY-MM in UTC, of the eval's start. */
  @Text()
  month!: string;

  /** True if it holds one of the month's free evals. */
  @Property({ type: 'boolean' })
  isFree!: boolean;

  /** The most the eval can be charged; zero for a free one. */
  @Amount()
  maxCharge!: Money;

  /** True if the key's row holds the amount too, because the key has a limit. */
  @Property({ type: 'boolean', default: false })
  isKeyLimited!: boolean;

  /** The caller's Idempotency-Key, which no other request may use meanwhile. */
  @Text({ nullable: true })
  idempotencyKey!: string | null;

  /** By the database's clock, which all replicas share. */
  @Timestamp()
  expiresAt!: Date;
}
