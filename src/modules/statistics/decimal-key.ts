const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,9}))?$/i;

/**
 * The value of a plain decimal as a text, the same for every way of writing it (`42`, `42.0`, `4.2e1`), however many
 * digits it has.
 * Undefined for anything else. With a power of ten it is multiplied by that.
 */
export function decimalKey(text: string, power = 0): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (whole + fraction === '') return undefined;
  const digits = trimZeros(whole + fraction, 0, whole.length + fraction.length);
  if (digits === '') return '0';
  // The position of the last digit that is not 0, counted from the point.
  const scale = Number(exponent) + power - fraction.length + trailingZeros(whole + fraction);
  return `${sign === '-' ? '-' : ''}${digits}e${scale}`;
}

function trimZeros(digits: string, start: number, end: number): string {
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return digits.slice(start, end);
}

function trailingZeros(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.length - end;
}
