import {
  clusteredInterval,
  clusteredMean,
  clusterSums,
  differenceInterval,
  type ClusteredMean,
  type Clusters,
} from '../../statistics/clustered';
import { holm } from '../../statistics/holm';
import type { Interval } from '../../statistics/intervals';
import { newcombe, type PairedCounts } from '../../statistics/newcombe';
import { signFlipP } from '../../statistics/paired';

/** The highest adjusted p-value of a difference that counts. */
export const ALPHA = 0.05;
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

/** How pairs are tested: signs that are drawn at random come from `seed`. Without `isTested` there is no p-value. */
export interface PairOptions {
  clusters: Clusters;
  scale: Scale;
  seed: string;
  isTested: boolean;
}

/** Compares two columns row by row. NaN is a missing value. */
export function pairColumns(
  one: Float64Array,
  other: Float64Array,
  { clusters, scale, seed, isTested }: PairOptions,
): PairedColumns {
  const differences = new Float64Array(one.length);
  const counts = subtract(one, other, differences);
  const rows = counts.higher + counts.lower + counts.equal;
  // Nothing can be divided by an amount of 0: then the differences are tested.
  const isKnown = !scale.isRatio || counts.least > 0;
  const steps = scale.isRatio && isKnown ? one.map((value, row) => Math.log(value / at(other, row))) : differences;
  const mean = isKnown ? clusteredMean(steps, clusters) : null;
  const pValue =
    isTested && rows > 0 ? Math.max(Number.MIN_VALUE, signFlipP(Array.from(clusterSums(steps, clusters)), seed)) : null;
  return {
    ...scale,
    rows,
    higher: counts.higher,
    lower: counts.lower,
    mean,
    interval: mean && intervalOf(mean, { one, other, scale }),
    pValue,
  };
}

/**
 * Writes the differences of each row, and counts rows by their sign. `least` is the lowest value of rows that both
 * have.
 */
function subtract(
  one: Float64Array,
  other: Float64Array,
  differences: Float64Array,
): { higher: number; lower: number; equal: number; least: number } {
  const counts = { higher: 0, lower: 0, equal: 0, least: Infinity };
  for (let row = 0; row < one.length; row++) {
    const difference = at(one, row) - at(other, row);
    differences[row] = difference;
    if (Number.isNaN(difference)) continue;
    counts[difference > 0 ? 'higher' : difference < 0 ? 'lower' : 'equal']++;
    counts.least = Math.min(counts.least, at(one, row), at(other, row));
  }
  return counts;
}

function at(values: Float64Array, row: number): number {
  return values[row] ?? NaN;
}

function intervalOf(
  mean: ClusteredMean,
  { one, other, scale }: { one: Float64Array; other: Float64Array; scale: Scale },
): Interval | null {
  if (scale.isRatio) return clusteredInterval(mean);
  return scale.isBinary ? newcombe(countsOf(one, other)) : differenceInterval(mean);
}

function countsOf(one: Float64Array, other: Float64Array): PairedCounts {
  const counts: PairedCounts = { both: 0, first: 0, second: 0, none: 0 };
  for (const [row, left] of one.entries()) {
    const right = at(other, row);
    if (!Number.isNaN(left - right))
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
export function directionOf(
  { mean, interval, isLowerBetter, higher, lower }: PairedColumns,
  pAdjusted: number | null,
): -1 | 0 | 1 {
  if (pAdjusted === null || pAdjusted > ALPHA) return 0;
  // Without a mean, as of ratios with a 0, most rows decide.
  const center = mean === null ? higher - lower : mean.mean;
  const [low, high] = interval ?? [center, center];
  const isHigher = low > 0;
  if (!isHigher && high >= 0) return 0;
  return isHigher === isLowerBetter ? -1 : 1;
}
