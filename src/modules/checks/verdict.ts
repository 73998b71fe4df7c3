import { mean } from '../statistics/mean';
import { sixDigits } from '../statistics/rounding';
import type { Finding } from './check-type';
import type { Check } from './types';

/** How a check of a result ended: `error` when it could not be decided, `skipped` when the model failed. */
export type Outcome = 'pass' | 'fail' | 'error' | 'skipped';

export interface Verdict {
  name: string;
  type: Check['type'];
  outcome: Outcome;
  /** 0 or 1, of a similarity the similarity; null where nothing was decided. */
  score: number | null;
  /** Why it did not pass, in words. */
  reason?: string;
}

export interface CheckedResult {
  model: string;
  /** True if its model gave an answer. */
  isAnswered: boolean;
  verdicts: readonly Verdict[];
}

export interface ModelChecks {
  model: string;
  passed: number;
  failed: number;
  errored: number;
  /** Mean score of its results; null when nothing was decided. */
  score: number | null;
}

export function verdictOf(check: Check, finding: Finding): Verdict {
  const { name, type, not } = check;
  if ('undecided' in finding) return { name, type, outcome: 'error', score: null, reason: finding.undecided };
  const isPassed = finding.isMet !== not;
  const score = finding.score ?? Number(finding.isMet);
  return {
    name,
    type,
    outcome: isPassed ? 'pass' : 'fail',
    score: sixDigits(not ? 1 - score : score),
    ...(!isPassed && { reason: finding.observed }),
  };
}

/** The verdict on a model that gave no answer. */
export function skippedVerdict({ name, type }: Check): Verdict {
  return { name, type, outcome: 'skipped', score: null, reason: 'The model gave no answer.' };
}

/** True if a result passes: its model answered, and every check passed. */
export function passes(verdicts: readonly Verdict[]): boolean {
  return verdicts.every(({ outcome }) => outcome === 'pass');
}

/** The mean score of a result over what was decided, by the weights of the checks; null when nothing was. */
export function scoreOf(verdicts: readonly Verdict[], checks: readonly Check[]): number | null {
  let [sum, weights] = [0, 0];
  for (const [position, { score }] of verdicts.entries()) {
    const weight = checks[position]?.weight ?? 1;
    if (score === null) continue;
    sum += weight * score;
    weights += weight;
  }
  return weights === 0 ? null : sixDigits(sum / weights);
}

export function sumsByModel(
  models: readonly string[],
  results: readonly CheckedResult[],
  checks: readonly Check[],
): ModelChecks[] {
  const byModel = Map.groupBy(results, ({ model }) => model);
  return models.map((model) => {
    const own = byModel.get(model) ?? [];
    const count = (outcome: Outcome) =>
      own.reduce((sum, { verdicts }) => sum + verdicts.filter((verdict) => verdict.outcome === outcome).length, 0);
    const scores = own.map(({ verdicts }) => scoreOf(verdicts, checks)).filter((score) => score !== null);
    return {
      model,
      passed: count('pass'),
      failed: count('fail'),
      errored: count('error'),
      score: scores.length === 0 ? null : sixDigits(mean(scores)),
    };
  });
}
