import { factsOf } from '../compare/evaluated';
import { intervalOf, numberIn, numberOf, type Interval } from './numbers';

/** A figure of several answers with its 95 % interval, where there are enough answers for one. */
export interface Estimated {
  value: number | undefined;
  interval: Interval | undefined;
}

/** The statistics of one model's answers. Times are in milliseconds, amounts in dollars. */
export interface ModelStatistics {
  model: string;
  answered: number;
  failed: number;
  latency: Estimated;
  latencyP90: Estimated;
  firstText: Estimated;
  /** Exact amounts. */
  meanCost: string | undefined;
  meanCostWithoutCache: string | undefined;
  meanOutputTokens: number | undefined;
  checks: { passed: number; of: number; rate: Estimated } | undefined;
  agreement: { distinct: number; modalShare: number } | undefined;
}

/** The statistics of an eval's samples. */
export interface EvalStatistics {
  samples: number;
  models: readonly ModelStatistics[];
  /** The service's own words on the leads. */
  because: readonly string[];
}

/** Reads the statistics of an eval; undefined where it has none. */
export function statisticsOf(stored: unknown): EvalStatistics | undefined {
  const { samples, models, fastest, cheapest } = factsOf(factsOf(stored)['statistics']);
  if (!Array.isArray(models)) return undefined;
  return { samples: numberOf(samples) ?? 1, models: models.map(modelStatistics), because: [fastest, cheapest].flatMap((leader) => textOf(factsOf(leader)['because']) ?? []) };
}

/** The scale on which intervals of several models are drawn side by side: from 0 to the farthest end. */
export function intervalScale(figures: readonly Estimated[]): number {
  return Math.max(0, ...figures.flatMap(({ value, interval }) => [value ?? 0, ...interval ?? []]));
}

function modelStatistics(value: unknown): ModelStatistics {
  const { model, latency_ms: latency, ttft_ms: ttft, cost_usd: cost, output_tokens: tokens, checks, agreement } = factsOf(value);
  return {
    model: textOf(model) ?? '', answered: numberIn(value, 'answered') ?? 0, failed: numberIn(value, 'failed') ?? 0,
    latency: estimated(latency, 'p50', 'p50_ci'), latencyP90: estimated(latency, 'p90', 'p90_ci'), firstText: estimated(ttft, 'p50', 'p50_ci'),
    meanCost: amountOf(factsOf(cost)['mean']), meanCostWithoutCache: amountOf(factsOf(cost)['mean_without_cache']), meanOutputTokens: numberIn(tokens, 'mean'),
    checks: checksOf(checks), agreement: agreementOf(agreement),
  };
}

function estimated(value: unknown, name: string, interval: string): Estimated {
  return { value: numberIn(value, name), interval: intervalOf(factsOf(value)[interval]) };
}

function checksOf(value: unknown): ModelStatistics['checks'] {
  const [passed, of] = [numberIn(value, 'passed'), numberIn(value, 'of')];
  return passed === undefined || of === undefined ? undefined : { passed, of, rate: estimated(value, 'rate', 'ci') };
}

function agreementOf(value: unknown): ModelStatistics['agreement'] {
  const [distinct, modalShare] = [numberIn(value, 'distinct'), numberIn(value, 'modal_share')];
  return distinct === undefined || modalShare === undefined ? undefined : { distinct, modalShare };
}

/** Amounts come as exact text, whatever the client makes of others. */
function amountOf(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : textOf(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
