import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { User } from './user.entity';

/** One key of a user; its secret is kept only as a keyed hash. */
@Entity({ tableName: 'api_keys' })
export class ApiKey {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { deleteRule: 'restrict' })
  @Index()
  user!: User;

  @Property({ type: 'text' })
  name!: string;

  /** The first characters of the key, so that people can tell keys apart. */
  @Property({ type: 'text' })
  prefix!: string;

  /** HMAC-SHA-256 of the key under the pepper, in hexadecimal. */
  @Property({ type: 'text' })
  @Unique()
  hash!: string;

  @Property({ type: 'timestamptz', length: 3 })
  createdAt!: Date;

  @Property({ type: 'timestamptz', length: 3, nullable: true })
  expiresAt!: Date | null;

  @Property({ type: 'timestamptz', length: 3, nullable: true })
  revokedAt!: Date | null;

  /** Kept to the minute. */
  @Property({ type: 'timestamptz', length: 3, nullable: true })
  lastUsedAt!: Date | null;
}
