import stringWidth from 'string-width';
import { fit, harmless, oneLine, truncate, wrap, type Paint } from './text';

/** The content of a table: its head, and lines with the same number of cells. */
export interface Table {
  head: readonly string[];
  lines: readonly (readonly string[])[];
  /** Columns of figures, which are aligned to the right. */
  right?: readonly number[];
  /** The column that gives way when the terminal is too narrow; without one nothing is cut. */
  flexible?: number;
  /** Columns that are left out, the first of these first, where the terminal is still too narrow. */
  optional?: readonly number[];
}

/** A figure of a table for programs, if there is one. */
export type Cell = string | number | null | undefined;

/** A figure, or an empty cell. */
export function cellText(cell: Cell): string {
  return String(cell ?? '');
}

const GAP = 2;
const MIN_FLEXIBLE_WIDTH = 12;

/**
 * For people: aligned, and no wider than the terminal; where that is too narrow for any such table, one cell below the
 * other.
 */
export function tableLines(table: Table, width: number, paint: Paint): string[] {
  const cells = table.lines.map((line) => line.map(oneLine));
  const { optional = [] } = table;
  for (let left = 0; left <= optional.length; left += 1) {
    const lines = linesOf(
      { ...table, lines: cells },
      table.head.map((_, i) => i).filter((i) => !optional.slice(0, left).includes(i)),
      width,
      paint,
    );
    if (lines !== undefined) return lines;
  }
  const valueOf = (line: readonly string[], at: number) =>
    at === table.flexible ? truncate(line[at] ?? '', 2 * width) : (line[at] ?? '');
  return cells.flatMap((line, i) => [
    ...(i === 0 ? [] : ['']),
    ...recordLines(
      table.head.map((name, at) => [name, valueOf(line, at)]),
      width,
      paint,
    ),
  ]);
}

/** The table of those columns; undefined where it does not fit. */
function linesOf(
  { head, lines, right = [], flexible }: Table,
  columns: readonly number[],
  width: number,
  paint: Paint,
): string[] | undefined {
  const widths = head.map((name, i) => Math.max(stringWidth(name), ...lines.map((line) => stringWidth(line[i] ?? ''))));
  const tooWide = columns.reduce((sum, i) => sum + (widths[i] ?? 0), 0) + GAP * (columns.length - 1) - width;
  if (tooWide > 0) {
    if (flexible === undefined || !columns.includes(flexible)) return undefined;
    widths[flexible] = (widths[flexible] ?? 0) - tooWide;
    if (widths[flexible] < MIN_FLEXIBLE_WIDTH) return undefined;
  }
  const line = (texts: readonly string[]) =>
    columns
      .map((i) => (right.includes(i) ? (texts[i] ?? '').padStart(widths[i] ?? 0) : fit(texts[i] ?? '', widths[i] ?? 0)))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [paint('bold', line(head)), ...lines.map(line)];
}

/** Names and what they stand for, one below the other; nothing is cut, and what is empty is left out. */
export function recordLines(
  pairs: readonly (readonly [name: string, value: string])[],
  width: number,
  paint: Paint,
): string[] {
  const indent = Math.max(...pairs.map(([name]) => stringWidth(name))) + GAP;
  return pairs
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) => {
      const [first = '', ...rest] = wrap(oneLine(value), Math.max(1, width - indent));
      return [
        `${paint('bold', fit(name, indent))}${first}`.trimEnd(),
        ...rest.map((line) => ' '.repeat(indent) + line),
      ];
    });
}

/**
 * For programs: a head and a line each, cells separated by tabs; line ends, tabs and backslashes within are escaped.
 */
export function tabSeparated({ head, lines }: Table): string[] {
  return [
    head.join('\t'),
    ...lines.map((line) =>
      line.map((cell) => harmless(cell.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found))).join('\t'),
    ),
  ];
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
