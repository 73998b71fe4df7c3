import type { Verdict } from '../checks/verdict';
import type { Result } from '../evals/result.entity';

/** True of an answer that has checks and passed them. */
export function hasPassed({ error, checks }: Pick<Result, 'error' | 'checks'>): boolean {
  return error === null && checks !== null && checks.length > 0 && checkedAs(checks) === 'passed';
}

/** The joint outcome of an answer's checks: a failed check decides, else an undecided check leaves it undecided. */
export function checkedAs(verdicts: readonly Pick<Verdict, 'outcome'>[]): 'passed' | 'failed' | 'errored' {
  if (verdicts.some(({ outcome }) => outcome === 'fail')) return 'failed';
  return verdicts.some(({ outcome }) => outcome === 'error') ? 'errored' : 'passed';
}
