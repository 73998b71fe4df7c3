import { useComputed } from '@preact/signals';
import { stateText } from '../compare/answers/figures';
import { type ModelAnswers, stepSample } from '../compare/answers/model-answers';
import { countVerdicts, verdictsOf } from '../compare/evaluated';
import type { ColumnState } from '../compare/run/run';

const SIGNS: Readonly<Record<ColumnState['phase'], string>> = {
  waiting: '…',
  writing: '…',
  ended: '',
  failed: '▲',
  lost: '–',
};

/** Switches a column from one answer of its model to another; each is labeled by its outcome. */
export function SampleSwitch({ answers }: { answers: ModelAnswers }) {
  const {
    model,
    answers: { length },
    chosen,
    shown,
  } = answers;
  const choices = useComputed(() => answers.answers.map(({ value }) => stateOf(value))).value;
  return (
    <div class="sample-switch" role="group" aria-label={`Answers of ${model}`}>
      <button
        type="button"
        class="button-icon"
        aria-label={`Previous answer of ${model}`}
        title="Previous answer: Shift S for all"
        onClick={() => stepSample(answers, -1)}
      >
        ‹
      </button>
      <label>
        <span class="visually-hidden">Answer of {model}</span>
        <select
          value={shown.value}
          onChange={(event) => {
            chosen.value = Number(event.currentTarget.value);
          }}
        >
          {choices.map((words, index) => (
            <option key={index} value={index}>
              {index + 1} of {length}
              {words}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="button-icon"
        aria-label={`Next answer of ${model}`}
        title="Next answer: S for all"
        onClick={() => stepSample(answers, 1)}
      >
        ›
      </button>
    </div>
  );
}

/** How it ended, and how many of its checks passed: such as " · ✓ 2 of 2", " · ✗ 1 of 2", " · ▲ failed". */
function stateOf(state: ColumnState): string {
  const { phase, result } = state;
  const count = countVerdicts(verdictsOf(result));
  if (phase === 'ended')
    return count === undefined ? '' : ` · ${count.passed === count.of ? '✓' : '✗'} ${count.passed} of ${count.of}`;
  return ` · ${SIGNS[phase]} ${stateText(state)}`;
}
