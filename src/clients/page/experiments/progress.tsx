import type { Experiment } from '../../client/client';
import { groupDigits } from '../compare/limits';

/** The rows that have ended, as a bar and in figures. */
export function Progress({
  experiment: {
    rows: { total, done, failed },
  },
}: {
  experiment: Experiment;
}) {
  return (
    <span class="experiment-progress">
      <progress aria-label="Rows that have ended" max={total} value={done + failed} />
      <span class="number">
        {groupDigits(done + failed)} of {groupDigits(total)} rows
      </span>
    </span>
  );
}
