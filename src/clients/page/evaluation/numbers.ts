import { DASH } from '../compare/answers/figures';

/** An interval of the service, lower end first. It gives none where none would be honest. */
export type Interval = readonly [low: number, high: number];

/** At most three significant digits, without an exponent: "0.93", "1,210". */
export function numberText(value: number): string {
  return value.toLocaleString('en-US', {
    maximumSignificantDigits: Math.abs(value) >= 100 ? 6 : 3,
    maximumFractionDigits: Math.abs(value) >= 100 ? 0 : 12,
    roundingPriority: 'lessPrecision',
  });
}

/** A share as a whole number of percent; the ends of the scale only where they are meant. */
export function percentText(share: number): string {
  const percent = Math.round(share * 100);
  const honest = share < 1 && percent === 100 ? 99 : share > 0 && percent === 0 ? 1 : percent;
  return `${honest} %`;
}

/** "0.40 to 0.95 s", without a common unit where `text` writes its own. */
export function rangeText(interval: Interval | null | undefined, text: (value: number) => string): string {
  if (!interval) return DASH;
  const [low, high] = interval.map(text) as [string, string];
  const unit = / \D+$/.exec(high)?.[0] ?? '';
  return `${unit !== '' && low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high}`;
}
