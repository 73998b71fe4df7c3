import { Money } from '../../common/money';

export interface RankedResult {
  model: string;
  output: string;
  latencyMs: number;
  cost: Money;
  error: { code: string } | null;
}

/** True if an output has any text besides white space. */
export function hasText(output: string): boolean {
  return /\S/.test(output);
}

/** The results that may lead: those with text; answers without any only where no model has more. */
export function leadable<Ranked extends Pick<RankedResult, 'output' | 'error'>>(results: readonly Ranked[]): Ranked[] {
  const answered = results.filter(({ error }) => error === null);
  const written = answered.filter(({ output }) => hasText(output));
  return written.length === 0 ? answered : written;
}

/** The latency of a result in milliseconds: a call that timed out took longer than any answer. */
export function latencyRank({ latencyMs, error }: Pick<RankedResult, 'latencyMs' | 'error'>): number {
  return error?.code === 'timeout' ? Infinity : latencyMs;
}

/**
 * The model with the lowest median latency of its answers and timeouts; ties go to request order. Empty when every
 * model failed.
 */
export function fastest(results: readonly RankedResult[]): string {
  const medianOf = (ofModel: readonly RankedResult[]) =>
    sumOfMiddle(
      ofModel.map(latencyRank).sort((left, right) => (left < right ? -1 : 1)),
      (left, right) => left + right,
    ) ?? Infinity;
  // Where more than half of the calls of every model timed out, its answers decide.
  return best(
    results,
    (answers, timeouts) => ({ all: medianOf([...answers, ...timeouts]), answered: medianOf(answers) }),
    (left, right) => (left.all === right.all ? left.answered - right.answered : left.all - right.all),
  );
}

/** The model whose answers have the lowest median cost; ties go to request order. Empty when every model failed. */
export function cheapest(results: readonly RankedResult[]): string {
  const costs = (ofModel: readonly RankedResult[]) =>
    ofModel.map(({ cost }) => cost).sort((left, right) => left.compare(right));
  return best(
    results,
    (answers) => sumOfMiddle(costs(answers), (left, right) => left.plus(right)) ?? Money.zero,
    (left, right) => left.compare(right),
  );
}

export function totalCost(results: readonly RankedResult[]): Money {
  return Money.sum(results.map(({ cost }) => cost));
}

function best<Value>(
  results: readonly RankedResult[],
  valueOf: (answers: readonly RankedResult[], timeouts: readonly RankedResult[]) => Value,
  compare: (left: Value, right: Value) => number,
): string {
  const leading = new Set(leadable(results));
  let first: { model: string; value: Value } | undefined;
  for (const [model, ofModel] of Map.groupBy(results, (result) => result.model)) {
    const answers = ofModel.filter((result) => leading.has(result));
    if (answers.length === 0) continue;
    const value = valueOf(
      answers,
      ofModel.filter((result) => latencyRank(result) === Infinity),
    );
    if (first === undefined || compare(value, first.value) < 0) first = { model, value };
  }
  return first?.model ?? '';
}

/**
 * Twice the median of sorted values: the two in the middle, or the one there twice, added up. So amounts need no
 * division.
 */
function sumOfMiddle<Value>(sorted: readonly Value[], add: (left: Value, right: Value) => Value): Value | undefined {
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : add(low, high);
}
