import { DOLLARS } from '../../../common/dollars';
import type { Interval } from '../../statistics/intervals';
import type { PairedColumns } from './paired-columns';

/** A share in points of a hundred: "−1.3". */
export function inPoints(share: number): string {
  return (100 * share)
    .toFixed(1)
    .replace(/^-(?=0\.0$)/, '')
    .replace('-', '−');
}

/** A share in percent: "84.0 %". */
export function inPercent(share: number): string {
  return `${inPoints(share)} %`;
}

/** A coverage in percent, rounded down so that it is never more than it is. */
export function coverageInWords(coverage: number): string {
  return inPercent(Math.floor(1000 * coverage + 1e-9) / 1000);
}

/** A list of names: "a, b and c". */
export function namesInWords(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

/** A difference in points with its interval: "1.3 points, −2.9 to 5.5". */
export function differenceInWords({ mean, interval }: Pick<PairedColumns, 'mean' | 'interval'>): string {
  const range = interval === null ? '' : `, ${inPoints(interval[0])} to ${inPoints(interval[1])}`;
  return `difference ${inPoints(mean?.mean ?? 0)} points${range}`;
}

/** The size of a difference that is certain: "6.0 points (2.1 to 9.9)". Its sign is left out. */
export function sizeInWords({ mean, interval }: Pick<PairedColumns, 'mean' | 'interval'>): string {
  const ends = interval
    ?.map(Math.abs)
    .sort((left, right) => left - right)
    .map(inPoints);
  return `${inPoints(Math.abs(mean?.mean ?? 0))} points${ends ? ` (${ends.join(' to ')})` : ''}`;
}

/** How much less, by a ratio below 1: "84 % less". Never 100 %. */
export function lessInWords(ratio: number): string {
  const percent = 100 * (1 - ratio);
  return `${percent < 99 ? Math.round(percent) : Math.min(99.9, Math.floor(10 * percent) / 10)} % less`;
}

/** "300 rows", "1 row". */
export function rowsInWords(rows: number): string {
  return `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`;
}

/** A ratio with its interval: "1.99 × (1.93 to 2.06)". */
export function ratioInWords({ mean, interval }: PairedColumns, isInverted: boolean): string {
  if (mean === null) return 'no ratio, because an amount is 0';
  const sign = isInverted ? -1 : 1;
  const factor = (logarithm: number) => String(Number(Math.exp(sign * logarithm).toPrecision(3)));
  const ends: Interval | null = interval && (isInverted ? [interval[1], interval[0]] : interval);
  return `${factor(mean.mean)} ×${ends === null ? '' : ` (${ends.map(factor).join(' to ')})`}`;
}

/** An amount in two digits: "$0.0000091"; "nothing" of 0. */
export function dollarsInWords(usd: number): string {
  return usd === 0 ? 'nothing' : DOLLARS.format(usd);
}
