import { useComputed, type ReadonlySignal } from '@preact/signals';
import { Elapsed } from './elapsed';
import { isOpen, type ColumnState } from './run';
import { stateText } from './summary';

const SIGNS: Readonly<Record<ColumnState['phase'], string>> = { waiting: '…', writing: '…', ended: '✓', failed: '▲', lost: '–' };

interface AnswerStripProps {
  columns: readonly ReadonlySignal<ColumnState>[];
  startedAt: number | undefined;
  /** The number of the answer that is in view. */
  current: number;
  onGoTo: (number: number) => void;
}

/** One short line a model, for where not all columns are in sight: tells how each one does and leads there. */
export function AnswerStrip({ columns, startedAt, current, onGoTo }: AnswerStripProps) {
  return (
    <nav class="answer-strip" aria-label="Answers">
      {columns.map((column, index) => <StripItem key={index} column={column} startedAt={startedAt} isCurrent={current === index + 1} onGoTo={() => onGoTo(index + 1)} />)}
    </nav>
  );
}

function StripItem({ column, startedAt, isCurrent, onGoTo }: { column: ReadonlySignal<ColumnState>; startedAt: number | undefined; isCurrent: boolean; onGoTo: () => void }) {
  const phase = useComputed(() => column.value.phase).value;
  return (
    <button type="button" class="strip-item" data-phase={phase} aria-current={isCurrent ? 'true' : undefined} onClick={onGoTo}>
      <span class="strip-model">{column.peek().model}</span>{' '}
      <span class="strip-state"><i aria-hidden="true">{SIGNS[phase]}</i> {startedAt !== undefined && isOpen({ phase }) ? <Elapsed since={startedAt} /> : stateText(column.peek())}</span>
    </button>
  );
}
