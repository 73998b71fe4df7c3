import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CompareError, Experiment, ExperimentRow, ExperimentSummary } from '../../client/client';
import { ModelName } from '../compare/models/model-mark';
import { promptLine } from '../history/history-lines';
import { useKeys } from '../parts/keyboard';
import { FailedLoad } from '../parts/placeholders';
import { asCompareError } from '../requests';
import { client } from '../session';
import { type MatrixRow, RowDialog, SIGNS } from './row-dialog';
import { byPlace, isEnded, outcomesOf } from './words';

/** Drawn in one task, which should not be seen. */
const PAGE_SIZE = 15;
const SHOWN_CHARACTERS = 80;
const FILTERS = { all: 'All', differing: 'Models differ', failed: 'Failed', missing: 'No answer' } as const;
type Filter = keyof typeof FILTERS;
const NONE: Readonly<Record<Filter, string>> = {
  all: 'No row has begun yet.',
  differing: 'In no row do models differ in what passed.',
  failed: 'In every row that ended, a model answered.',
  missing: 'Every model answered.',
};

/** The rows of an experiment, page by page as they come into view; those in which models differ first; judges seldom do. */
export function RowsMatrix({
  experiment: { experiment_id: id, models, state, judge },
  summary,
  refresh,
}: {
  experiment: Experiment;
  summary: ExperimentSummary | undefined;
  refresh: string;
}) {
  const filter = useSignal<Filter>(isEnded({ state }) && judge === null ? 'differing' : 'all');
  const { pages, failure, isWhole, more } = useRowPages(id, filter.value, refresh);
  return (
    <section class="rows" aria-label="Rows">
      <div class="experiments-head">
        <h2>Rows</h2>
        <FilterButtons filter={filter} />
      </div>
      <Matrix pages={pages.value} models={byPlace(models, summary?.ranking, (model) => model)} />
      {pages.value.flat().length === 0 && isWhole.value && <p class="quiet">{NONE[filter.value]}</p>}
      {failure.value !== undefined && <FailedLoad error={failure.value} onRetry={more} />}
      {pages.value.length > 0 && !isWhole.value && failure.value === undefined && (
        <More key={pages.value.length} onSeen={more} />
      )}
    </section>
  );
}

/** The pages so far; another filter begins again, and a single page is read again when `refresh` changes. */
function useRowPages(id: string, state: Filter, refresh: string) {
  const pages = useSignal<readonly (readonly ExperimentRow[])[]>([]);
  const [isWhole, failure] = [useSignal(false), useSignal<CompareError | undefined>(undefined)];
  const asked = useRef({ stop: new AbortController(), cursor: undefined as string | undefined });
  const read = async (isFirst: boolean): Promise<void> => {
    const { stop, cursor } = asked.current;
    const at = isFirst ? undefined : cursor;
    failure.value = undefined;
    try {
      const { page, next } = await client()
        .experiments.rows(
          id,
          {
            limit: PAGE_SIZE,
            ...(state !== 'all' && { state }),
            ...(at !== undefined && { cursor: Number(at) }),
          },
          { signal: stop.signal },
        )
        .open();
      if (stop.signal.aborted) return;
      asked.current.cursor = next?.cursor;
      pages.value = isFirst ? [page.rows] : [...pages.value, page.rows];
      isWhole.value = next === undefined;
    } catch (error) {
      if (!stop.signal.aborted) failure.value = asCompareError(error);
    }
  };
  useEffect(() => {
    [pages.value, isWhole.value] = [[], false];
  }, [id, state]);
  useEffect(() => {
    if (pages.value.length > 1) return undefined;
    asked.current = { stop: new AbortController(), cursor: undefined };
    void read(true);
    return () => asked.current.stop.abort(new Error('No longer shown.'));
  }, [id, state, refresh]);
  return { pages, failure, isWhole, more: () => void read(pages.value.length === 0) };
}

