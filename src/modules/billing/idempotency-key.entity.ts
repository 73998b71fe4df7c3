import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import { TextColumn, TimestampColumn } from '../../platform/database/columns';

/** An Idempotency-Key whose eval is stored; written with the charge, deleted after a day. */
@Entity({ tableName: 'idempotency_keys' })
export class IdempotencyKey {
  [PrimaryKeyProp]?: ['userId', 'key'];

  @UserId({ primary: true })
  userId!: string;

  @PrimaryKey({ type: 'text' })
  key!: string;

  /** SHA-256 of the request the key came with. */
  @TextColumn()
  fingerprint!: string;

  @TextColumn()
  evalId!: string;

  @TimestampColumn()
  @Index()
  createdAt!: Date;
}
