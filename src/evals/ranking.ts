import { Money } from '../common/money';

/** What a ranking looks at. */
export interface Ranked {
  model: string;
  latencyMs: number;
  cost: Money;
  error: unknown;
}

/** Model with the lowest latency among the good results; ties go to request order, and an eval without one has an empty name. */
export function fastest(results: readonly Ranked[]): string {
  return best(results, (left, right) => left.latencyMs - right.latencyMs);
}

/** Model with the lowest cost among the good results; ties go to request order. */
export function cheapest(results: readonly Ranked[]): string {
  return best(results, (left, right) => left.cost.compare(right.cost));
}

/** What all model calls of an eval cost together, exact. */
export function totalCost(results: readonly Ranked[]): Money {
  return Money.sum(results.map(({ cost }) => cost));
}

function best(results: readonly Ranked[], compare: (left: Ranked, right: Ranked) => number): string {
  const good = results.filter(({ error }) => error === null);
  const [first, ...others] = good;
  if (first === undefined) return '';
  return others.reduce((leader, next) => (compare(next, leader) < 0 ? next : leader), first).model;
}
