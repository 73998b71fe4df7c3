import { binomialCdf } from './distributions';
import type { Interval } from './intervals';

const HALF_ALPHA = 0.025;

/** The quantile `q` of at least one value, interpolated linearly (type 7, as numpy and R do by default). */
export function quantile(values: readonly number[], q: number): number {
  return sortedQuantile(ascending(values), q);
}

/** The quantile `q` of at least one value, given in ascending order. */
export function sortedQuantile(sorted: ArrayLike<number>, q: number): number {
  const position = (sorted.length - 1) * q;
  const below = at(sorted, Math.floor(position));
  return below + (at(sorted, Math.ceil(position)) - below) * (position - Math.floor(position));
}

/** The median of at least one value. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * The 95 % interval of the quantile `q`: two of the values, which may be equal. Null when there are too few of them; a
 * median needs 6.
 */
export function quantileInterval(values: readonly number[], q: number): Interval | null {
  const ranks = quantileRanks(values.length, q);
  if (ranks === null) return null;
  const sorted = ascending(values);
  return [at(sorted, ranks[0] - 1), at(sorted, ranks[1] - 1)];
}

/**
 * The ranks, counted from 1, of the order statistics between which the quantile `q` of `n` values lies; null when one
 * is missing.
 */
export function quantileRanks(n: number, q: number): Interval | null {
  const lower = firstRank(n, (rank) => binomialCdf(rank - 1, n, q) > HALF_ALPHA) - 1;
  const upper = firstRank(n, (rank) => binomialCdf(rank - 1, n, q) >= 1 - HALF_ALPHA);
  return lower < 1 || upper > n ? null : [lower, upper];
}

/** The first rank from 1 on from which `isReached` stays true, by halving; n + 1 if there is none. */
function firstRank(n: number, isReached: (rank: number) => boolean): number {
  let [low, high] = [1, n + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((left, right) => left - right);
}

function at(sorted: ArrayLike<number>, index: number): number {
  const value = sorted[index];
  if (value === undefined) throw new RangeError('A quantile needs a value.');
  return value;
}
