import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';
import type { Money } from '../../common/money';
import { MoneyColumn } from '../../platform/database/money.column';

/**
 * The part of its user's month that a running eval holds until it is settled; once expired, any process may release it.
 */
@Entity({ tableName: 'reservations' })
@Index({ properties: ['userId', 'expiresAt'] })
@Unique({ name: 'reservations_idempotency_key_unique', properties: ['userId', 'idempotencyKey'] })
export class Reservation {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  @Property({ type: 'text' })
  keyId!: string;

  /** YYYY-MM in UTC, of the eval's start. */
  @Property({ type: 'text' })
  month!: string;

  /** True if it holds one of the month's free evals. */
  @Property({ type: 'boolean' })
  isFree!: boolean;

  /** The most the eval can be charged; zero for a free one. */
  @Property({ type: MoneyColumn })
  maxCharge!: Money;

  /** True if the key's row holds the amount too, because the key has a limit. */
  @Property({ type: 'boolean', default: false })
  isKeyLimited!: boolean;

  /** The caller's Idempotency-Key, which no other request may use meanwhile. */
  @Property({ type: 'text', nullable: true })
  idempotencyKey!: string | null;

  /** By the database's clock, which all replicas share. */
  @Property({ type: 'timestamptz', length: 3 })
  expiresAt!: Date;
}
