import type { StoredEval } from '../evals/evals.service';
import type { ResultError } from '../evals/result.entity';
import type { CompareCommand } from '../execution/compare.types';
import { encodeFigures, figuresOf, type ModelFigures } from './summary/figures';

/** The figures of a row, one model of the experiment after the other, and the models without an answer. A further attempt asks only some models; the others have no calls in it. */
export function figuresOfEval({ record, results }: StoredEval, { models, checks }: Pick<CompareCommand, 'models' | 'checks'>): { figures: number[]; missing: string[] } {
  const asked = figuresOf(results, record.models, checks.map(({ name }) => name), record.checks ?? []);
  const missing = record.models.filter((_, index) => asked[index]?.answered === 0);
  return { figures: encodeFigures(models.map((model) => asked[record.models.indexOf(model)] ?? noCalls(checks.length))), missing };
}

/** The figures of a row in which no model answered. */
export function failureFigures(errors: readonly { model: string; error: ResultError }[], asked: readonly string[], { models, checks, samples }: CompareCommand): number[] {
  const ofModel = (model: string): ModelFigures => {
    if (!asked.includes(model)) return noCalls(checks.length);
    const isTimeout = errors.some((one) => one.model === model && one.error.code === 'timeout');
    return { ...noCalls(checks.length), failed: samples, ...(isTimeout && { timeouts: samples, latencyMs: Infinity }) };
  };
  return encodeFigures(models.map(ofModel));
}

function noCalls(checkCount: number): ModelFigures {
  return {
    answered: 0, failed: 0, decided: 0, passed: 0, score: NaN, latencyMs: NaN, timeouts: 0, ttftMs: NaN, cost: 0, costWithoutCache: 0, outputTokens: NaN, distinct: 0, modal: 0, cut: 0, temperatureIgnored: 0,
    cachedInputTokens: 0, inputTokens: 0, checks: Array.from({ length: checkCount }, () => ({ decided: 0, passed: 0 })),
  };
}
