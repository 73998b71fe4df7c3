import { chargeOf, costOf } from '../billing/pricing';
import { Money } from '../../common/money';
import type { PriceStep } from '../models/catalog';
import { costPerPassed, type CostPerPassed } from '../statistics/cost-per-passed';
import { meanInterval, type Interval } from '../statistics/intervals';
import { sum } from '../statistics/mean';
import { sixDigits } from '../statistics/rounding';
import { hasText } from '../evals/ranking';
import type { Result } from '../evals/result.entity';
import { hasPassed } from './checked-as';
import { costAt, tokensOf } from './list-price';

/** The monthly cost of calls like those of an eval at one price, in USD. */
export interface ProjectedStep extends Omit<PriceStep, 'price'> {
  costPerCall: Money;
  /** With cached input at the rate of plain input. */
  costPerCallWithoutCache: Money;
  monthlyCost: Money;
  /** With the margin; free evals are not taken off. */
  monthlyCharge: Money;
  /**
   * 95 % interval of the monthly cost over calls of this prompt, by Student's t; null for fewer than two answers or
   * equal costs.
   */
  interval: Interval | null;
}

export interface ModelProjection {
  model: string;
  /** Calls that the projection is based on: the answered calls. */
  answered: number;
  steps: ProjectedStep[];
  /** At the costs that were charged then; null below 5 answers that passed their checks. */
  perPassed: CostPerPassed | null;
  notes: string[];
}

export interface ProjectionOptions {
  callsPerMonth: number;
  margin: string;
}

export interface EvalProjection extends ProjectionOptions {
  evalId: string;
  models: ModelProjection[];
}

/**
 * The monthly cost of calls like a model's results at each of those prices: the token counts of the results, priced
 * again.
 */
export function projectModel(
  model: string,
  results: readonly Result[],
  prices: readonly PriceStep[],
  options: ProjectionOptions,
): ModelProjection {
  const answers = results.filter((result) => result.model === model && result.error === null);
  const steps = answers.length === 0 ? [] : prices.map((step) => projectStep(answers, step, options));
  const perPassed = perPassedOf(results.filter((result) => result.model === model));
  return { model, answered: answers.length, steps, perPassed, notes: [...notesOn(answers, prices)] };
}

/** Failed calls count with their cost. */
function perPassedOf(calls: readonly Result[]): CostPerPassed | null {
  return costPerPassed({
    costs: Float64Array.from(calls, ({ cost }) => Number(cost.toString())),
    passes: Float64Array.from(calls, (call) => Number(hasPassed(call))),
    clusters: { of: calls.map((_, index) => index), count: calls.length },
    isWilson: true,
  });
}

function projectStep(
  answers: readonly Result[],
  { price, ...validity }: PriceStep,
  { callsPerMonth, margin }: ProjectionOptions,
): ProjectedStep {
  const costs = answers.map((answer) => costAt(costOf(tokensOf(answer), price).cost, answer));
  const withoutCache = answers.map((answer) =>
    costAt(costOf({ ...tokensOf(answer), cachedInputTokens: 0, cacheWriteTokens: 0 }, price).cost, answer),
  );
  const total = Money.sum(costs);
  // Each is rounded once, from the exact sum: the error of a rounded cost per call would be multiplied by the calls.
  const perMonth = total.times(BigInt(callsPerMonth));
  return {
    ...validity,
    costPerCall: total.dividedBy(answers.length),
    costPerCallWithoutCache: Money.sum(withoutCache).dividedBy(answers.length),
    monthlyCost: perMonth.dividedBy(answers.length),
    monthlyCharge: chargeOf(perMonth, margin, false).dividedBy(answers.length),
    interval: intervalOf(costs.map((cost) => Number(cost.toString()) * callsPerMonth)),
  };
}

function intervalOf(monthlyCosts: readonly number[]): Interval | null {
  const [low, high] = meanInterval(monthlyCosts, { min: 0 })?.map(sixDigits) ?? [];
  return low === undefined || high === undefined || low === high ? null : [low, high];
}

function* notesOn(answers: readonly Result[], prices: readonly PriceStep[]): Generator<string> {
  if (answers.length === 0) yield 'The model did not answer in this eval, so there is nothing to project.';
  if (prices.length === 0) yield 'The catalog has no price of this model from today on.';
  const cached = sum(answers.map(({ details }) => details.cachedInputTokens));
  if (cached > 0)
    yield `${Math.round((100 * cached) / sum(answers.map(({ inputTokens }) => inputTokens)))} % of the input tokens came from the vendor's cache; calls with other prompts would find less there.`;
  const blank = answers.filter(({ output }) => !hasText(output)).length;
  if (blank > 0)
    yield `${blank} of ${answers.length} answers had no text; the projection contains what such answers cost.`;
  const stated = answers.filter(({ details }) => details.statedCost !== undefined);
  if (stated.length > 0)
    yield `The vendor charged less than its list price for ${stated.length} of ${answers.length} answers; the projection assumes that it continues to.`;
  const substituted = answers.filter(({ warnings }) => warnings.some(({ code }) => code === 'model_substituted'));
  if (substituted.length > 0)
    yield `Another model answered ${substituted.length} of ${answers.length} calls; the projection is at the price of the requested model.`;
  if (answers.length === 1) yield 'One answer does not tell how much the cost of a call varies.';
}
