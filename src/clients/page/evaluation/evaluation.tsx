import { useComputed } from '@preact/signals';
import { stateText } from '../compare/answers/figures';
import { type ModelAnswers, stepSample } from '../compare/answers/model-answers';
import { countVerdicts, type Verdict, verdictsOf } from '../compare/evaluated';
import type { ColumnState } from '../compare/run/run';
import { numberText } from './numbers';

// The code for checks, samples, statistics and agreement is one chunk: they are usually needed together.
export { Agreement } from './agreement';
export { CheckEditor } from './check-editor';
export { EvaluationSummary } from './evaluation-summary';
export { Help } from './help';
export { TurnEditor } from '../compare/form/turn-editor';

const OUTCOME_SIGNS: Readonly<Record<Verdict['outcome'], string>> = { pass: '✓', fail: '✗', error: '!', skipped: '–' };
const OUTCOME_WORDS: Readonly<Record<Verdict['outcome'], string>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'could not be decided',
  skipped: 'skipped: there was no answer',
};

/** The number of shown verdicts before the rest is folded away, while all passed. */
const MAX_UNFOLDED = 4;

/** The verdict of each check on an answer, with the reason of a failure. */
export function Verdicts({ verdicts }: { verdicts: readonly Verdict[] }) {
  // The failure below says why there is nothing to look at.
  if (verdicts.every(({ outcome }) => outcome === 'skipped')) return null;
  const isGood = verdicts.every(({ outcome }) => outcome === 'pass');
  if (!isGood || verdicts.length <= MAX_UNFOLDED) return <VerdictList verdicts={verdicts} />;
  return (
    <details class="verdicts-fold">
      <summary>All {verdicts.length} checks passed</summary>
      <VerdictList verdicts={verdicts} />
    </details>
  );
}

function VerdictList({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul class="verdicts" aria-label="Checks">
      {verdicts.map(({ name, type, outcome, score, reason }) => (
        <li key={name} class="verdict" data-outcome={outcome} title={type}>
          <span class="verdict-name">
            <i aria-hidden="true">{OUTCOME_SIGNS[outcome]}</i> {name}
          </span>
          <span class="visually-hidden"> {OUTCOME_WORDS[outcome]}</span>
          {type === 'similarity' && outcome === 'pass' && score !== undefined && (
            <span class="quiet"> {numberText(score)}</span>
          )}
          {outcome !== 'pass' && outcome !== 'skipped' && reason !== undefined && (
            <span class="verdict-reason"> {reason}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

const PHASE_SIGNS: Readonly<Record<ColumnState['phase'], string>> = {
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
  return ` · ${PHASE_SIGNS[phase]} ${stateText(state)}`;
}
