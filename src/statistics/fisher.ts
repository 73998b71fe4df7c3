import { lnGamma } from './distributions';

/** How many of independent trials succeeded. */
export interface Successes {
  passed: number;
  of: number;
}

/** Tables whose probabilities differ by rounding only count as equally probable. */
const TOLERANCE = 1 + 1e-7;

/** Two-sided p-value of Fisher's exact test that two independent samples have the same rate: all tables of these sums that are no more probable than this one. */
export function fisherP(one: Successes, other: Successes): number {
  const passed = one.passed + other.passed;
  const total = lnChoose(one.of + other.of, passed);
  const chance = (ofOne: number) => Math.exp(lnChoose(one.of, ofOne) + lnChoose(other.of, passed - ofOne) - total);
  const observed = chance(one.passed) * TOLERANCE;
  let p = 0;
  for (let ofOne = Math.max(0, passed - other.of); ofOne <= Math.min(one.of, passed); ofOne++) {
    const probability = chance(ofOne);
    if (probability <= observed) p += probability;
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
