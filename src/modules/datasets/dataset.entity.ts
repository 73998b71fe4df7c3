import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';

/** Rows of inputs for experiments. A data set never changes: another content is another data set. */
@Entity({ tableName: 'datasets' })
@Index({
  name: 'datasets_by_user_index',
  expression: 'create index "datasets_by_user_index" on "datasets" ("user_id", "id" collate "C")',
})
@Unique({ name: 'datasets_content_unique', properties: ['userId', 'name', 'sha256'] })
export class Dataset {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  @Property({ type: 'text' })
  name!: string;

  /** SHA-256 of the canonical rows in the order of the file, in hexadecimal; the same for every format. */
  @Property({ type: 'text' })
  sha256!: string;

  @Property({ type: 'integer' })
  rowCount!: number;

  /** The number of different groups. */
  @Property({ type: 'integer' })
  groupCount!: number;

  /** The size of the canonical rows. */
  @Property({ type: 'bigint' })
  bytes!: bigint;

  /** The members that rows have, and the names of their variables. */
  @Property({ type: 'text[]' })
  columns!: string[];

  @Property({ type: 'timestamptz', length: 3 })
  createdAt!: Date;
}
