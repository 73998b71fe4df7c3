import stringWidth from 'string-width';
import { fit, harmless, oneLine, type Paint } from './text';

/** What a table is made of: its head, and lines of as many cells. */
export interface Table {
  head: readonly string[];
  lines: readonly (readonly string[])[];
  /** Columns of figures, which stand on the right. */
  right?: readonly number[];
  /** The column that gives way when the terminal is too narrow. */
  flexible: number;
}

const GAP = 2;

/** For people: aligned, and no wider than the terminal. */
export function tableLines({ head, lines, right = [], flexible }: Table, width: number, paint: Paint): string[] {
  const cells = lines.map((line) => line.map(oneLine));
  const widths = head.map((name, i) => Math.max(stringWidth(name), ...cells.map((line) => stringWidth(line[i] ?? ''))));
  const tooWide = widths.reduce((sum, each) => sum + each, 0) + GAP * (head.length - 1) - width;
  if (tooWide > 0) widths[flexible] = Math.max(8, (widths[flexible] ?? 0) - tooWide);
  const line = (texts: readonly string[]) => texts.map((text, i) => (right.includes(i) ? text.padStart(widths[i] ?? 0) : fit(text, widths[i] ?? 0))).join(' '.repeat(GAP)).trimEnd();
  return [paint('bold', line(head)), ...cells.map(line)];
}

/** For programs: a head and a line each, cells separated by tabs; line ends, tabs and backslashes within are escaped. */
export function tabSeparated({ head, lines }: Table): string[] {
  return [head.join('\t'), ...lines.map((line) => line.map((cell) => harmless(cell.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found))).join('\t'))];
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
