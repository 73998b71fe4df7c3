import { batch, signal } from '@preact/signals';
import { CompareError, type EvalPage, type EvalSummary, type ModelComparison, type Pages } from '../../client/client';
import { client } from '../session';
import { announce } from '../parts/status-line';

/** The search. */
interface HistoryQuery {
  text: string;
  model: string;
}

const PAGE_SIZE = 100;
const EMPTY: HistoryQuery = { text: '', model: '' };

/** The search; kept while other screens are shown. */
export const query = signal<HistoryQuery>(EMPTY);
/** The search that found the shown evals. */
export const answered = signal<HistoryQuery>(EMPTY);
/** The evals found so far, newest first; undefined before the first answer. */
export const lines = signal<readonly EvalSummary[] | undefined>(undefined);
/** The cursor of the next page; undefined after the last. */
export const rest = signal<Pages<EvalPage, EvalSummary> | undefined>(undefined);
export const isLoading = signal(false);
export const failure = signal<CompareError | undefined>(undefined);

let stop = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;
let owner: ModelComparison | undefined;

/** True during a search, so that an empty list does not mean an empty history. */
export function isSearch({ text, model }: HistoryQuery): boolean {
  return text !== '' || model !== '';
}

/** Changes what is looked for, and asks for it after a pause in which it may change again. What is shown is out of date from now on. */
export function search(part: Partial<HistoryQuery>, afterMs: number): void {
  stop.abort(new Error('Another search has begun.'));
  batch(() => { query.value = { ...query.value, ...part }; isLoading.value = true; });
  clearTimeout(timer);
  timer = setTimeout(() => void reload(), afterMs);
}

/** Asks for the newest evals that are looked for. What belonged to another key is forgotten. */
export async function reload(): Promise<void> {
  if (owner !== client()) {
    owner = client();
    batch(() => { query.value = EMPTY; lines.value = undefined; rest.value = undefined; });
  }
  const { text, model } = query.value;
  clearTimeout(timer);
  stop.abort(new Error('Another search has begun.'));
  stop = new AbortController();
  await ask(owner.evals.list({ details: true, limit: PAGE_SIZE, ...(text !== '' && { q: text }), ...(model !== '' && { model }) }, { signal: stop.signal }), { text, model }, []);
}

/** Asks for what comes after the evals that are shown. */
export async function goOn(): Promise<void> {
  if (rest.value !== undefined && !isLoading.value) await ask(rest.value, answered.value, lines.value ?? []);
}

async function ask(pages: Pages<EvalPage, EvalSummary>, about: HistoryQuery, before: readonly EvalSummary[]): Promise<void> {
  const { signal: aborted } = stop;
  batch(() => { isLoading.value = true; failure.value = undefined; });
  try {
    const { page, next } = await pages.open();
    if (aborted.aborted) return;
    const found = [...before, ...page.evals];
    batch(() => { lines.value = found; rest.value = next; answered.value = about; isLoading.value = false; });
    announce(`${found.length} ${found.length === 1 ? 'eval' : 'evals'}${next === undefined ? '' : ', and more to come'}`);
  } catch (error) {
    if (aborted.aborted) return;
    if (!(error instanceof CompareError)) throw error;
    batch(() => { failure.value = error; isLoading.value = false; });
  }
}
