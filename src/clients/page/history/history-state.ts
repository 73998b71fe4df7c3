import { batch, signal } from '@preact/signals';
import { CompareError, type EvalPage, type EvalSummary, type ModelComparison, type Pages } from '../../client/client';
import { pluralize } from '../compare/limits';
import { announce } from '../parts/notices';
import { problemOf } from '../requests';
import { client } from '../session';

/** The search. */
interface HistoryQuery {
  text: string;
  model: string;
  /** True for evals with a star only. */
  starred: boolean;
}

const PAGE_SIZE = 100;
const EMPTY: HistoryQuery = { text: '', model: '', starred: false };

/** The search; kept while other screens are shown. */
export const query = signal<HistoryQuery>(EMPTY);
/** The search that found the shown evals. */
export const answeredQuery = signal<HistoryQuery>(EMPTY);
/** The evals found so far, newest first; undefined before the first answer. */
export const lines = signal<readonly EvalSummary[] | undefined>(undefined);
/** The cursor of the next page; undefined after the last. */
export const nextPage = signal<Pages<EvalPage, EvalSummary> | undefined>(undefined);
export const isLoading = signal(false);
export const failure = signal<CompareError | undefined>(undefined);

let stop = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;
let owner: ModelComparison | undefined;

/** True during a search, so that an empty list does not mean an empty history. */
export function isSearch({ text, model, starred }: HistoryQuery): boolean {
  return text !== '' || model !== '' || starred;
}

/**
 * Changes what is looked for, and asks for it after a pause in which it may change again. What is shown is out of date
 * from now on.
 */
export function search(part: Partial<HistoryQuery>, afterMs: number): void {
  stop.abort(new Error('Another search has begun.'));
  batch(() => {
    query.value = { ...query.value, ...part };
    isLoading.value = true;
  });
  clearTimeout(timer);
  timer = setTimeout(() => void reload(), afterMs);
}

/** Asks for the newest evals that are looked for. What belonged to another key is forgotten. */
export async function reload(): Promise<void> {
  if (owner !== client()) {
    owner = client();
    batch(() => {
      query.value = EMPTY;
      lines.value = undefined;
      nextPage.value = undefined;
    });
  }
  const asked = query.value;
  clearTimeout(timer);
  stop.abort(new Error('Another search has begun.'));
  stop = new AbortController();
  await ask(found(owner, asked, stop.signal), asked, []);
}

/** All evals of a search, one page at a time. */
export function found(
  by: ModelComparison,
  { text, model, starred }: HistoryQuery,
  signal: AbortSignal,
): Pages<EvalPage, EvalSummary> {
  return by.evals.list(
    {
      details: true,
      note: true,
      limit: PAGE_SIZE,
      ...(text !== '' && { q: text }),
      ...(model !== '' && { model }),
      ...(starred && { starred }),
    },
    { signal },
  );
}

/** Sets or takes the star of a shown eval; returns an error in words. */
export function toggleStar({ eval_id: id, starred = false }: EvalSummary): Promise<string> {
  return problemOf(async () => {
    const kept = await client().evals.annotate(id, { starred: !starred });
    lines.value = lines.value?.map((line) => (line.eval_id === id ? { ...line, ...kept } : line));
    announce(kept.starred ? 'Starred' : 'The star was taken');
  }, 'This eval was erased.');
}

/** Asks for what comes after the evals that are shown. */
export async function loadMore(): Promise<void> {
  if (nextPage.value !== undefined && !isLoading.value)
    await ask(nextPage.value, answeredQuery.value, lines.value ?? []);
}

async function ask(
  pages: Pages<EvalPage, EvalSummary>,
  about: HistoryQuery,
  before: readonly EvalSummary[],
): Promise<void> {
  const { signal: aborted } = stop;
  batch(() => {
    isLoading.value = true;
    failure.value = undefined;
  });
  try {
    const { page, next } = await pages.open();
    if (aborted.aborted) return;
    const found = [...before, ...page.evals];
    batch(() => {
      lines.value = found;
      nextPage.value = next;
      answeredQuery.value = about;
      isLoading.value = false;
    });
    announce(`${pluralize(found.length, 'eval')}${next === undefined ? '' : ', and more to come'}`);
  } catch (error) {
    if (aborted.aborted) return;
    if (!(error instanceof CompareError)) throw error;
    batch(() => {
      failure.value = error;
      isLoading.value = false;
    });
  }
}
