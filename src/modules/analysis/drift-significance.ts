import { fisherP, leastFisherP, type Successes } from '../statistics/fisher';
import { holm } from '../statistics/holm';
import { sixDigits } from '../statistics/rounding';
import { checkedAs } from './checked-as';
import { bothOf, type Calls } from './drift';
import { leadable } from '../evals/ranking';
import type { Result } from '../evals/result.entity';

const ALPHA = 0.05;
const LATENCY =
  'Latency is shown without a test: two evals are two moments. Compare evals of several nights to see if a model became slower.';

/**
 * A test that a share changed by more than luck explains: the p-value of Fisher's exact test, and the same by Holm's
 * method over all tests of the answer.
 */
export interface Significance {
  pValue: number;
  pAdjusted: number;
  significant: boolean;
}

/** The tests of one model; null where nothing can be tested, and `because` says why or what was found. */
export interface DriftTests {
  significant: Record<Kind, Significance | null> | null;
  because: string;
}

type Kind = 'answered' | 'checks';
const IN_WORDS: Record<Kind, string> = { answered: 'answered calls', checks: 'passed checks' };

interface Share {
  kind: Kind;
  before: Successes;
  after: Successes;
}

/**
 * Tests the shares of calls that answered and of answers that passed the checks, given the calls in the order of the
 * models.
 */
export function testDrift(models: readonly Calls[], checks: readonly string[]): DriftTests[] {
  const shares = models.map((calls) => sharesOf(calls, checks));
  // A share that is 0 or 1 in both evals cannot differ, so it is no chance of a false alarm.
  const varying = shares
    .flat()
    .filter(
      ({ before, after }) => before.passed + after.passed > 0 && before.passed + after.passed < before.of + after.of,
    );
  const adjusted = new Map(
    holm(varying.map(({ before, after }) => fisherP(before, after))).map((p, index) => [varying[index], p]),
  );
  return shares.map((ofModel, index) => {
    const tests = ofModel.map((share) => ({ kind: share.kind, test: significanceOf(share, adjusted.get(share)) }));
    const of = (wanted: Kind) => tests.find(({ kind }) => kind === wanted)?.test ?? null;
    const calls = models[index] ?? { before: [], after: [] };
    return {
      significant: tests.length === 0 ? null : { answered: of('answered'), checks: of('checks') },
      because: [...absencesOf(calls, checks), resultOf(ofModel, tests, varying.length, calls), LATENCY].join(' '),
    };
  });
}

function significanceOf({ before, after }: Share, pAdjusted = 1): Significance {
  return {
    pValue: sixDigits(fisherP(before, after)),
    pAdjusted: sixDigits(pAdjusted),
    significant: pAdjusted <= ALPHA,
  };
}

/** Those in which a difference could show at 5 %. */
function sharesOf(calls: Calls, checks: readonly string[]): Share[] {
  const share = (kind: Kind, of: (results: readonly Result[]) => boolean[]): Share => ({
    kind,
    ...bothOf(calls, (results) => {
      const passed = of(results);
      return { passed: passed.filter(Boolean).length, of: passed.length };
    }),
  });
  const passes = (results: readonly Result[]) =>
    results
      .map((result) => outcomeOf(result, checks))
      .filter((outcome) => outcome !== undefined && outcome !== 'errored')
      .map((outcome) => outcome === 'passed');
  const all = [
    share('answered', (results) => results.map(({ error }) => error === null)),
    ...(checks.length > 0 ? [share('checks', passes)] : []),
  ];
  return all.filter((one) => leastP(one) <= ALPHA);
}

/** Undefined for a failed call. */
function outcomeOf(
  { error, checks: verdicts }: Result,
  checks: readonly string[],
): ReturnType<typeof checkedAs> | undefined {
  return error === null ? checkedAs(verdicts?.filter(({ name }) => checks.includes(name)) ?? []) : undefined;
}

function leastP({ before, after }: Share): number {
  return leastFisherP(before.of, after.of);
}

/** The calls of both evals that are missing in the figures, in words. */
function absencesOf({ before, after }: Calls, checks: readonly string[]): string[] {
  const leading = new Set(leadable([...before, ...after]));
  const missing: [string, (result: Result) => boolean][] = [
    ['failed', ({ error }) => error !== null],
    [
      'had no text and do not count in latency, cost and tokens',
      (result) => result.error === null && !leading.has(result),
    ],
    ['could not be decided by the checks', (result) => outcomeOf(result, checks) === 'errored'],
  ];
  return missing
    .filter(([, is]) => [...before, ...after].some(is))
    .map(
      ([words, is]) =>
        `${before.filter(is).length} of ${before.length} ${words} before, ${after.filter(is).length} of ${after.length} after.`,
    );
}

function resultOf(
  shares: readonly Share[],
  tests: readonly { kind: Kind; test: Significance }[],
  count: number,
  { before, after }: Calls,
): string {
  const list = (found: typeof tests) => found.map(({ kind }) => IN_WORDS[kind]).join(' and ');
  const changed = tests.filter(({ test }) => test.significant);
  if (changed.length > 0)
    return `The change of ${list(changed)} is larger than luck explains (5 % over all tests of this answer).`;
  if (shares.every((share) => leastP(share) * count > ALPHA))
    return `${before.length * after.length === 1 ? 'One answer' : 'So few answers'} cannot tell a change from luck${count > 1 ? ` when ${count} tests are made at once` : ''}; that takes at least ${callsNeeded(count)} of each eval.`;
  return `No change of ${list(tests)} is larger than luck explains; that does not mean that there is none.`;
}

/** The calls of each eval that the largest difference takes to show in this number of tests at once. */
function callsNeeded(tests: number): number {
  let calls = 1;
  while (leastFisherP(calls, calls) * Math.max(1, tests) > ALPHA) calls += 1;
  return calls;
}
