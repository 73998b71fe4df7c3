import { Money } from '../common/money';

/** The properties of a result that a ranking uses. */
export interface RankedResult {
  model: string;
  latencyMs: number;
  cost: Money;
  error: unknown;
}

/** The model with the lowest latency among the successful results; ties go to request order. Empty when every model failed. */
export function fastest(results: readonly RankedResult[]): string {
  return best(results, (left, right) => left.latencyMs - right.latencyMs);
}

/** The model with the lowest cost among the successful results; ties go to request order. Empty when every model failed. */
export function cheapest(results: readonly RankedResult[]): string {
  return best(results, (left, right) => left.cost.compare(right.cost));
}

/** The exact cost of all model calls of an eval, in USD. */
export function totalCost(results: readonly RankedResult[]): Money {
  return Money.sum(results.map(({ cost }) => cost));
}

function best(results: readonly RankedResult[], compare: (left: RankedResult, right: RankedResult) => number): string {
  const successful = results.filter(({ error }) => error === null);
  const [first, ...others] = successful;
  if (first === undefined) return '';
  return others.reduce((leading, next) => (compare(next, leading) < 0 ? next : leading), first).model;
}
