import Big from 'big.js';

const MAX_EXPONENT = 400;

/** True if two numbers differ by at most `tolerance`, exactly; the first is a plain decimal. */
export function isWithin(value: string, expected: number, tolerance: number): boolean {
  const exponent = Math.abs(Number(/[eE]([-+]?\d+)$/.exec(value)?.[1] ?? 0));
  // To add up numbers of very different size takes as many digits as lie between them.
  if (exponent > MAX_EXPONENT) return Math.abs(Number(value) - expected) <= tolerance;
  return new Big(value).minus(expected).abs().lte(tolerance);
}
