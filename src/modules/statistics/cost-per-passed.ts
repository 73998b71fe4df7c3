import { clusteredMean, clusterSums, shareInterval, type Clusters } from './clustered';
import { tQuantile } from './distributions';
import type { Interval } from './intervals';

/** The number of passed rows below which the interval is too uncertain. */
const MIN_PASSED = 5;

/** The cost of a passed answer in USD. */
export interface CostPerPassed {
  usd: number;
  /** Of 95 %; null where all costs are 0 or all rows are in one cluster. */
  interval: Interval | null;
}

/** The calls of a model by row, NaN in rows without a call. */
export interface CallsByRow {
  /** Mean cost of a call, in USD. */
  costs: Float64Array;
  /** Share of the calls that passed. */
  passes: Float64Array;
  clusters: Clusters;
  /** True if each row is one call and one cluster. */
  isWilson: boolean;
}

/**
 * The cost of all calls over the number of passed ones, with the interval of a ratio of means by its residuals (Cochran,
 * Sampling Techniques, chapter 6), on the logarithmic scale. Null below 5 passed rows.
 */
export function costPerPassed({ costs, passes, clusters, isWilson }: CallsByRow): CostPerPassed | null {
  const [spent, passed, rate] = [
    clusterSums(costs, clusters),
    clusterSums(passes, clusters),
    clusteredMean(passes, clusters),
  ];
  if (rate === null || rate.mean * rate.rows < MIN_PASSED) return null;
  const total = rate.mean * rate.rows;
  const usd = spent.reduce((sum, cost) => sum + cost, 0) / total;
  const n = spent.length;
  const rates = shareInterval(isWilson ? { ...rate, standardError: 0 } : rate);
  if (usd === 0 || n < 2 || rates === null) return { usd, interval: null };
  const squares = spent.reduce((sum, cost, index) => sum + (cost - usd * (passed[index] ?? 0)) ** 2, 0);
  const width = (tQuantile(n - 1) * Math.sqrt((squares * n) / (n - 1))) / total / usd;
  // Equal costs have no residuals but those of the rate: the interval is at least as wide as that of the rate alone.
  const perRate = (end: number) => (usd * rate.mean) / end;
  return {
    usd,
    interval: [Math.min(usd * Math.exp(-width), perRate(rates[1])), Math.max(usd * Math.exp(width), perRate(rates[0]))],
  };
}
