import { EXACT, shortAmount } from '../client/amount-text';
import { isMore, unitsOf } from '../client/amount-units';

export { isNothing, priceRange } from '../client/amount-text';

/**
 * Price of a million tokens for a column of prices: three significant digits and at least cents, such as `$15.00`;
 * rounded on its text.
 */
export function shortPrice(exact: string): string {
  const short = shortAmount(exact);
  return short.includes('.') || !EXACT.test(exact) ? short : `${short}.00`;
}

/** How much of the whole that part is, from 0 to 1; for lengths of bars only, so it is not exact. */
export function shareOf(part: string, whole: string): number {
  const [partUnits, wholeUnits] = [unitsOf(part), unitsOf(whole)];
  if (partUnits <= 0n || wholeUnits <= 0n) return 0;
  return partUnits >= wholeUnits ? 1 : Number((partUnits * 10_000n) / wholeUnits) / 10_000;
}

/** The largest of these amounts, `0` where all are less. */
export function maxAmount(amounts: readonly string[]): string {
  return amounts.reduce((most, amount) => (isMore(amount, most) ? amount : most), '0');
}
