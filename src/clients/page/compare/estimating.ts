import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { CompareError, type Estimate } from '../../client/client';
import { client, hasScope, keyInUse } from '../session';
import { requestOf } from './form-content';
import { formContent } from './form-state';

/** The state of the estimate of the form's content. */
type EstimateState =
  | { kind: 'none' }
  | { kind: 'asking'; previous: Estimate | undefined }
  | { kind: 'known'; estimate: Estimate }
  | { kind: 'failed'; error: CompareError };

const WAIT_MS = 400;
const state = signal<EstimateState>({ kind: 'none' });

/** The price of the form's content. */
export const estimateState: ReadonlySignal<EstimateState> = state;

/** Asks for the price 400 ms after the last change; an older question is given up. Gives what ends it. */
export function startEstimating(): () => void {
  let stop: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = effect(() => {
    const made = requestOf(formContent.value);
    // The free evals that are left change the price.
    void keyInUse.value?.limits.free_evals.remaining;
    clearTimeout(timer);
    stop?.abort();
    if ('problems' in made || !hasScope('compare')) {
      state.value = { kind: 'none' };
      return;
    }
    const before = state.peek();
    state.value = {
      kind: 'asking',
      previous: before.kind === 'known' ? before.estimate : before.kind === 'asking' ? before.previous : undefined,
    };
    const asked = (stop = new AbortController());
    timer = setTimeout(() => void ask(made.body, asked.signal), WAIT_MS);
  });
  return () => {
    end();
    clearTimeout(timer);
    stop?.abort();
  };
}

async function ask(body: Parameters<ReturnType<typeof client>['estimate']>[0], signal: AbortSignal): Promise<void> {
  try {
    const estimate = await client().estimate(body, { signal });
    if (!signal.aborted) state.value = { kind: 'known', estimate };
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof CompareError)) throw error;
    state.value = { kind: 'failed', error };
  }
}
