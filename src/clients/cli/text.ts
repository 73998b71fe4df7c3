import { styleText } from 'node:util';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** The style that sets a piece of text apart. */
export type Style = Parameters<typeof styleText>[0];
/** Adds a style, or nothing where there are no colors. */
export type Paint = (style: Style, text: string) => string;

// C0 but for line feed and tab, DEL, C1, and what turns the direction of the text after it.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const GRAPHEMES = new Intl.Segmenter();

/**
 * Text that can do nothing to a terminal: control characters are shown as symbols, line ends and tabs are kept simple.
 */
export function harmless(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|[\u2028\u2029]/g, '\n')
    .replace(CONTROLS, symbolOf)
    .replaceAll('\t', '    ');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s+/g, ' ').trim();
}

/** A count with its noun: "1 row", "300 rows". */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** JSON that is harmless to a terminal: control characters that JSON allows become JSON escapes. */
export function harmlessJson(json: string): string {
  return json.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The lines of a text at that width; words longer than a line are cut. Indentation stays, but not the blank at which a
 * line was broken.
 */
export function wrap(text: string, width: number): string[] {
  const wrapLine = (line: string) =>
    wrapAnsi(line, width, { hard: true, trim: false })
      .replace(/[ ]*\n[ ]*/g, '\n')
      .split('\n');
  return text.split('\n').flatMap(wrapLine);
}

/** Exactly that many columns wide: cut with `…`, or filled with blanks on the right. */
export function fit(text: string, width: number): string {
  const cut = truncate(text, width);
  return cut + ' '.repeat(Math.max(0, width - stringWidth(cut)));
}

/** At most that many columns wide. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let [cut, used] = ['', 1];
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    cut += segment;
  }
  return width < 1 ? '' : `${cut}…`;
}

/** Adds colors, or returns the text unchanged. */
export function painter(hasColors: boolean): Paint {
  // Colors were decided for the output stream already, so Node must not decide again.
  return hasColors ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}

function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
