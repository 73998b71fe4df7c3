import type { Verdict } from '../compare/evaluated';
import { numberText } from './numbers';

const SIGNS: Readonly<Record<Verdict['outcome'], string>> = { pass: '✓', fail: '✗', error: '!', skipped: '–' };
const WORDS: Readonly<Record<Verdict['outcome'], string>> = {
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
            <i aria-hidden="true">{SIGNS[outcome]}</i> {name}
          </span>
          <span class="visually-hidden"> {WORDS[outcome]}</span>
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
