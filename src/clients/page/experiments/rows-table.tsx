import { type Signal, useSignal } from '@preact/signals';
import type { Experiment, ExperimentRow, ExperimentSummary } from '../../client/client';
import { ModelMark } from '../compare/models/model-mark';
import { promptLine } from '../history/history-lines';
import { Amount } from '../parts/values';
import { evalPath } from '../routes';
import { client } from '../session';
import { type ListPage, Paged } from './use-pages';
import { byPlace, isDiffering, type Outcome, outcomesOf } from './words';

const PAGE_SIZE = 50;
/** Pages that are searched at a time for rows in which models differ. */
const MAX_SEARCHED_PAGES = 20;
const FILTERS = { all: 'All', failed: 'Failed', missing: 'No answer', differ: 'Models differ' } as const;
type Filter = keyof typeof FILTERS;
const NONE: Readonly<Record<Filter, string>> = {
  all: 'No row has begun yet.',
  failed: 'In every row that ended, a model answered.',
  missing: 'Every model answered.',
  differ: 'In no row that was searched do models differ in what passed.',
};
const SIGNS: Readonly<Record<Outcome['kind'], string>> = {
  passed: '✓',
  failed: '✗',
  mixed: '±',
  undecided: '○',
  missing: '–',
};

/** The rows of an experiment with the outcome of each model; a row leads to its eval. */
export function RowsTable({
  experiment: { experiment_id: id, models },
  summary,
  refresh,
}: {
  experiment: Experiment;
  summary: ExperimentSummary | undefined;
  refresh: string;
}) {
  const filter = useSignal<Filter>('all');
  const shown = filter.value;
  return (
    <section class="rows" aria-label="Rows">
      <div class="experiments-head">
        <h2>Rows</h2>
        <FilterButtons filter={filter} />
      </div>
      <Paged
        key={shown}
        open={(cursor, signal) =>
          shown === 'differ' ? differingRows(id, cursor, signal) : someRows(id, shown, cursor, signal)
        }
        refresh={refresh}
        empty={<p class="quiet">{NONE[shown]}</p>}
      >
        {(rows, isLoading) => (
          <table class="rows-table" role="table" aria-label="Rows with the outcome of each model" aria-busy={isLoading}>
            <thead role="rowgroup">
              <tr role="row">
                {['Row', 'Input', 'Expected', 'Outcomes', 'Cost'].map((head) => (
                  <th key={head} scope="col" role="columnheader">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {rows.map((row) => (
                <Row key={row.row_no} row={row} models={models} ranking={summary?.ranking} />
              ))}
            </tbody>
          </table>
        )}
      </Paged>
    </section>
  );
}

function FilterButtons({ filter }: { filter: Signal<Filter> }) {
  return (
    <div class="rows-filter" role="group" aria-label="Which rows">
      {Object.entries(FILTERS).map(([name, label]) => (
        <button
          key={name}
          type="button"
          aria-pressed={filter.value === name}
          onClick={() => {
            filter.value = name as Filter;
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

async function someRows(
  id: string,
  filter: Exclude<Filter, 'differ'>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<ExperimentRow>> {
  const { page, next } = await client()
    .experiments.rows(
      id,
      {
        limit: PAGE_SIZE,
        ...(filter !== 'all' && { state: filter }),
        ...(cursor !== undefined && { cursor: Number(cursor) }),
      },
      { signal },
    )
    .open();
  return { items: page.rows, next: next?.cursor };
}

/** The service has no such filter: pages are read until one is full. */
async function differingRows(
  id: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<ExperimentRow>> {
  const found: ExperimentRow[] = [];
  let next = cursor;
  for (
    let searched = 0;
    searched < MAX_SEARCHED_PAGES && found.length < PAGE_SIZE && (searched === 0 || next !== undefined);
    searched += 1
  ) {
    const page = await someRows(id, 'all', next, signal);
    found.push(...page.items.filter(isDiffering));
    next = page.next;
  }
  return { items: found, next };
}

function Row({
  row,
  models,
  ranking,
}: {
  row: ExperimentRow;
  models: readonly string[];
  ranking: ExperimentSummary['ranking'] | undefined;
}) {
  const { row_no: no, row_id: rowId, eval_id: evalId, input, expected, cost_usd: cost, state, error } = row;
  const outcomes = byPlace(outcomesOf(row), ranking, ({ model }) => model);
  const text = promptLine(input ?? rowId) || `Row ${no + 1}`;
  return (
    <tr role="row">
      <td role="cell" class="number rows-number">
        {no + 1}
      </td>
      <th scope="row" role="rowheader" dir="auto" title={`Row ${rowId}`}>
        {evalId === null || input === null ? text : <a href={evalPath(evalId)}>{text}</a>}
      </th>
      <td role="cell" data-label="expected" dir="auto">
        {promptLine(expected ?? '')}
      </td>
      <td role="cell">
        {outcomes.length === 0 && (
          <span class="quiet">
            {typeof error?.message === 'string' ? error.message.replace(/ The details .*/, '') : state}
          </span>
        )}
        {outcomes.map(({ model, kind, text: words }) => (
          <span key={model} class="outcome" data-kind={kind} title={model}>
            <ModelMark model={model} models={models} />
            <span class="visually-hidden"> {model}</span> <span aria-hidden="true">{SIGNS[kind]}</span> {words}
          </span>
        ))}
      </td>
      <td role="cell" class="number" data-label="cost">
        <Amount exact={cost} />
      </td>
    </tr>
  );
}