/** Asks for the next page when it comes into view. */
function More({ onSeen }: { onSeen: () => void }) {
  const end = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      onSeen();
    });
    if (end.current !== null) observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  return (
    <button type="button" ref={end} onClick={onSeen}>
      More rows
    </button>
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
          onClick={() => void (filter.value = name as Filter)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** Rows by models, the beginning of each answer with its outcome; a row opens with its whole answers. */
export function Matrix({ pages, models }: { pages: readonly (readonly MatrixRow[])[]; models: readonly string[] }) {
  const opened = useSignal<number | undefined>(undefined);
  const table = useRef<HTMLDivElement>(null);
  const rows = pages.flat();
  const step = (by: 1 | -1): void => {
    const heads = [...(table.current?.querySelectorAll<HTMLElement>('.matrix-open') ?? [])];
    const at = heads.findIndex((head) => head === document.activeElement);
    heads[at < 0 ? 0 : Math.min(heads.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys(useMemo(() => ({ j: () => step(1), k: () => step(-1) }), []));
  const open = useMemo(() => (no: number) => void (opened.value = no), []);
  const at = rows.findIndex(({ row_no: no }) => no === opened.value);
  const row = rows[at];
  return (
    <>
      {rows.length > 0 && (
        <div
          class="matrix"
          role="table"
          aria-label="Answers by row and model"
          ref={table}
          style={{ '--models': models.length }}
        >
          <div role="row" class="matrix-row matrix-head">
            {['Row', ...models].map((name, index) => (
              <span key={name} role="columnheader">
                {index === 0 ? name : <ModelName model={name} models={models} />}
              </span>
            ))}
          </div>
          {pages.map((page, index) => (
            <PageOfRows key={index} page={page} models={models} onOpen={open} />
          ))}
        </div>
      )}
      {row !== undefined && (
        <RowDialog
          row={row}
          models={models}
          next={rows[at + 1]?.row_no}
          onNext={open}
          onClose={() => void (opened.value = undefined)}
        />
      )}
    </>
  );
}

interface PageOfRowsProps {
  page: readonly MatrixRow[];
  models: readonly string[];
  onOpen: (rowNo: number) => void;
}

/** Drawn once for each page that was read: a further page does not draw those before it again. */
function PageOfRows({ page, models, onOpen }: PageOfRowsProps) {
  return useMemo(
    () => (
      <div role="rowgroup" class="matrix-page">
        {page.map((row) => (
          <Row key={row.row_no} row={row} models={models} onOpen={onOpen} />
        ))}
      </div>
    ),
    [page, models.join(' ')],
  );
}

function Row({ row, models, onOpen }: Omit<PageOfRowsProps, 'page'> & { row: MatrixRow }) {
  const { row_no: no, row_id: rowId, input, expected, results, error, state } = row;
  const outcomes = new Map(outcomesOf(row).map((outcome) => [outcome.model, outcome]));
  const first = results.find(({ output }) => output !== '')?.output ?? '';
  return (
    <div role="row" class="matrix-row">
      <span role="rowheader">
        <button type="button" class="matrix-open" dir="auto" title={`Row ${rowId}`} onClick={() => onOpen(no)}>
          {promptLine(input ?? rowId) || `Row ${no + 1}`}
        </button>
        {expected !== null && <span class="quiet"> → {promptLine(expected)}</span>}
      </span>
      {models.map((model) => {
        const outcome = outcomes.get(model);
        const output = results.find((result) => result.model === model)?.output ?? '';
        return (
          <span key={model} role="cell" class="outcome" data-kind={outcome?.kind} data-model={model}>
            <span aria-hidden="true">{outcome === undefined ? '' : SIGNS[outcome.kind]}</span>{' '}
            <span class="visually-hidden">{outcome?.text ?? errorText(error) ?? state} </span>
            <span class="matrix-answer" dir="auto">
              <Marked text={output.slice(0, SHOWN_CHARACTERS).toWellFormed()} beside={first} />
            </span>
          </span>
        );
      })}
    </div>
  );
}

function errorText(error: unknown): string | undefined {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message.replace(/ The details .*/, '') : undefined;
}

/** The words of a text that another one has not. */
function Marked({ text, beside }: { text: string; beside: string }) {
  if (beside.startsWith(text)) return <>{text}</>;
  const known = new Set(beside.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return (
    <>
      {text
        .split(/([\p{L}\p{N}]+)/u)
        .map((part, index) =>
          index % 2 === 1 && !known.has(part.toLowerCase()) ? <mark key={index}>{part}</mark> : part,
        )}
    </>
  );
}
