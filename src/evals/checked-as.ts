import type { Verdict } from '../checks/verdict';

/** How the checks of an answer ended together: a failed one decides, else one that could not be decided leaves it open. */
export function checkedAs(verdicts: readonly Pick<Verdict, 'outcome'>[]): 'passed' | 'failed' | 'errored' {
  if (verdicts.some(({ outcome }) => outcome === 'fail')) return 'failed';
  return verdicts.some(({ outcome }) => outcome === 'error') ? 'errored' : 'passed';
}
