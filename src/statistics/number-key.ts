import { decimalKey } from './decimal-key';

/** Longer texts are not one number. */
const MAX_LENGTH = 200;

/** A sign, a currency, digits that may be grouped by threes, and one word as unit. */
const NUMBER = /^([+-]?)\s?\p{Sc}?\s?(\d{1,3}(?:[,'’_ ]\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(e[+-]?\d{1,9})?\s?(?:%|‰|°\p{L}?|\p{Sc}|\p{L}+[²³]?)?[.!]?$/iu;

/** The value of a text that is only a number, such as `42`, `42.0`, `−1,234.5 km` or `$12`; undefined for any other text. The unit does not count. */
export function numberKey(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, sign, digits, exponent = ''] = NUMBER.exec(plainDigits(text)) ?? [];
  const value = digits === undefined ? undefined : decimalKey(`${sign}${digits.replace(/[,'’_ ]/g, '')}${exponent}`);
  return value === undefined ? undefined : `number ${value}`;
}

/** Full-width digits, other spaces and other minus signs as the plain ones. */
function plainDigits(text: string): string {
  return text.normalize('NFKC').replace(/[‐-―−]/g, '-').replace(/\s+/g, ' ').trim();
}
