import { holm } from '../statistics/holm';
import { signFlipP } from '../statistics/paired';
import { sixDigits } from '../statistics/rounding';
import type { Steps } from '../statistics/steps';
import type { Calls } from './drift';
import type { Result } from './result.entity';

/** Fewer answers cannot show a difference at 5 %, whatever they are. */
const MIN_ANSWERS = 6;
const ALPHA = 0.05;

/** Whether a figure changed by more than luck explains. */
export interface Significance {
  /** Of the sign-flip test over the rounds that both evals answered. */
  pValue: number;
  /** The same by Holm's method over all tests of the answer. */
  pAdjusted: number;
  significant: boolean;
}

/** The tests of one model; null where nothing can be tested, and `because` says why or what was found. */
export interface DriftTests {
  significant: { latencyMs: Significance; checks: Significance | null } | null;
  because: string;
}

/** The differences of one model round by round, later minus earlier; undefined with too few answers. */
interface Differences {
  latencyMs: number[];
  checks: number[] | null;
}

/** Tests the latency and the checks of each model, given the calls in the order of the models; `seed` names the two evals, so that every read answers alike. Yields between the tests. */
export function* testDrift(models: readonly Calls[], checks: readonly string[], seed: string): Steps<DriftTests[]> {
  const differences = models.map((calls) => differencesOf(calls, checks));
  const tests: number[] = [];
  for (const [index, ofModel] of differences.entries()) if (ofModel !== undefined) tests.push(...yield* testsOf(ofModel, `${seed}|${index}`));
  const adjusted = holm(tests);
  let used = 0;
  const next = (): Significance => {
    const [p, pAdjusted] = [tests[used] ?? 1, adjusted[used] ?? 1];
    used += 1;
    return { pValue: sixDigits(p), pAdjusted: sixDigits(pAdjusted), significant: pAdjusted <= ALPHA };
  };
  return differences.map((ofModel) => (ofModel === undefined ? tooFew() : found({ latencyMs: next(), checks: ofModel.checks === null ? null : next() }, ofModel.latencyMs.length, tests.length)));
}

function* testsOf({ latencyMs, checks }: Differences, seed: string): Steps<number[]> {
  const tests = [signFlipP(latencyMs, `${seed}|latency_ms`)];
  yield;
  if (checks === null) return tests;
  tests.push(signFlipP(checks, `${seed}|checks`));
  yield;
  return tests;
}

function differencesOf({ before, after }: Calls, checks: readonly string[]): Differences | undefined {
  const rounds = before.flatMap((earlier, sample) => {
    const later = after[sample];
    return later !== undefined && earlier.error === null && later.error === null ? [{ earlier, later }] : [];
  });
  if (rounds.length < MIN_ANSWERS) return undefined;
  return {
    // Of logarithms, because latencies differ by factors; a millisecond is the least that is measured.
    latencyMs: rounds.map(({ earlier, later }) => Math.log(Math.max(1, later.latencyMs)) - Math.log(Math.max(1, earlier.latencyMs))),
    checks: checks.length === 0 ? null : rounds.map(({ earlier, later }) => Number(passes(later, checks)) - Number(passes(earlier, checks))),
  };
}

function passes({ checks: verdicts }: Result, checks: readonly string[]): boolean {
  return verdicts?.every(({ name, outcome }) => !checks.includes(name) || outcome === 'pass') ?? false;
}

function tooFew(): DriftTests {
  return { significant: null, because: `One answer cannot tell a change from luck; both evals need at least ${MIN_ANSWERS} samples that the model answered.` };
}

/** Rounds without which no difference, however large, passes so many tests at once: of n rounds, the least p-value is 2 in 2^n. */
function roundsNeeded(tests: number): number {
  return Math.ceil(1 + Math.log2(tests / ALPHA));
}

function found(significant: NonNullable<DriftTests['significant']>, rounds: number, tests: number): DriftTests {
  const { latencyMs, checks } = significant;
  const changed = [...(latencyMs.significant ? ['latency'] : []), ...(checks?.significant === true ? ['checks'] : [])];
  if (changed.length === 0 && rounds < roundsNeeded(tests)) return { significant, because: `No change, however large, can be told from luck by ${rounds} rounds when ${tests} tests are made at once; that takes at least ${roundsNeeded(tests)}.` };
  const because = changed.length === 0
    ? 'No change of latency or checks is larger than luck explains; that does not mean that there is none.'
    : `The change of ${changed.join(' and ')} is larger than luck explains (5 % over all tests of this answer).`;
  return { significant, because };
}
