import type { ReadonlySignal } from '@preact/signals';
import type { Eval } from '../../client/client';
import type { ColumnState } from './run';
import { summaryOf } from './summary';
import { useColumnStates } from './use-column-states';

interface SummaryLineProps {
  columns: readonly ReadonlySignal<ColumnState>[];
  stored: Eval | undefined;
  /** Brings an answer into view, by its position from 0. */
  onGoTo: (position: number) => void;
}

/** The result of the run in one line. A failure in a hidden column is named here, with a link to the column. */
export function SummaryLine({ columns, stored, onGoTo }: SummaryLineProps) {
  const { count, failed, cost, charge, duration } = summaryOf(useColumnStates(columns), stored);
  const [firstFailed] = failed;
  return (
    <p class="summary-figures">
      <span>
        {count}
        {!count.endsWith('so far') && <span class="summary-word"> answered</span>}
      </span>
      {firstFailed !== undefined && (
        <button type="button" class="summary-failed" onClick={() => onGoTo(firstFailed)}>
          <i aria-hidden="true">▲</i> {failed.length} failed ›
        </button>
      )}
      {cost !== undefined && (
        <span>
          {cost.text.startsWith('$') && <span class="summary-word">cost </span>}
          <span title={cost.title}>{cost.text}</span>
        </span>
      )}
      {charge !== undefined && <span title={charge.title}>{charge.text}</span>}
      {duration !== undefined && <span class="summary-duration">{duration}</span>}
    </p>
  );
}
