import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';

/** An Idempotency-Key whose eval is stored; written with the charge, deleted after a day. */
@Entity({ tableName: 'idempotency_keys' })
export class IdempotencyKey {
  [PrimaryKeyProp]?: ['userId', 'key'];

  @ManyToOne(() => User, { primary: true, mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  @PrimaryKey({ type: 'text' })
  key!: string;

  /** SHA-256 of the request the key came with. */
  @Property({ type: 'text' })
  fingerprint!: string;

  @Property({ type: 'text' })
  evalId!: string;

  @Property({ type: 'timestamptz', length: 3 })
  @Index()
  createdAt!: Date;
}
