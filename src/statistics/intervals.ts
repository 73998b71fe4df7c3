import { tQuantile, Z } from './distributions';

/** The lower and upper end of a 95 % interval. */
export type Interval = [number, number];

/** How an interval was made: of a quantile by order statistics, of a rate by Wilson's score, of a mean by Student's t. */
export type IntervalMethod = 'order_statistics' | 'wilson' | 'student_t';

/** Wilson's score interval for `k` successes of `n`; null without a trial. */
export function wilson(k: number, n: number): Interval | null {
  if (n === 0) return null;
  const rate = k / n;
  const scale = 1 + (Z * Z) / n;
  const center = (rate + (Z * Z) / (2 * n)) / scale;
  const half = (Z * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n))) / scale;
  // At none and at all of n an end is exactly 0 or 1, which floats may miss.
  return [k === 0 ? 0 : Math.max(0, center - half), k === n ? 1 : Math.min(1, center + half)];
}

/** The values that a mean can have; its interval is cut to them. */
export interface Bounds {
  min?: number;
  max?: number;
}

/** The mean with its standard error. */
export interface Mean {
  mean: number;
  /** Null for fewer than two values. */
  standardError: number | null;
}

/** The mean of at least one value, and its standard error. */
export function meanOf(values: readonly number[]): Mean {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, standardError: null };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  // The mean of equal values may differ from them by rounding, which is no spread.
  const isConstant = values.every((value) => value === values[0]);
  return { mean, standardError: isConstant ? 0 : Math.sqrt(squares / (n - 1) / n) };
}

/** Student's interval of a mean of independent values, cut to `bounds`; null for fewer than two values and for equal ones, whose spread is not known. */
export function meanInterval(values: readonly number[], { min = -Infinity, max = Infinity }: Bounds = {}): Interval | null {
  const { mean, standardError } = meanOf(values);
  if (standardError === null || standardError === 0) return null;
  const half = tQuantile(values.length - 1) * standardError;
  return [Math.max(min, mean - half), Math.min(max, mean + half)];
}
