import type { Verdict } from '../checks/verdict';

/** The joint outcome of an answer's checks: a failed check decides, else an undecided check leaves it undecided. */
export function checkedAs(verdicts: readonly Pick<Verdict, 'outcome'>[]): 'passed' | 'failed' | 'errored' {
  if (verdicts.some(({ outcome }) => outcome === 'fail')) return 'failed';
  return verdicts.some(({ outcome }) => outcome === 'error') ? 'errored' : 'passed';
}
