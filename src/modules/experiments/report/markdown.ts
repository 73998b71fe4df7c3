/** Characters by which a text could change the order of others, or end a line. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/** Characters of a text that are shown, unless it may be longer. */
const MOST = 600;
/** With the marks of links that need no brackets, and of formulas. */
const MARKUP = /[\\`*_[\]<>&|#~!@$]|:(?=\/\/)|(?<=www)\./gi;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text in one line of Markdown that stays what it is: no markup, link or cell begins or ends in it. */
export function plain(text: string, most = MOST): string {
  return clipped(text.replace(/\s+/g, ' '), most)
    .replace(CONTROLS, '\ufffd')
    .replace(MARKUP, (mark) => ENTITIES[mark] ?? `\\${mark}`)
    .replace(/^(\d*)([-+=.)])/, '$1\\$2');
}

/** An unchanged text in a fence that is longer than every one in it. */
export function fenced(text: string, most = MOST): string {
  const shown = clipped(text, most);
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${shown.replace(/\r\n?/g, '\n').replace(CONTROLS, '\ufffd')}\n${fence}`;
}

/** A table; the cells are Markdown. */
export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n');
}

/** The beginning of a text; a report is read, and the rows have it all. */
function clipped(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()} …` : text;
}
