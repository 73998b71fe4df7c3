import { clusteredInterval, clusteredMean, clusterSums, differenceInterval, type ClusteredMean, type Clusters } from '../../statistics/clustered';
import { holm } from '../../statistics/holm';
import type { Interval } from '../../statistics/intervals';
import { newcombe } from '../../statistics/newcombe';
import { signFlipP } from '../../statistics/paired';

const ALPHA = 0.05;
/** A lower share of calls that count cannot call anything better: what is missing could change it. */
export const MIN_COVERAGE = 0.95;

/** How the values of rows are compared: by their difference or by their ratio, and if the lower one is better. */
export interface Scale {
  isRatio: boolean;
  isLowerBetter: boolean;
  /** True for values that are 0 or 1, in rows that are independent. */
  isBinary: boolean;
}

/** One column against another, over the rows that both have. */
export interface PairedColumns extends Scale {
  rows: number;
  /** Rows in which the first value is higher, and lower. */
  higher: number;
  lower: number;
  /** Of the differences, or of the logarithms of the ratios; null without a row, or where a 0 has no ratio. */
  mean: ClusteredMean | null;
  /** Of the mean; null where it is not known. */
  interval: Interval | null;
  /** Null without a row. */
  pValue: number | null;
}

/** Compares two columns row by row. Signs that are drawn at random come from `seed`; the p-value is left out if not `isTested`. */
export function pairColumns(one: Float64Array, other: Float64Array, { clusters, scale, seed, isTested }: { clusters: Clusters; scale: Scale; seed: string; isTested: boolean }): PairedColumns {
  const differences = new Float64Array(one.length);
  let [rows, higher, lower, hasZero] = [0, 0, 0, false];
  for (let row = 0; row < one.length; row++) {
    const [left, right] = [one[row] ?? NaN, other[row] ?? NaN];
    const difference = left - right;
    differences[row] = difference;
    if (Number.isNaN(difference)) continue;
    rows++;
    higher += Number(difference > 0);
    lower += Number(difference < 0);
    hasZero ||= left <= 0 || right <= 0;
  }
  const hasRatio = scale.isRatio && !hasZero;
  if (hasRatio) for (let row = 0; row < one.length; row++) differences[row] = Math.log((one[row] ?? NaN) / (other[row] ?? NaN));
  const mean = clusteredMean(differences, clusters);
  const pValue = isTested && rows > 0 ? Math.max(Number.MIN_VALUE, signFlipP(Array.from(clusterSums(differences, clusters)), seed)) : null;
  const isKnown = !scale.isRatio || hasRatio;
  return { ...scale, rows, higher, lower, mean: isKnown ? mean : null, interval: isKnown && mean !== null ? intervalOf(mean, { one, other, scale }) : null, pValue };
}

function intervalOf(mean: ClusteredMean, { one, other, scale }: { one: Float64Array; other: Float64Array; scale: Scale }): Interval | null {
  if (scale.isRatio) return clusteredInterval(mean);
  return scale.isBinary ? newcombe(countsOf(one, other)) : differenceInterval(mean);
}

function countsOf(one: Float64Array, other: Float64Array): Parameters<typeof newcombe>[0] {
  const counts = { both: 0, first: 0, second: 0, none: 0 };
  for (let row = 0; row < one.length; row++) {
    const [left, right] = [one[row] ?? NaN, other[row] ?? NaN];
    if (Number.isNaN(left - right)) continue;
    counts[left > 0 ? (right > 0 ? 'both' : 'first') : right > 0 ? 'second' : 'none']++;
  }
  return counts;
}

/** Adjusts the p-values of these pairs by Holm's method; pairs without one have none. */
export function adjustedPValues(pairs: readonly PairedColumns[]): (number | null)[] {
  const tested = pairs.filter(({ pValue }) => pValue !== null);
  const adjusted = new Map(holm(tested.map(({ pValue }) => pValue ?? 1)).map((p, index) => [tested[index], p]));
  return pairs.map((pair) => adjusted.get(pair) ?? null);
}

/** 1 if the first column is better by more than luck explains, -1 if it is worse, else 0. */
export function directionOf({ mean, interval, isLowerBetter, higher, lower }: PairedColumns, pAdjusted: number | null): -1 | 0 | 1 {
  if (pAdjusted === null || pAdjusted > ALPHA) return 0;
  // Without a mean, as of ratios with a 0, most rows decide.
  const [low, high] = interval ?? [mean?.mean ?? higher - lower, mean?.mean ?? higher - lower];
  if (low > 0) return isLowerBetter ? -1 : 1;
  return high < 0 ? (isLowerBetter ? 1 : -1) : 0;
}
