import { jsonKey } from './json-key';
import { normalized } from './normalized';
import { numberKey } from './number-key';

/** Whether two answers say the same: as JSON, as a number, or as a text without regard to case, spaces and outer punctuation. */
export function agree(left: string, right: string): boolean {
  return left === right || agreementKey(left) === agreementKey(right);
}

/** Longer answers agree only when they are the same, letter for letter: to read one takes time. */
const MAX_READ_CHARACTERS = 50_000;

/** What an answer says, as a text: two answers agree when this is the same. So whoever agrees with one of a class agrees with all of it. */
export function agreementKey(answer: string): string {
  if (answer.length > MAX_READ_CHARACTERS) return `long ${answer}`;
  const text = withoutFence(answer.trim());
  return jsonKey(text) ?? numberKey(text) ?? `text ${plainText(text)}`;
}

/** Models like to put JSON into a code fence; one around the whole answer does not count. */
function withoutFence(text: string): string {
  const firstLine = text.indexOf('\n');
  if (!text.startsWith('```') || !text.endsWith('```') || firstLine < 0 || firstLine > text.length - 4) return text;
  return text.slice(firstLine + 1, -3).trim();
}

const OUTER = /[\p{P}\s]/u;

/** Without the differences that do not count: forms of a character, case, white space, punctuation around it all. */
function plainText(text: string): string {
  const joined = normalized(text).replace(/\s+/g, ' ').trim();
  // From both ends by hand: a pattern for the end would be tried at every mark within the text.
  let start = 0;
  let end = joined.length;
  while (start < end && OUTER.test(joined.charAt(start))) start++;
  while (end > start && OUTER.test(joined.charAt(end - 1))) end--;
  return start === end ? joined : joined.slice(start, end);
}
