/** A number in a text: its written form, its value as a plain decimal such as `-1234.5` or `1e3`, and its position. */
export interface WrittenNumber {
  written: string;
  value: string;
  start: number;
  end: number;
}

/** Every minus sign that is in use: hyphens, dashes and the sign itself. */
export const MINUS = '\\-\u2010-\u2015\u2212';
/** Separators of groups: `1,234,567`, `1'234`, `1_234` and `1 234` with any space of one line. */
const GROUPED = String.raw`\d{1,3}(?:(?:,\d{3})+(?!\d)(?:\.\d+)?|(?<by>['’_ \u00a0\u2007\u2009\u202f])\d{3}(?:\k<by>\d{3})*(?!\d)(?:[.,]\d+)?|(?:\.\d{3})+,\d+|(?:\.\d{3}){2,}(?!\d))`;
/** A comma is a decimal point before one or two digits and behind a lone 0, unless more commas make it a list. */
const DECIMAL_COMMA = String.raw`(?<!\d,)(?:0,\d+|\d+,\d{1,2}(?!\d))(?!,\d)`;
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\d_.])(?:[+${MINUS}]\p{Sc}?)?(?:(?:${DECIMAL_COMMA}|${GROUPED}|\d+(?:\.\d+)?)(?:[eE][+${MINUS}]?\d{1,4}(?!\d))?|\.\d+)`,
  'gu',
);

const ANY_MINUS = new RegExp(`[${MINUS}]`, 'g');
const GROUPED_BY_COMMA = /^(?!0,\d+$)\d{1,3}(?:,\d{3})+(?:\.|$)/;

/**
 * Digits that are part of something else: fractions, powers, products without spaces, hexadecimal digits, dates and
 * versions.
 */
const GLUED_BEFORE = /(?:[/^\u2044×]|[_^]\{|\}\{|\\(?:[dt]?frac|sqrt)\{)$/;
const GLUED_AFTER = /^(?:[/^\u2044×\p{No}x]|\}\{|\.\d|[bo]\d|\s?(?:[x×·*]|\\times|\\cdot)\s?10[\^\p{No}])/iu;
const GLUE_CHARACTERS = 12;
/** A longer run of digits is not meant as a number. */
const MAX_CHARACTERS = 60;
/** The number of characters that are read at once from the end of a text, beside the context of a number. */
const WINDOW_CHARACTERS = 4096;
const CONTEXT_CHARACTERS = 256;

export function* numbersIn(text: string): Generator<WrittenNumber, undefined> {
  const plain = withPlainDigits(text);
  for (const { 0: written, index: start } of plain.matchAll(NUMBER)) {
    const end = start + written.length;
    if (written.length <= MAX_CHARACTERS && !isGlued(plain, start, end))
      yield { written, value: valueOf(written), start, end };
  }
}

/**
 * The last number in a text, which is looked for from its end. Where digits and separators follow each other for longer
 * than that context, they may be divided otherwise than from the beginning.
 */
export function lastNumberIn(text: string): WrittenNumber | undefined {
  for (let end = text.length; ; end -= WINDOW_CHARACTERS) {
    const from = Math.max(0, end - WINDOW_CHARACTERS);
    const start = Math.max(0, from - CONTEXT_CHARACTERS);
    // Numbers that begin beyond the window's ends are read only for those within it.
    const found = [...numbersIn(text.slice(start, end + CONTEXT_CHARACTERS))].findLast(
      (number) => number.start >= from - start && number.start < end - start,
    );
    if (found !== undefined || from === 0)
      return found && { ...found, start: found.start + start, end: found.end + start };
  }
}

function isGlued(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - GLUE_CHARACTERS), start);
  const after = text.slice(end, end + GLUE_CHARACTERS);
  // A number alone in brackets is a footnote.
  return GLUED_BEFORE.test(before) || GLUED_AFTER.test(after) || (before.endsWith('[') && after.startsWith(']'));
}

function valueOf(written: string): string {
  const plain = written.replace(ANY_MINUS, '-').replace(/^\+|\p{Sc}/gu, '');
  return plain.replace(/[\d.,'’_\s]+/, withoutGroups);
}

function withoutGroups(digits: string): string {
  const point = digits.includes(',') && !GROUPED_BY_COMMA.test(digits) ? ',' : '.';
  const [whole = '', fraction = '', ...more] = digits.split(point).map((part) => part.replace(/\D/g, ''));
  return more.length > 0 ? digits.replace(/\D/g, '') : `${whole}${fraction && `.${fraction}`}`;
}

/** Digits and signs of full width as the plain ones, in the same places. */
function withPlainDigits(text: string): string {
  return text.replace(/[０-９．，＋－％]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}
