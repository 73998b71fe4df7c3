import { Money } from '../common/money';

/** The properties of a result that a ranking uses. */
export interface RankedResult {
  model: string;
  latencyMs: number;
  cost: Money;
  error: unknown;
}

/** The model whose successful results have the lowest median latency; ties go to request order. Empty when every model failed. */
export function fastest(results: readonly RankedResult[]): string {
  const latencies = (ofModel: readonly RankedResult[]) => ofModel.map(({ latencyMs }) => latencyMs).sort((left, right) => left - right);
  return best(results, (ofModel) => sumOfMiddle(latencies(ofModel), (left, right) => left + right), (left, right) => left - right);
}

/** The model whose successful results have the lowest median cost; ties go to request order. Empty when every model failed. */
export function cheapest(results: readonly RankedResult[]): string {
  const costs = (ofModel: readonly RankedResult[]) => ofModel.map(({ cost }) => cost).sort((left, right) => left.compare(right));
  return best(results, (ofModel) => sumOfMiddle(costs(ofModel), (left, right) => left.plus(right)), (left, right) => left.compare(right));
}

/** The exact cost of all model calls of an eval, in USD. */
export function totalCost(results: readonly RankedResult[]): Money {
  return Money.sum(results.map(({ cost }) => cost));
}

function best<Value>(results: readonly RankedResult[], valueOf: (ofModel: readonly RankedResult[]) => Value | undefined, compare: (left: Value, right: Value) => number): string {
  const byModel = Map.groupBy(results, ({ model }) => model);
  let leading: { model: string; value: Value } | undefined;
  for (const [model, ofModel] of byModel) {
    const value = valueOf(ofModel.filter(({ error }) => error === null));
    if (value !== undefined && (leading === undefined || compare(value, leading.value) < 0)) leading = { model, value };
  }
  return leading?.model ?? '';
}

/** Twice the median of sorted values: the two in the middle, or the one there twice, added up. So amounts need no division. */
function sumOfMiddle<Value>(sorted: readonly Value[], add: (left: Value, right: Value) => Value): Value | undefined {
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : add(low, high);
}
