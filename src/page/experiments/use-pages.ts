import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CompareError } from '../../client/client';
import { useLoaded } from '../use-loaded';

/** The latest answer, which stays while the next one is awaited. */
export interface Latest<T> {
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
  return { value: last.current, error: loaded.kind === 'failed' ? loaded.error : undefined, isLoading: loaded.kind === 'loading', retry };
}

/** One page of a list, and the cursor of the next one. */
export interface ListPage<T> {
  items: readonly T[];
  next: string | undefined;
}

/** A list that is shown page by page. */
export interface ShownPages<T> extends Latest<ListPage<T>> {
  number: number;
  /** Undefined on the first page, and on the last. */
  previous: (() => void) | undefined;
  following: (() => void) | undefined;
}

/** One page of a list at a time, with ways to the next and back. Changes of `list` begin at the first page; changes of `refresh` ask for the shown page again. */
export function usePages<T>(open: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<T>>, list: string, refresh = ''): ShownPages<T> {
  const shown = useSignal<{ list: string; cursors: readonly (string | undefined)[] }>({ list, cursors: [undefined] });
  const cursors = shown.value.list === list ? shown.value.cursors : [undefined];
  const latest = useLatest((signal) => open(cursors.at(-1), signal), [list, cursors.at(-1), refresh]);
  const next = latest.value?.next;
  return {
    ...latest,
    number: cursors.length,
    previous: cursors.length > 1 ? () => { shown.value = { list, cursors: cursors.slice(0, -1) }; } : undefined,
    following: next !== undefined ? () => { shown.value = { list, cursors: [...cursors, next] }; } : undefined,
  };
}

/** A value that changes at most once in so many milliseconds; its latest change is never lost. */
export function useThrottled<T>(value: T, ms: number): T {
  const shown = useSignal(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  latest.current = value;
  useEffect(() => {
    if (value === shown.peek()) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      shown.value = latest.current;
    }, ms);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return shown.value;
}
