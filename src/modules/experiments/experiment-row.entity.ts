import { PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, Index, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import type { Money } from '../../common/money';
import { MoneyColumn } from '../../platform/database/money.column';
import { Experiment } from './experiment.entity';

/**
 * The states of a row. A dealt one is held by a process and counts against the cap; a waiting one is dealt again later.
 */
export const ROW_STATES = ['dealt', 'waiting', 'done', 'failed'] as const;

export type RowState = (typeof ROW_STATES)[number];

/** One attempt of a row of an experiment. The process that runs it holds its lease. */
@Entity({ tableName: 'experiment_rows' })
@Index({
  name: 'experiment_rows_dealt_index',
  expression: `create index "experiment_rows_dealt_index" on "experiment_rows" ("experiment_id") where state = 'dealt'`,
})
@Index({
  name: 'experiment_rows_waiting_index',
  expression: `create index "experiment_rows_waiting_index" on "experiment_rows" ("experiment_id", "row_no") where state = 'waiting'`,
})
@Check({
  name: 'experiment_rows_state_check',
  expression: `state in (${ROW_STATES.map((state) => `'${state}'`).join(', ')})`,
})
export class ExperimentRow {
  [PrimaryKeyProp]?: ['experimentId', 'rowNo', 'attempt'];

  @ManyToOne(() => Experiment, { primary: true, mapToPk: true, fieldName: 'experiment_id', deleteRule: 'cascade' })
  experimentId!: string;

  /** The number of the row in the data set, from 0. */
  @Property({ type: 'integer', primary: true })
  rowNo!: number;

  /** From 1. Each further one asks only the models that gave no answer. */
  @Property({ type: 'integer', primary: true })
  attempt!: number;

  /** Copies of the data set's row, which may be deleted after the end. */
  @Property({ type: 'text' })
  rowId!: string;

  @Property({ type: 'text', nullable: true })
  groupId!: string | null;

  /** A hash of the row's texts, by which rows of two experiments are known to be equal. */
  @Property({ type: 'text' })
  content!: string;

  @Property({ type: 'text' })
  state!: RowState;

  /** The fencing token: each scheduling increments it, so that a process that lost its lease changes nothing. */
  @Property({ type: 'integer', default: 0 })
  fence!: number;

  /** The number of attempts that ended without an eval because a lease expired or the service could not complete it. */
  @Property({ type: 'integer', default: 0 })
  retries!: number;

  /** Held by a process until then, by the database's clock; a waiting row waits until then. */
  @Property({ type: 'timestamptz', length: 3, nullable: true })
  leaseUntil!: Date | null;

  /** The most that it can cost; it counts against the cap while the row is dealt. */
  @Property({ type: MoneyColumn })
  maxCost!: Money;

  /** The models of a further attempt; null for all of the experiment. */
  @Property({ type: 'text[]', nullable: true })
  models!: string[] | null;

  /** The models without an answer that no further attempt has asked yet; null if there are none. */
  @Property({ type: 'text[]', nullable: true })
  missing!: string[] | null;

  /** The id that the eval has once it is stored. */
  @Property({ type: 'text' })
  evalId!: string;

  @Property({ type: MoneyColumn, default: 0 })
  cost!: Money;

  /** The figures of the summary (summary/figures.ts), which outlive the texts. */
  @Property({ type: 'double[]', columnType: 'double precision[]', nullable: true })
  figures!: number[] | null;

  /** Why no model answered, as an error body has it. */
  @Property({ type: 'jsonb', nullable: true })
  error!: object | null;

  @Property({ type: 'timestamptz', length: 3 })
  createdAt!: Date;

  @Property({ type: 'timestamptz', length: 3, nullable: true })
  finishedAt!: Date | null;
}
