import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { Turn } from '../../common/turn';
import type { Check } from '../checks/types';
import { Dataset } from './dataset.entity';

/** A row of a data set. */
@Entity({ tableName: 'dataset_rows' })
@Unique({ name: 'dataset_rows_row_id_unique', properties: ['datasetId', 'rowId'] })
export class DatasetRow {
  @ManyToOne(() => Dataset, { mapToPk: true, primary: true, fieldName: 'dataset_id', deleteRule: 'cascade' })
  datasetId!: string;

  /** The position in the drawn order, from 0. */
  @PrimaryKey({ type: 'integer' })
  no!: number;

  /** The line of the file on which it begins, or its position in a JSON body; from 1. */
  @Property({ type: 'integer' })
  line!: number;

  @Property({ type: 'text' })
  rowId!: string;

  /** Null for a row that has variables only. */
  @Property({ type: 'text', nullable: true })
  input!: string | null;

  @Property({ type: 'text', nullable: true })
  expected!: string | null;

  /** Rows of one group are one cluster. */
  @Property({ type: 'text', fieldName: 'group_id', nullable: true })
  group!: string | null;

  @Property({ type: 'jsonb', nullable: true })
  variables!: Record<string, string> | null;

  /** Turns of a conversation before the prompt. */
  @Property({ type: 'jsonb', nullable: true })
  history!: Turn[] | null;

  /** The checks of this row alone, names and defaults filled in. */
  @Property({ type: 'jsonb', nullable: true })
  checks!: Check[] | null;
}

/** A row as experiments read it. */
export type StoredRow = Omit<DatasetRow, 'datasetId'> & {
  /** Why it cannot run; absent where it can. */
  refusal?: string;
};
