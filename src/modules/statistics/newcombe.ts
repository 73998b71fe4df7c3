import { wilson, type Interval } from './intervals';

/** How many pairs passed in both, only in the first, only in the second, and in none. */
export interface PairedCounts {
  both: number;
  first: number;
  second: number;
  none: number;
}

/** Newcombe's interval (method 10) of the difference of two paired rates, first minus second; null without a pair. */
export function newcombe({ both, first, second, none }: PairedCounts): Interval | null {
  const n = both + first + second + none;
  const [one, other] = [wilson(both + first, n), wilson(both + second, n)];
  if (one === null || other === null) return null;
  const [rate, otherRate] = [(both + first) / n, (both + second) / n];
  const correlation = correlationOf({ both, first, second, none });
  const reach = (left: number, right: number) =>
    Math.sqrt(Math.max(0, left ** 2 - 2 * correlation * left * right + right ** 2));
  const difference = (first - second) / n;
  return [
    Math.max(-1, difference - reach(rate - one[0], other[1] - otherRate)),
    Math.min(1, difference + reach(one[1] - rate, otherRate - other[0])),
  ];
}

/** The phi coefficient, with a continuity correction where it is positive. */
function correlationOf({ both, first, second, none }: PairedCounts): number {
  const margins = (both + first) * (second + none) * (both + second) * (first + none);
  if (margins === 0) return 0;
  const product = both * none - first * second;
  return (product > 0 ? Math.max(0, product - (both + first + second + none) / 2) : product) / Math.sqrt(margins);
}
