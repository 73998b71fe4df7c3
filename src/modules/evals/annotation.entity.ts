import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import { Eval } from './eval.entity';
import { TextColumn } from '../../platform/database/columns';

/**
 * The note and the star of an eval. In a separate table, because an eval is written once and never changed. It ends
 * with the eval.
 */
@Entity({ tableName: 'annotations' })
@Index({
  name: 'annotations_starred_index',
  expression:
    'create index "annotations_starred_index" on "annotations" ("user_id", "eval_id" collate "C") where starred',
})
export class Annotation {
  [PrimaryKeyProp]?: 'evalId';

  @ManyToOne(() => Eval, { primary: true, mapToPk: true, fieldName: 'eval_id', deleteRule: 'cascade' })
  evalId!: string;

  @UserId()
  userId!: string;

  @TextColumn({ nullable: true })
  note!: string | null;

  @Property({ type: 'boolean' })
  starred!: boolean;
}
