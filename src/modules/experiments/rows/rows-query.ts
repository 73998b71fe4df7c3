import { FIGURE_INDEX } from '../summary/figures';
import type { RowFilter } from './rows.dto';

/** The query of rows of experiment $1 after number $2, at most $3. */
export function rowsQuery(state: RowFilter | undefined): string {
  return `${ROWS} ${state === undefined ? '' : `having ${CONDITIONS[state]}`} order by row_no limit $3`;
}

const ROWS = `
  select row_no as "rowNo", min(row_id) as "rowId", min(group_id) as "group", sum(cost) as cost,
    json_agg(json_build_object('attempt', attempt, 'state', state, 'evalId', eval_id, 'error', error) order by attempt) as attempts
  from experiment_rows where experiment_id = $1 and row_no > $2 group by row_no`;

const CONDITIONS: Readonly<Record<RowFilter, string>> = {
  done: `bool_or(state = 'done')`,
  failed: `bool_or(state = 'failed' and attempt = 1)`,
  missing: `bool_or(state in ('done', 'failed') and missing is not null)`,
  // Of each model the latest attempt in which it answered counts, as in the summary; $4 is the number of models. Row by
  // row, so that it ends with the last row that is asked for.
  differing: `(
    select count(distinct share) > 1 from (
      select (array_agg(${figure('passed')} / nullif(${figure('decided')}, 0) order by attempt desc) filter (where ${figure('answered')} > 0))[1] as share
      from experiment_rows as own cross join generate_series(0, $4 - 1) as model
      where own.experiment_id = $1 and own.row_no = experiment_rows.row_no and own.state = 'done' group by model
    ) as shares)`,
};

/** A figure of a model of a row in SQL; $5 is the number of figures of a model. */
function figure(name: 'answered' | 'decided' | 'passed'): string {
  return `figures[model * $5 + ${FIGURE_INDEX[name] + 1}]`;
}
