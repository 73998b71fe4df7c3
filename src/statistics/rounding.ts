/** A statistic in an answer: rounded to 6 significant digits. */
export function sixDigits(value: number): number {
  return Number(value.toPrecision(6));
}
