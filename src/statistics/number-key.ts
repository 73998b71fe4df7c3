import { decimalKey } from './decimal-key';
import { MINUS, numbersIn } from './written-numbers';

/** Longer texts are not one number. */
const MAX_LENGTH = 200;

const BEFORE = new RegExp(String.raw`^([+${MINUS}]?)\s?(\p{Sc}?)\s?$`, 'u');
const UNIT = /^\s?([%‰]|°|\p{Sc}|°?\s?\p{L}[\p{L}\d./·]*?)?[.!]?$/u;
/** Other ways to write a unit. */
const SAME_UNITS = new Map([['$', 'dollar'], ['usd', 'dollar'], ['€', 'euro'], ['eur', 'euro'], ['£', 'pound'], ['gbp', 'pound'], ['¥', 'yen'], ['jpy', 'yen'], ['percent', '%']]);
/** Words that belong to the number itself, by their powers of ten. */
const SCALES = new Map([['thousand', 3], ['million', 6], ['billion', 9], ['trillion', 12]]);

/**
 * The value and the unit of a text that is only a number, such as `42`, `42.0`, `−1,234.5 km` or `$3 million`; undefined for any other text.
 * The unit is without regard to case and plural s.
 */
export function numberKey(text: string): string | undefined {
  const [number] = text.length > MAX_LENGTH ? [] : numbersIn(text);
  const before = number && BEFORE.exec(text.slice(0, number.start));
  const after = number && UNIT.exec(text.slice(number.end).normalize('NFKC'));
  if (!before || !after) return undefined;
  const [, sign = '', currency = ''] = before;
  const word = unitOf(after[1] ?? '');
  const scale = SCALES.get(word);
  if (currency !== '' && word !== '' && scale === undefined) return undefined;
  const value = decimalKey(`${sign === '' || sign === '+' ? '' : '-'}${number.value}`, scale);
  const unit = currency === '' && scale === undefined ? word : unitOf(currency);
  return value === undefined ? undefined : `number ${value}${unit && ` ${unit}`}`;
}

function unitOf(word: string): string {
  const unit = word.toLowerCase().replace(/[\s.]/g, '').replace(/(?<=ch|x)es$|(?<=..)s$/, '');
  return SAME_UNITS.get(unit) ?? unit;
}
