import { Injectable } from '@nestjs/common';
import type { Money } from '../../common/money';
import { SqlService } from '../../database/sql.service';
import type { RowState } from '../experiment-row.entity';

/** The rows that can be asked for: with an answer, with none, or with a model that has none. */
export const ROW_FILTERS = ['done', 'failed', 'missing'] as const;

export type RowFilter = (typeof ROW_FILTERS)[number];

/** Why no model answered in a row; an erased one has the code only. */
export interface RowError {
  code: string;
  message?: string;
  details?: object;
}

/** One attempt of a listed row. */
export interface ListedAttempt {
  attempt: number;
  state: RowState;
  evalId: string;
  error: RowError | null;
}

/** A row with its attempts in their order, without texts of the data set. */
export interface ListedRow {
  rowNo: number;
  rowId: string;
  group: string | null;
  cost: Money;
  attempts: ListedAttempt[];
}

/** The part of the rows that is read. */
export interface RowsPart {
  after: number;
  limit: number;
  state: RowFilter | undefined;
}

/** Reads the rows of an experiment in the order of their numbers. */
@Injectable()
export class ExperimentRowsRepository {
  constructor(private readonly sql: SqlService) {}

  /** At most `limit` rows after the one with that number. Rows that were never dealt are not there. */
  async page(experimentId: string, { after, limit, state }: RowsPart): Promise<ListedRow[]> {
    return this.sql.query(`${ROWS} ${state === undefined ? '' : `having ${CONDITIONS[state]}`} order by row_no limit $3`, [experimentId, after, limit]);
  }
}

const ROWS = `
  select row_no as "rowNo", min(row_id) as "rowId", min(group_id) as "group", sum(cost) as cost,
    json_agg(json_build_object('attempt', attempt, 'state', state, 'evalId', eval_id, 'error', error) order by attempt) as attempts
  from experiment_rows where experiment_id = $1 and row_no > $2 group by row_no`;

const CONDITIONS: Readonly<Record<RowFilter, string>> = {
  done: `bool_or(state = 'done')`,
  failed: `bool_or(state = 'failed' and attempt = 1)`,
  missing: `bool_or(state in ('done', 'failed') and missing is not null)`,
};
