import { tQuantile } from './distributions';
import { wilson, type Bounds, type Interval } from './intervals';
import { quantileRanks, sortedQuantile } from './quantiles';

/**
 * The cluster of each row, a number from 0 to `count` - 1. Rows of one cluster may be alike; clusters are independent.
 */
export interface Clusters {
  of: ArrayLike<number>;
  count: number;
}

/** The mean of the rows that have a value, with a standard error that allows for clusters. */
export interface ClusteredMean {
  mean: number;
  /** The number of rows with a value, and of clusters with such a row. */
  rows: number;
  clusters: number;
  /** Null for fewer than two clusters; 0 where clusters do not differ. */
  standardError: number | null;
}

/**
 * The sum over the rows of each cluster that has a value, in the order of the clusters. NaN is a missing value;
 * `center` is subtracted from each value.
 */
export function clusterSums(values: ArrayLike<number>, { of, count }: Clusters, center = 0): Float64Array {
  const sums = new Float64Array(count).fill(NaN);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? NaN;
    if (Number.isNaN(value)) continue;
    const cluster = of[row] ?? 0;
    const sum = sums[cluster] ?? NaN;
    sums[cluster] = (Number.isNaN(sum) ? 0 : sum) + value - center;
  }
  return withoutMissing(sums);
}

export function withoutMissing(values: Float64Array): Float64Array {
  const present = new Float64Array(values.length);
  let count = 0;
  for (const value of values) if (!Number.isNaN(value)) present[count++] = value;
  return present.subarray(0, count);
}

/** The mean of values in clusters; null without a value. */
export function clusteredMean(values: ArrayLike<number>, clusters: Clusters): ClusteredMean | null {
  let [rows, total, largest] = [0, 0, 0];
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? NaN;
    if (Number.isNaN(value)) continue;
    rows++;
    total += value;
    largest = Math.max(largest, Math.abs(value));
  }
  if (rows === 0) return null;
  const mean = total / rows;
  const sums = clusterSums(values, clusters, mean);
  const squares = sums.reduce((sum, deviation) => sum + deviation ** 2, 0);
  const standardError = sums.length < 2 ? null : Math.sqrt((sums.length / (sums.length - 1)) * squares) / rows;
  // Equal values may differ from their mean by rounding, which is no spread.
  return {
    mean,
    rows,
    clusters: sums.length,
    standardError: standardError !== null && standardError <= 1e-13 * largest ? 0 : standardError,
  };
}

/**
 * Student's interval of a clustered mean, cut to `bounds`; null for fewer than two clusters and where they do not
 * differ.
 */
export function clusteredInterval(
  { mean, clusters, standardError }: ClusteredMean,
  { min = -Infinity, max = Infinity }: Bounds = {},
): Interval | null {
  if (standardError === null || standardError === 0) return null;
  const half = tQuantile(clusters - 1) * standardError;
  return [Math.max(min, mean - half), Math.min(max, mean + half)];
}

/**
 * The interval of a mean of shares from 0 to 1. Where clusters do not differ, Wilson's with each cluster as one trial:
 * an interval is never without width.
 */
export function shareInterval(mean: ClusteredMean): Interval | null {
  return mean.standardError === 0
    ? wilson(mean.mean * mean.clusters, mean.clusters)
    : clusteredInterval(mean, { min: 0, max: 1 });
}

/**
 * The interval of a mean difference of two shares. Where clusters do not differ, it reaches as far as Wilson's for none
 * of them.
 */
export function differenceInterval(mean: ClusteredMean): Interval | null {
  if (mean.standardError !== 0) return clusteredInterval(mean, { min: -1, max: 1 });
  const half = wilson(0, mean.clusters)?.[1] ?? 1;
  return [Math.max(-1, mean.mean - half), Math.min(1, mean.mean + half)];
}

/**
 * The interval of the quantile `q`: by order statistics where each row is a cluster, else by Woodruff's method. Null
 * with too few values.
 */
export function clusteredQuantileInterval(values: Float64Array, clusters: Clusters, q: number): Interval | null {
  const sorted = withoutMissing(values).sort();
  if (clusters.count === values.length) {
    const ranks = quantileRanks(sorted.length, q);
    return ranks && [sorted[ranks[0] - 1] ?? NaN, sorted[ranks[1] - 1] ?? NaN];
  }
  if (sorted.length === 0) return null;
  const middle = sortedQuantile(sorted, q);
  const below = clusteredMean(
    values.map((value) => (Number.isNaN(value) ? NaN : Number(value <= middle))),
    clusters,
  );
  const shares = below && clusteredInterval({ ...below, mean: q });
  return shares === null || shares[0] <= 0 || shares[1] >= 1
    ? null
    : [sortedQuantile(sorted, shares[0]), sortedQuantile(sorted, shares[1])];
}
