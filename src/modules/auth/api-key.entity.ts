import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { Money } from '../../common/money';
import { AmountColumn, TextColumn, TimestampColumn } from '../../platform/database/columns';
import type { Scope } from './scopes';
import { User } from './user.entity';

/** One key of a user; its secret is kept only as a keyed hash. */
@Entity({ tableName: 'api_keys' })
export class ApiKey {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { deleteRule: 'restrict' })
  @Index()
  user!: User;

  @TextColumn()
  name!: string;

  /** The first characters of the key, so that people can tell keys apart. */
  @TextColumn()
  prefix!: string;

  /** HMAC-SHA-256 of the key under the pepper, in hexadecimal. */
  @TextColumn()
  @Unique()
  hash!: string;

  /** The maximum charge through this key in a calendar month; null for no limit of the key. */
  @AmountColumn({ nullable: true })
  monthlySpendLimit!: Money | null;

  /** Ids of the models this key may call; null for all. */
  @Property({ type: 'text[]', nullable: true })
  allowedModels!: string[] | null;

  /** The scopes of this key; null for all. */
  @Property({ type: 'text[]', nullable: true })
  scopes!: Scope[] | null;

  @TimestampColumn()
  createdAt!: Date;

  @TimestampColumn({ nullable: true })
  expiresAt!: Date | null;

  @TimestampColumn({ nullable: true })
  revokedAt!: Date | null;

  /** Kept to the minute. */
  @TimestampColumn({ nullable: true })
  lastUsedAt!: Date | null;
}

/** True if a key works at an instant: neither revoked nor expired. */
export function isLive(key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, at: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > at);
}
