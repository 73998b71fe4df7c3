import { lnGamma } from './distributions';

/** How many of independent trials succeeded. */
export interface Successes {
  passed: number;
  of: number;
}

/**
 * Two-sided p-value of Fisher's exact test that two independent samples have the same rate: all tables of these sums
 * that are no more probable than this one.
 */
export function fisherP(one: Successes, other: Successes): number {
  const passed = one.passed + other.passed;
  const total = lnChoose(one.of + other.of, passed);
  const chance = (ofOne: number) => Math.exp(lnChoose(one.of, ofOne) + lnChoose(other.of, passed - ofOne) - total);
  // Probabilities that differ by rounding only count as equal.
  const observed = chance(one.passed) * (1 + 1e-7);
  let p = 0;
  for (let ofOne = Math.max(0, passed - other.of); ofOne <= Math.min(one.of, passed); ofOne++) {
    if (chance(ofOne) <= observed) p += chance(ofOne);
  }
  return Math.min(1, p);
}

/** The least p-value that samples of these sizes can have: all of one and none of the other succeeded. */
export function leastFisherP(one: number, other: number): number {
  return fisherP({ passed: one, of: one }, { passed: 0, of: other });
}

function lnChoose(n: number, k: number): number {
  return lnGamma(n + 1) - lnGamma(k + 1) - lnGamma(n - k + 1);
}
