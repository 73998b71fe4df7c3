import Big from 'big.js';

/** A number as people and models write it: a sign, digits in groups of three or not, decimals and an exponent. */
const NUMBER = /(?<![\p{L}\d_.])[-+\u2212]?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,4}(?!\d))?|\.\d+)/gu;
const MAX_CHARACTERS = 60;
const MAX_EXPONENT = 400;

/** The numbers in a text, each as it is written; `12 %` is read as 12. What is too long to be meant as a number is left out. */
export function numbersIn(text: string): string[] {
  return Array.from(text.matchAll(NUMBER), ([written]) => written).filter((written) => written.length <= MAX_CHARACTERS);
}

/** Whether two numbers are at most so far apart, exactly; the first as it is written. */
export function isWithin(written: string, value: number, tolerance: number): boolean {
  const read = written.replaceAll(',', '').replace('\u2212', '-').replace('+', '');
  const exponent = Math.abs(Number(/[eE]([-+]?\d+)$/.exec(written)?.[1] ?? 0));
  // To add up numbers of very different size takes as many digits as lie between them.
  if (exponent > MAX_EXPONENT) return Math.abs(Number(read) - value) <= tolerance;
  return new Big(read).minus(value).abs().lte(tolerance);
}
