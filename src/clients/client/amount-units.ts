import { EXACT } from './amount-text';

const DECIMALS = 40;

/** An exact amount in units of 10⁻⁴⁰ dollars, for comparisons; 0 for what is no amount. */
export function unitsOf(exact: string): bigint {
  const [, sign, whole, fraction = ''] = EXACT.exec(exact) ?? [];
  if (whole === undefined) return 0n;
  const units = BigInt(whole + fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS));
  return sign === '-' ? -units : units;
}

/** True if the first amount is more than the second; both are exact decimal text. */
export function isMore(left: string, right: string): boolean {
  return unitsOf(left) > unitsOf(right);
}
