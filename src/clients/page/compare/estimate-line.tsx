import type { Estimate } from '../../client/client';
import { estimateText } from './estimate';
import { estimateState } from './estimating';
import { samples } from './form-state';
import { areChosenFree } from './models-list';
import { withFormLabels } from './refusal';

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
