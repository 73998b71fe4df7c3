/** The verdict of a check on one answer. */
export interface Verdict {
  name: string;
  type: string;
  /** `error` could not be decided, `skipped` had no answer to look at. */
  outcome: 'pass' | 'fail' | 'error' | 'skipped';
  score: number | undefined;
  reason: string | undefined;
}

/** How many of the decided ones passed. */
export interface PassedCount {
  passed: number;
  of: number;
}

const OUTCOMES: readonly unknown[] = ['pass', 'fail', 'error', 'skipped'];
/** The service takes no more of one model. */
const MAX_SAMPLES = 200;

/** How often a request, or the options of an eval, ask each model. */
export function samplesOf(options: unknown): number {
  const { samples } = factsOf(options);
  return typeof samples === 'number' && Number.isInteger(samples) && samples >= 1 && samples <= MAX_SAMPLES
    ? samples
    : 1;
}

/** The additional parts of the eval that a request asks for; other parts are not computed. */
export function inclusionsOf(request: unknown): { details: true; checks?: true; statistics?: true } {
  const { options, checks } = factsOf(request);
  return {
    details: true,
    ...(Array.isArray(checks) && { checks: true }),
    ...(samplesOf(options) > 1 && { statistics: true }),
  };
}

/** The definitions of the checks of an eval; none where it had none, or they were not asked for. */
export function definitionsOf(stored: unknown): readonly unknown[] {
  const { definitions } = factsOf(factsOf(stored)['checks']);
  return Array.isArray(definitions) ? definitions : [];
}

/** The verdicts on an answer, as far as they can be read. */
export function verdictsOf(result: unknown): Verdict[] {
  const { checks } = factsOf(result);
  if (!Array.isArray(checks)) return [];
  return checks.flatMap((check: unknown) => {
    const { name, type, outcome, score, reason } = factsOf(check);
    if (typeof name !== 'string' || !OUTCOMES.includes(outcome)) return [];
    return [
      {
        name,
        type: typeof type === 'string' ? type : '',
        outcome: outcome as Verdict['outcome'],
        score: typeof score === 'number' ? score : undefined,
        reason: typeof reason === 'string' ? reason : undefined,
      },
    ];
  });
}

/** Counts verdicts; undefined where there are none, or all were skipped. */
export function countVerdicts(verdicts: readonly Verdict[]): PassedCount | undefined {
  const decided = verdicts.filter(({ outcome }) => outcome !== 'skipped');
  const passed = decided.filter(({ outcome }) => outcome === 'pass').length;
  return decided.length === 0 ? undefined : { passed, of: decided.length };
}

/** How many answers passed all their checks, of the decided answers; undefined where there are none. */
export function countPassed(results: readonly unknown[]): PassedCount | undefined {
  const outcomes = results.map((result) => verdictsOf(result).map(({ outcome }) => outcome));
  const passed = outcomes.filter(
    (each) => each.includes('pass') && !each.some((outcome) => outcome === 'fail' || outcome === 'error'),
  ).length;
  const of = passed + outcomes.filter((each) => each.includes('fail')).length;
  return of === 0 ? undefined : { passed, of };
}

/**
 * The result of the checks of one model: "fails 1 of 2 checks", or of several answers "3 of 5 answers pass"; undefined
 * without checks.
 */
export function checksText(results: readonly unknown[]): { sign: '✓' | '✗'; words: string } | undefined {
  const verdicts = verdictsOf(results[0]);
  const count = results.length > 1 ? countPassed(results) : countVerdicts(verdicts);
  if (count === undefined) return undefined;
  const [{ passed, of }, failed] = [count, verdicts.filter(({ outcome }) => outcome === 'fail').length];
  return {
    sign: passed < of ? '✗' : '✓',
    words:
      results.length > 1
        ? `${passed} of ${of} answers pass`
        : `${failed > 0 ? `fails ${failed}` : `passes ${passed}`} of ${of} ${of === 1 ? 'check' : 'checks'}`,
  };
}

/** The members of an object; none of anything else. */
export function factsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
