import { Money } from './money';

/** The largest amount the wire takes. */
export const MOST_DOLLARS = 1_000_000_000;

/** Reads an amount that came as a JSON number: its shortest decimal is what the caller wrote. */
export function dollars(amount: number): Money {
  const shortest = String(amount);
  return Money.of(shortest.includes('e') ? amount.toFixed(20) : shortest);
}
