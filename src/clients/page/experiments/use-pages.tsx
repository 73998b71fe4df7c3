import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { CompareError } from '../../client/client';
import { newIdempotencyKey } from '../../client/compare-call';
import { Skeleton } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { useLoaded } from '../requests';

/** The latest answer, which stays while the next one is awaited. */
interface Latest<T> {
  value: T | undefined;
  error: CompareError | undefined;
  isLoading: boolean;
  retry: () => void;
}

/** Asks whenever one of `about` changes, and keeps the answer before until the next one is there. */
export function useLatest<T>(load: (signal: AbortSignal) => Promise<T>, about: readonly unknown[]): Latest<T> {
  const { state, retry } = useLoaded(load, about);
  const last = useRef<T | undefined>(undefined);
  const loaded = state.value;
  if (loaded.kind === 'loaded') last.current = loaded.value;
  return {
    value: last.current,
    error: loaded.kind === 'failed' ? loaded.error : undefined,
    isLoading: loaded.kind === 'loading',
    retry,
  };
}

/** A key for each body: the same one again, after an answer that was lost, must not start a second experiment. */
export function useIdempotencyKey(): (body: object) => string {
  const sent = useRef({ text: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (sent.current.text !== text) sent.current = { text, key: newIdempotencyKey() };
    return sent.current.key;
  };
}

/** One page of a list, and the cursor of the next one. */
export interface ListPage<T> {
  items: readonly T[];
  next: string | undefined;
}

interface PagedProps<T> {
  open: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<T>>;
  /** Asks for the shown page again when it changes. */
  refresh?: string;
  /** In place of an empty list. */
  empty: ComponentChildren;
  children: (items: readonly T[], isLoading: boolean) => ComponentChildren;
}

/** A list, one page at a time. For another list, give it another key. */
export function Paged<T>({ open, refresh, empty, children }: PagedProps<T>) {
  const cursors = useSignal<readonly (string | undefined)[]>([undefined]);
  const shown = cursors.value;
  const { value, error, isLoading, retry } = useLatest(
    async (signal) => ({ ...(await open(shown.at(-1), signal)), cursors: shown }),
    [shown, refresh],
  );
  const { length } = shown;
  const next = value?.next;
  const back = (): void => {
    if (length > 1) cursors.value = shown.slice(0, -1);
  };
  // A page that is only asked for again leads on; the one before an awaited page does not.
  const on = (): void => {
    if (next !== undefined && value?.cursors === shown) cursors.value = [...shown, next];
  };
  return (
    <>
      {error !== undefined && <FailedLoad error={error} onRetry={retry} />}
      {value === undefined && error === undefined && <Skeleton lines={6} />}
      {value !== undefined && (value.items.length === 0 ? empty : children(value.items, isLoading))}
      {(length > 1 || next !== undefined) && (
        <nav class="pager" aria-label="Pages">
          <button type="button" aria-disabled={length === 1} onClick={back}>
            ‹ Previous page
          </button>
          <span class="quiet number">Page {length}</span>
          <button type="button" aria-disabled={next === undefined} onClick={on}>
            Next page ›
          </button>
        </nav>
      )}
    </>
  );
}
