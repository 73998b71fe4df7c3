import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import { Eval } from './eval.entity';
import { TextColumn, TimestampColumn } from '../../platform/database/columns';

/**
 * The preferences that are counted, newest first. Each has at most 28 pairs of models, so this bounds the work of a
 * count.
 */
export const MAX_COUNTED_PREFERENCES = 5000;

/** The choice of one key among the answers of an eval. It ends with the eval. */
@Entity({ tableName: 'preferences' })
@Index({
  name: 'preferences_by_user_index',
  expression: 'create index "preferences_by_user_index" on "preferences" ("user_id", "created_at")',
})
export class Preference {
  [PrimaryKeyProp]?: ['evalId', 'keyId'];

  @ManyToOne(() => Eval, { primary: true, mapToPk: true, fieldName: 'eval_id', deleteRule: 'cascade' })
  evalId!: string;

  /** The key that chose. */
  @Property({ type: 'text', primary: true })
  keyId!: string;

  @UserId()
  userId!: string;

  /** A model of the eval, `tie` or `none_good`. */
  @TextColumn()
  preferred!: string;

  /** The models that answered, so that counting preferences reads no results. */
  @Property({ type: 'text[]' })
  answered!: string[];

  /** True if the names were hidden until the choice. */
  @Property({ type: 'boolean' })
  blind!: boolean;

  @TextColumn({ nullable: true })
  reason!: string | null;

  @TimestampColumn()
  createdAt!: Date;
}
