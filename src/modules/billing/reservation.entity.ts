import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import type { Money } from '../../common/money';
import { AmountColumn, TextColumn, TimestampColumn } from '../../platform/database/columns';

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

  @TextColumn()
  keyId!: string;

  /** YYYY-MM in UTC, of the eval's start. */
  @TextColumn()
  month!: string;

  /** True if it holds one of the month's free evals. */
  @Property({ type: 'boolean' })
  isFree!: boolean;

  /** The most the eval can be charged; zero for a free one. */
  @AmountColumn()
  maxCharge!: Money;

  /** True if the key's row holds the amount too, because the key has a limit. */
  @Property({ type: 'boolean', default: false })
  isKeyLimited!: boolean;

  /** The caller's Idempotency-Key, which no other request may use meanwhile. */
  @TextColumn({ nullable: true })
  idempotencyKey!: string | null;

  /** By the database's clock, which all replicas share. */
  @TimestampColumn()
  expiresAt!: Date;
}
