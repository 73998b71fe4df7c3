import { Injectable } from '@nestjs/common';
import { SqlService } from '../../database/sql.service';
import { CANCELED_EXPERIMENT } from '../experiment.entity';
import type { AttemptFigures } from './merge-figures';

/** The figures of the rows of experiments in Postgres. */
@Injectable()
export class SummariesRepository {
  constructor(private readonly sql: SqlService) {}

  /** The ended attempts of the rows from `fromNo` to before `toNo`, in order. */
  async figures(experimentId: string, fromNo: number, toNo: number): Promise<AttemptFigures[]> {
    const rows = await this.sql.query<AttemptFigures>(FIGURES, [experimentId, fromNo, toNo]);
    // JSON has NaN and Infinity as strings only.
    return rows.map((row) => ({ ...row, figures: row.figures && row.figures.map(Number) }));
  }

  /** Ids of the evals of the first rows. */
  async evalIds(experimentId: string, toNo: number): Promise<string[]> {
    const rows = await this.sql.query<{ id: string }>(`select eval_id as id from experiment_rows where experiment_id = $1 and row_no < $2 and state = 'done'`, [experimentId, toNo]);
    return rows.map(({ id }) => id);
  }

  /** Keeps the summary of an experiment that ended at `finishedAt`, unless it was retried since. */
  async keep(experimentId: string, finishedAt: Date | null, summary: object): Promise<void> {
    await this.sql.query(`update experiments set summary = $2 where id = $1 and state in ('finished', '${CANCELED_EXPERIMENT}') and finished_at = $3 and summary is null`, [experimentId, JSON.stringify(summary), finishedAt]);
  }
}

const FIGURES = `
  select row_no as "rowNo", row_id as "rowId", group_id as "group", content, array_to_json(figures) as figures
  from experiment_rows where experiment_id = $1 and row_no >= $2 and row_no < $3 and state in ('done', 'failed') order by row_no, attempt`;
