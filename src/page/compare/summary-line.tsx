import { useSignal, type ReadonlySignal } from '@preact/signals';
import { toApiJson } from '../../client/amount-text';
import type { Eval } from '../../client/client';
import { prefs, setPrefs } from '../prefs';
import { evalPath } from '../routes';
import type { AnswerActions } from './answer-actions';
import { CopyButton } from './copy-button';
import type { ColumnState } from './run';
import { ShareDialog } from './share-parts';
import { summaryOf, withoutDetails } from './summary';
import { useColumnStates } from './use-column-states';

interface SummaryLineProps {
  columns: readonly ReadonlySignal<ColumnState>[];
  stored: Eval | undefined;
  actions: AnswerActions;
  isShared: boolean;
  /** Brings an answer into view, by its position from 0. */
  onGoTo: (position: number) => void;
}

/** The result of the run in one line, and its actions. A failure in a hidden column is named here, with a link to the column. */
export function SummaryLine({ columns, stored, actions, isShared, onGoTo }: SummaryLineProps) {
  const { count, failed, cost, charge, duration } = summaryOf(useColumnStates(columns), stored);
  const [firstFailed] = failed;
  return (
    <div class="summary">
      <p class="summary-figures">
        <span>{count}</span>
        {firstFailed !== undefined && <button type="button" class="summary-failed" onClick={() => onGoTo(firstFailed)}><i aria-hidden="true">▲</i> {failed.length} failed ›</button>}
        {cost !== undefined && <span title={cost.title}>{cost.text}</span>}
        {charge !== undefined && <span title={charge.title}>{charge.text}</span>}
        {duration !== undefined && <span class="summary-duration">{duration}</span>}
      </p>
      {stored !== undefined && !isShared && <EvalActions stored={stored} actions={actions} />}
    </div>
  );
}

function EvalActions({ stored, actions }: { stored: Eval; actions: AnswerActions }) {
  const isSharing = useSignal(false);
  return (
    <div class="summary-actions">
      <CopyButton text={() => `${location.origin}${evalPath(stored.eval_id)}`} what="Link" title="Copy the address of this eval">Link</CopyButton>
      <button type="button" class="button-quiet" title="Create a link for people without a key" onClick={() => { isSharing.value = true; }}>Share</button>
      <CopyButton text={() => toApiJson(withoutDetails(stored), 2)} what="JSON" title="Copy the JSON of this eval">Copy</CopyButton>
      {actions.again !== undefined && <button type="button" class="button-quiet" title="Send the same request again" onClick={actions.again}>Again</button>}
      {isSharing.value && <ShareDialog evalId={stored.eval_id} onClose={() => { isSharing.value = false; }} />}
    </div>
  );
}

/** Text or formatted, for all answers. */
export function FormatChoice() {
  const { formatted } = prefs.value;
  return (
    <div class="format-choice" role="group" aria-label="Show answers as">
      <button type="button" aria-pressed={!formatted} onClick={() => setPrefs({ formatted: false })}>Text</button>
      <button type="button" aria-pressed={formatted} onClick={() => setPrefs({ formatted: true })}>Formatted</button>
    </div>
  );
}
