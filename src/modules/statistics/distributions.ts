/** The 97.5 % quantile of the standard normal distribution: every interval here covers 95 %. */
export const Z = 1.959963984540054;

// Lanczos' approximation with g = 7; relative error below 1e-13.
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Natural logarithm of Γ(x), for x > 0. */
export function lnGamma(x: number): number {
  const base = x + 6.5;
  const series = LANCZOS.reduce(
    (sum, coefficient, index) => sum + (index === 0 ? coefficient : coefficient / (x - 1 + index)),
    0,
  );
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series);
}

/** The regularized incomplete beta function I_x(a, b), for a, b > 0 and 0 ≤ x ≤ 1. */
export function regularizedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The continued fraction converges quickly on this side of the mean only.
  if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(x, a, b)) / a;
  return 1 - (front * betaFraction(1 - x, b, a)) / b;
}

const TINY = 1e-300;
const awayFromZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** The continued fraction of the incomplete beta function, by Lentz' method. */
function betaFraction(x: number, a: number, b: number): number {
  let numerator = 1;
  let denominator = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = denominator;
  for (let m = 1; m <= 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      denominator = 1 / awayFromZero(1 + term * denominator);
      numerator = awayFromZero(1 + term / numerator);
      change = numerator * denominator;
      fraction *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return fraction;
}

/** Probability of at most `k` successes in `n` trials that succeed with probability `p` each. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return regularizedBeta(1 - p, n - k, k + 1);
}

/** Two-sided p-value of Student's t with `df` degrees of freedom. */
export function tTwoSidedP(t: number, df: number): number {
  return regularizedBeta(df / (df + t * t), df / 2, 0.5);
}

/**
 * The 97.5 % quantile of Student's t with `df` degrees of freedom: half the width of a 95 % interval in standard
 * errors.
 */
export function tQuantile(df: number): number {
  let low = 0;
  let high = 2;
  while (tTwoSidedP(high, df) > 0.05) high *= 2;
  // 100 halvings end at neighboring floats.
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (tTwoSidedP(middle, df) > 0.05) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
