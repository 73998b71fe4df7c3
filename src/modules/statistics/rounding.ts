import type { Interval } from './intervals';

/** A statistic in an answer: rounded to 6 significant digits. */
export function sixDigits(value: number): number {
  return Number(value.toPrecision(6));
}

export function roundedInterval(interval: Interval | null): Interval | null {
  return interval && [sixDigits(interval[0]), sixDigits(interval[1])];
}
