import { tQuantile, Z } from './distributions';
import { mean, sum } from './mean';

/** The lower and upper end of a 95 % interval. */
export type Interval = [number, number];

/**
 * How an interval was made: of a quantile by order statistics, of a rate by Wilson's score, of a mean by Student's t;
 * with clusters also by Woodruff's method and by Student's t over clusters.
 */
export type IntervalMethod = 'order_statistics' | 'wilson' | 'student_t' | 'woodruff' | 'clustered_t';

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

export interface Mean {
  mean: number;
  /** Null for fewer than two values. */
  standardError: number | null;
}

/** The mean of at least one value, and its standard error. */
export function meanOf(values: readonly number[]): Mean {
  const n = values.length;
  const center = mean(values);
  if (n < 2) return { mean: center, standardError: null };
  const squares = sum(values.map((value) => (value - center) ** 2));
  // The mean of equal values may differ from them by rounding, which is no spread.
  const isConstant = values.every((value) => value === values[0]);
  return { mean: center, standardError: isConstant ? 0 : Math.sqrt(squares / (n - 1) / n) };
}

/**
 * Student's interval of a mean of independent values, cut to `bounds`; null for fewer than two values and for equal
 * ones, whose spread is not known.
 */
export function meanInterval(
  values: readonly number[],
  { min = -Infinity, max = Infinity }: Bounds = {},
): Interval | null {
  const { mean: center, standardError } = meanOf(values);
  if (standardError === null || standardError === 0) return null;
  const half = tQuantile(values.length - 1) * standardError;
  return [Math.max(min, center - half), Math.min(max, center + half)];
}

/**
 * Student's interval of a mean of values in a row whose neighbors may be alike; null like that of `meanInterval`.
 * It allows for the largest correlation that such values make plausible, 1.645 / √n above the one they show: few values
 * show too little of it.
 */
export function serialMeanInterval(values: readonly number[]): Interval | null {
  const { mean: center, standardError } = meanOf(values);
  if (standardError === null || standardError === 0) return null;
  const n = values.length;
  const deviations = values.map((value) => value - center);
  const products = sum(deviations.map((deviation, index) => deviation * (deviations[index - 1] ?? 0)));
  const correlation = Math.min(
    0.95,
    Math.max(0, products / sum(deviations.map((deviation) => deviation ** 2)) + 1.645 / Math.sqrt(n)),
  );
  // How many times larger the variance of the mean is; values that are alike also vary less than those of another time
  // would.
  const inflation = values.reduce(
    (total, _, lag) => (lag === 0 ? total : total + 2 * (1 - lag / n) * correlation ** lag),
    1,
  );
  const half = tQuantile(n - 1) * standardError * Math.sqrt((inflation * (n - 1)) / (n - inflation));
  return [center - half, center + half];
}
