import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { CompareError, type Estimate } from '../../../client/client';
import { client, hasScope, keyInUse } from '../../session';
import { areChosenFree } from '../models/model-list';
import { estimateText } from './estimate';
import { requestOf } from './form-content';
import { formContent, samples } from './form-state';
import { withFormLabels } from './refusal';

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

/** The price of the run, before it is started. */
export function EstimateLine() {
  const state = estimateState.value;
  switch (state.kind) {
    case 'none':
      return <p class="estimate quiet">You see the price here before you run.</p>;
    case 'known':
      return <KnownEstimate estimate={state.estimate} />;
    case 'asking':
      return state.previous === undefined ? (
        <p class="estimate quiet">Estimating the price …</p>
      ) : (
        <KnownEstimate estimate={state.previous} isOld />
      );
    case 'failed':
      return <p class="estimate quiet">No estimate: {withFormLabels(state.error.message)}</p>;
  }
}

function KnownEstimate({ estimate, isOld = false }: { estimate: Estimate; isOld?: boolean }) {
  const { text, title, warning } = estimateText(estimate, areChosenFree.value, Number(samples.value) || 1);
  return (
    <>
      <p class="estimate" data-old={isOld} title={title}>
        {text}
      </p>
      {warning !== undefined && (
        <p class="estimate-warning">
          <i aria-hidden="true">⚠</i> {warning}
        </p>
      )}
    </>
  );
}
