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
  // Of each model the latest attempt in which it answered counts, as in the summary; $4 is the number of models.
  differing: `row_no in (
    select row_no from (
      select row_no, (array_agg(${figure('passed')} / nullif(${figure('decided')}, 0) order by attempt desc) filter (where ${figure('answered')} > 0))[1] as share
      from experiment_rows cross join generate_series(0, $4 - 1) as model where experiment_id = $1 and row_no > $2 and state = 'done' group by row_no, model
    ) as shares group by row_no having count(distinct share) > 1)`,
};

/** A figure of a model of a row in SQL; $5 is the number of figures of a model. */
function figure(name: 'answered' | 'decided' | 'passed'): string {
  return `figures[model * $5 + ${FIGURE_INDEX[name] + 1}]`;
}
