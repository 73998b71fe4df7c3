import { useComputed } from '@preact/signals';
import { Elapsed } from './elapsed';
import { overallPhase, type ModelAnswers } from './model-answers';
import { isOpen, type ColumnState } from './run';
import { stateText } from './summary';

const SIGNS: Readonly<Record<ColumnState['phase'], string>> = { waiting: '…', writing: '…', ended: '✓', failed: '▲', lost: '–' };

interface AnswerStripProps {
  models: readonly ModelAnswers[];
  startedAt: number | undefined;
  /** The number of the answer that is in view. */
  current: number;
  onGoTo: (number: number) => void;
}

/** One short line for each model, for screens that do not show all columns: shows its state and links to its column. */
export function AnswerStrip({ models, startedAt, current, onGoTo }: AnswerStripProps) {
  return (
    <nav class="answer-strip" aria-label="Answers">
      {models.map((answers, index) => <StripItem key={index} answers={answers} startedAt={startedAt} isCurrent={current === index + 1} onGoTo={() => onGoTo(index + 1)} />)}
    </nav>
  );
}

function StripItem({ answers: { model, answers }, startedAt, isCurrent, onGoTo }: { answers: ModelAnswers; startedAt: number | undefined; isCurrent: boolean; onGoTo: () => void }) {
  const phase = useComputed(() => overallPhase(answers.map(({ value }) => value))).value;
  const ended = useComputed(() => answers.filter(({ value }) => value.phase === 'ended').length).value;
  const states = answers.map((answer) => answer.peek());
  const [only] = states;
  const text = states.length === 1 && only !== undefined ? stateText(only) : `${ended} of ${states.length}`;
  return (
    <button type="button" class="strip-item" data-phase={phase} aria-current={isCurrent ? 'true' : undefined} onClick={onGoTo}>
      <span class="strip-model">{model}</span>{' '}
      <span class="strip-state"><i aria-hidden="true">{SIGNS[phase]}</i> {startedAt !== undefined && isOpen({ phase }) && states.length === 1 ? <Elapsed since={startedAt} /> : text}</span>
    </button>
  );
}
