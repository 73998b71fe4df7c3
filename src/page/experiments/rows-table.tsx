import { useSignal } from '@preact/signals';
import type { Experiment, ExperimentRow } from '../../client/client';
import { ModelMark } from '../compare/model-mark';
import { promptLine } from '../history/history-lines';
import { Amount } from '../parts/amount';
import { FailedLoad } from '../parts/failed-load';
import { Skeleton } from '../parts/skeleton';
import { evalPath } from '../routes';
import { client } from '../session';
import { Pager } from './pager';
import { usePages, type ListPage } from './use-pages';
import { isDiffering, outcomesOf, type Outcome } from './words';

const PAGE_SIZE = 50;
/** So many pages are searched at a time for rows in which models differ. */
const MAX_SEARCHED_PAGES = 20;
const FILTERS = { all: 'All', failed: 'Failed', missing: 'Missing', differ: 'Models differ' } as const;
type Filter = keyof typeof FILTERS;
const NONE: Readonly<Record<Filter, string>> = {
  all: 'No row has begun yet.', failed: 'In every row that ended, a model answered.', missing: 'No answer is missing.', differ: 'The models passed or failed alike in the rows that were searched.',
};
const SIGNS: Readonly<Record<Outcome['kind'], string>> = { passed: '✓', failed: '✗', mixed: '±', undecided: '○', missing: '–' };

/** The rows of an experiment with the outcome of each model; a row leads to its eval. */
export function RowsTable({ experiment: { experiment_id: id, models }, refresh }: { experiment: Experiment; refresh: string }) {
  const filter = useSignal<Filter>('all');
  const shown = filter.value;
  const pages = usePages((cursor, signal) => (shown === 'differ' ? differingRows(id, cursor, signal) : someRows(id, shown, cursor, signal)), `${id} ${shown}`, refresh);
  const { value, error, isLoading, retry } = pages;
  return (
    <section class="rows" aria-label="Rows">
      <div class="experiments-head">
        <h2>Rows</h2>
        <div class="rows-filter" role="group" aria-label="Which rows">
          {Object.entries(FILTERS).map(([name, label]) => <button key={name} type="button" aria-pressed={shown === name} onClick={() => { filter.value = name as Filter; }}>{label}</button>)}
        </div>
      </div>
      {error !== undefined && <FailedLoad error={error} onRetry={retry} />}
      {value === undefined && error === undefined && <Skeleton lines={4} />}
      {value !== undefined && value.items.length === 0 && <p class="quiet" aria-busy={isLoading}>{NONE[shown]}</p>}
      {value !== undefined && value.items.length > 0 && (
        <table class="rows-table" role="table" aria-busy={isLoading}>
          <caption class="visually-hidden">Rows and the outcome of each model</caption>
          <thead role="rowgroup"><tr role="row">{['Row', 'Input', 'Expected', 'Outcomes', 'Cost'].map((head) => <th key={head} scope="col" role="columnheader">{head}</th>)}</tr></thead>
          <tbody role="rowgroup">{value.items.map((row) => <Row key={row.row_no} row={row} models={models} />)}</tbody>
        </table>
      )}
      <Pager pages={pages} previous="Earlier rows" following="Further rows" />
    </section>
  );
}

async function someRows(id: string, filter: Exclude<Filter, 'differ'>, cursor: string | undefined, signal: AbortSignal): Promise<ListPage<ExperimentRow>> {
  const { page, next } = await client().experiments.rows(id, { limit: PAGE_SIZE, ...(filter !== 'all' && { state: filter }), ...(cursor !== undefined && { cursor }) }, { signal }).open();
  return { items: page.rows, next: next?.cursor };
}

/** The service has no such filter: pages are read until there is a page full. */
async function differingRows(id: string, cursor: string | undefined, signal: AbortSignal): Promise<ListPage<ExperimentRow>> {
  const items: ExperimentRow[] = [];
  let next = cursor;
  for (let searched = 0; searched < MAX_SEARCHED_PAGES && items.length < PAGE_SIZE; searched += 1) {
    const page = await someRows(id, 'all', next, signal);
    items.push(...page.items.filter(isDiffering));
    next = page.next;
    if (next === undefined) break;
  }
  return { items, next };
}

function Row({ row, models }: { row: ExperimentRow; models: readonly string[] }) {
  const { row_no: no, row_id: rowId, eval_id: evalId, input, expected, cost_usd: cost, state, error } = row;
  const outcomes = outcomesOf(row);
  const text = promptLine(input ?? rowId);
  return (
    <tr role="row">
      <td role="cell" class="number rows-number">{no + 1}</td>
      <th scope="row" role="rowheader" dir="auto" title={`Row ${rowId}`}>{evalId === null ? text : <a href={evalPath(evalId)}>{text === '' ? `Row ${no + 1}` : text}</a>}</th>
      <td role="cell" data-label="expected" dir="auto">{expected === null ? '' : promptLine(expected)}</td>
      <td role="cell" class="rows-outcomes">
        {outcomes.length === 0 && <span class="quiet">{error?.message ?? state}</span>}
        {outcomes.map(({ model, kind, text: words }) => <span key={model} class="outcome" data-kind={kind} title={model}><ModelMark model={model} models={models} /><span class="visually-hidden"> {model}</span> <span aria-hidden="true">{SIGNS[kind]}</span> {words}</span>)}
      </td>
      <td role="cell" class="number" data-label="cost"><Amount exact={cost} /></td>
    </tr>
  );
}
