import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';

/** A link that shows one eval to whoever has it. */
@Entity({ tableName: 'shares' })
@Index({ name: 'shares_by_user_index', expression: 'create index "shares_by_user_index" on "shares" ("user_id", "id" collate "C")' })
export class Share {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  /** The eval that it shows. */
  @Property({ type: 'text' })
  subject!: string;

  /** HMAC-SHA-256 of the token; the token itself is shown once. */
  @Property({ type: 'text' })
  @Unique()
  tokenHash!: string;

  /** What it leaves out. */
  @Property({ type: 'text[]' })
  redact!: string[];

  /** From which a blind share draws the order of its models. */
  @Property({ type: 'text' })
  seed!: string;

  @Property({ type: 'timestamptz', length: 3 })
  createdAt!: Date;

  @Property({ type: 'timestamptz', length: 3 })
  expiresAt!: Date;

  @Property({ type: 'timestamptz', length: 3, nullable: true })
  revokedAt!: Date | null;

  /** How often it was looked at. */
  @Property({ type: 'integer', default: 0 })
  views!: number;
}
