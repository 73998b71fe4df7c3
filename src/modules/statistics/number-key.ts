import { decimalKey } from './decimal-key';
import { MINUS, numbersIn } from './written-numbers';

/** Longer texts are not one number. */
const MAX_LENGTH = 200;

const BEFORE = new RegExp(String.raw`^(?:\+|(?<minus>[${MINUS}]))?\s?(?<currency>\p{Sc})?\s?$`, 'u');
const AFTER = /^\s?(?<unit>[%‰]|°|\p{Sc}|°?\s?\p{L}[\p{L}\d./·]*?)?[.!]?$/u;
/** Other ways to write a unit. */
const SAME_UNITS = new Map([
  ['$', 'dollar'],
  ['usd', 'dollar'],
  ['€', 'euro'],
  ['eur', 'euro'],
  ['£', 'pound'],
  ['gbp', 'pound'],
  ['¥', 'yen'],
  ['jpy', 'yen'],
  ['percent', '%'],
]);
/** Words that belong to the number itself, by their powers of ten. */
const SCALES = new Map([
  ['thousand', 3],
  ['million', 6],
  ['billion', 9],
  ['trillion', 12],
]);

/**
 * The value and the unit of a text that is only a number, such as `42`, `42.0`, `−1,234.5 km` or `$3 million`;
 * undefined for any other text.
 * The unit is without regard to case and plural s.
 */
export function numberKey(text: string): string | undefined {
  const [number] = text.length > MAX_LENGTH ? [] : numbersIn(text);
  if (number === undefined) return undefined;
  const before = BEFORE.exec(text.slice(0, number.start))?.groups;
  const after = AFTER.exec(text.slice(number.end).normalize('NFKC'))?.groups;
  return (
    before &&
    after &&
    keyOf(`${before['minus'] ? '-' : ''}${number.value}`, unitOf(before['currency']), unitOf(after['unit']))
  );
}

function keyOf(value: string, currency: string, word: string): string | undefined {
  const scale = SCALES.get(word);
  const unit = scale === undefined ? currency + word : currency;
  const decimal = decimalKey(value, scale);
  const isOfTwoUnits = scale === undefined && currency !== '' && word !== '';
  return decimal === undefined || isOfTwoUnits ? undefined : `number ${decimal}${unit && ` ${unit}`}`;
}

function unitOf(word = ''): string {
  const unit = word
    .toLowerCase()
    .replace(/[\s.]/g, '')
    .replace(/(?<=ch|x)es$|(?<=..)s$/, '');
  return SAME_UNITS.get(unit) ?? unit;
}
