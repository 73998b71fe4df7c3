import { Numbering } from './fingerprint';
import { jsonKey } from './json-key';
import { normalized } from './normalized';
import { numberKey } from './number-key';

const NUMBER_KEY = /^number \S+(?: (.+))?$/;
/** These change the value of a number: without them it is another one. */
const PARTS = new Set(['%', '‰']);

/**
 * Numbers the meanings of answers, so that agreeing answers have the same number. All answers are read before the first
 * number is resolved.
 */
export class Sayings {
  private readonly numbers = new Numbering();
  private readonly units = new Set<string>();
  /** The meanings of numbers without a unit. */
  private readonly bare = new Map<number, string>();

  /** The number of an answer's meaning, from the answer alone. */
  read(answer: string): number {
    const key = agreementKey(answer);
    const saying = this.numbers.numberOf(key);
    const number = NUMBER_KEY.exec(key);
    if (number?.[1] !== undefined) this.units.add(number[1]);
    else if (number !== null) this.bare.set(saying, key);
    return saying;
  }

  /**
   * The number of what it says beside all others: where all units are the same, a number without a unit has that one
   * too. So agreement stays transitive.
   */
  resolved(saying: number): number {
    const key = this.bare.get(saying);
    const [unit, ...others] = this.units;
    return key === undefined || unit === undefined || others.length > 0 || PARTS.has(unit)
      ? saying
      : this.numbers.numberOf(`${key} ${unit}`);
  }
}

/** Longer answers agree only when they are the same, letter for letter: to read one takes time. */
const MAX_READ_CHARACTERS = 50_000;

export function agreementKey(answer: string): string {
  if (answer.length > MAX_READ_CHARACTERS) return `long ${answer}`;
  const text = withoutFence(answer.trim());
  return jsonKey(text) ?? numberKey(text) ?? numberKey(undecorated(text)) ?? `text ${plainText(text)}`;
}

/** Models like to put JSON into a code fence; one around the whole answer does not count. */
function withoutFence(text: string): string {
  const firstLine = text.indexOf('\n');
  if (!text.startsWith('```') || !text.endsWith('```') || firstLine < 0 || firstLine > text.length - 4) return text;
  return text.slice(firstLine + 1, -3).trim();
}

/**
 * Without the differences that do not count: forms of a character, case, white space within lines, decoration.
 * Indentation counts, as it does in programs.
 */
function plainText(text: string): string {
  const joined = normalized(text).replace(/\s+/g, (space) =>
    /\n[ \t]+$/.test(space) ? space.slice(space.lastIndexOf('\n')) : ' ',
  );
  const plain = undecorated(joined.trim());
  return plain === '' ? joined.trim() : plain;
}

const PAIRS = [
  ['**', '**'],
  ['*', '*'],
  ['`', '`'],
  ['$', '$'],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['„', '“'],
  ['‘', '’'],
  ['«', '»'],
  ['‹', '›'],
  ['「', '」'],
  ['(', ')'],
] as const;
/** Marks that end a sentence or part of one. */
const ENDS = '.,;:!?…。、，．！？；：';
/** A mark of Markdown before a line, and the marks that open a question or an exclamation. */
const BEGINNING = /^(?:(?:[-*+•]|#{1,6}|>) +|[¿¡])+/;

/**
 * Without Markdown before it, marks at its end, quotation marks and the like around all of it. Any other mark may mean
 * something: `C#`, `-x`, `/etc`.
 */
function undecorated(text: string): string {
  let rest = text;
  for (let length = -1; length !== rest.length;) {
    length = rest.length;
    rest = withoutPair(withoutEnd(rest.replace(BEGINNING, '')));
  }
  return rest;
}

/** By hand: a pattern for the end would be tried at every mark within the text. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (ENDS.includes(text.charAt(end - 1)) || text.charAt(end - 1) === ' ')) end--;
  return text.slice(0, end);
}

function withoutPair(text: string): string {
  const [open, close] = PAIRS.find(
    ([opening, closing]) =>
      text.length > opening.length + closing.length && text.startsWith(opening) && text.endsWith(closing),
  ) ?? ['', ''];
  const inner = text.slice(open.length, text.length - close.length);
  // A pair that is closed inside does not enclose the whole text.
  return open !== '' && !inner.includes(open) && !inner.includes(close) ? inner.trim() : text;
}
