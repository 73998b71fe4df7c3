import { Z } from './distributions';
import { wilson } from './intervals';
import type { ClusteredMean } from './clustered';

/** The 97.5 % plus the 80 % quantile of the standard normal distribution. */
export const Z_OF_POWER = 2.801585;

/** The difference that as many rows as these show with a probability of 80 %; null where the spread is not known. */
export function detectableDifference({ standardError, clusters }: ClusteredMean): number | null {
  // Without a spread, it is the largest difference that may have stayed unseen.
  return standardError === 0 ? (wilson(0, clusters)?.[1] ?? null) : standardError && Z_OF_POWER * standardError;
}

/**
 * The number of rows after which the interval of a difference lies above `-tolerance`, if the difference and its spread
 * stay; null where it does not.
 */
export function rowsNeeded({ mean, rows, clusters, standardError }: ClusteredMean, tolerance: number): number | null {
  const margin = tolerance + mean;
  if (margin <= 0 || standardError === null) return null;
  if (standardError > 0) return Math.ceil(rows * ((Z * standardError) / margin) ** 2);
  // Without a spread the interval is Wilson's, which narrows with the number of clusters.
  return Math.ceil((rows / clusters) * Z ** 2 * Math.max(0, 1 / margin - 1));
}
