import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CompareError } from '../client/client';

/** The state of a request: waiting, loaded or failed. */
type Loaded<T> = { kind: 'loading' } | { kind: 'loaded'; value: T } | { kind: 'failed'; error: CompareError };

/**
 * Asks the service when the component is shown and whenever one of `about` changes; the question before is then
 * aborted. `retry` asks again.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  about: readonly unknown[],
): { state: ReadonlySignal<Loaded<T>>; retry: () => void } {
  const state = useSignal<Loaded<T>>({ kind: 'loading' });
  const turn = useSignal(0);
  useEffect(() => {
    const stop = new AbortController();
    state.value = { kind: 'loading' };
    void follow(load(stop.signal), (loaded) => {
      if (!stop.signal.aborted) state.value = loaded;
    });
    return () => stop.abort(new Error('No longer asked for.'));
  }, [...about, turn.value]);
  return {
    state,
    retry: () => {
      turn.value += 1;
    },
  };
}

async function follow<T>(answer: Promise<T>, show: (loaded: Loaded<T>) => void): Promise<void> {
  try {
    show({ kind: 'loaded', value: await answer });
  } catch (error) {
    show({ kind: 'failed', error: asCompareError(error) });
  }
}

/** A failure to show: also what an answer of another version did to the page. */
export function asCompareError(error: unknown): CompareError {
  return error instanceof CompareError
    ? error
    : new CompareError('The answer of the service could not be shown.', { code: 'unexpected_answer', cause: error });
}

/**
 * Runs an action. Returns the message of its failure, or an empty text; `missing` stands for the message of an answer
 * 404.
 */
export async function problemOf(action: () => Promise<unknown>, missing?: string): Promise<string> {
  try {
    await action();
    return '';
  } catch (error) {
    if (!(error instanceof CompareError)) throw error;
    return error.status === 404 && missing !== undefined ? missing : error.message;
  }
}
