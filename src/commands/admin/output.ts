import { print } from '../../bootstrap/terminal';
import { Money } from '../../common/money';

/** Characters that a terminal executes instead of showing, or that reverse the following text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** The same without what JSON has escaped already, and without its own line ends. */
const CONTROLS_OF_JSON = /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A column of a table: the name of the field, and its value in a row. */
export type Column<Row> = readonly [name: string, valueIn: (row: Row) => unknown];

/** Text on one line that can do nothing to a terminal. */
export function harmless(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** Prints a result on standard output: as JSON, or in words. */
export function printResult(value: object, isJson: boolean | undefined, inWords: string): void {
  process.stdout.write(isJson === true ? `${JSON.stringify(value, null, 2).replace(CONTROLS_OF_JSON, escaped)}\n` : inWords);
}

/** Prints a page of a list under its name, and in words how to get the next one if there is any. */
export function printPage<Row>(name: string, rows: readonly Row[], columns: readonly Column<Row>[], { json, limit, next }: { json: boolean | undefined; limit: number; next: string | undefined }): void {
  printResult({ [name]: rows, limit, next_cursor: next ?? null }, json, table(rows, columns));
  if (next !== undefined && json !== true) print(`There are more: --cursor ${next}`);
}

/** A record, one field a line. */
export function record(value: object): string {
  const fields = flat(value, '');
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, field]) => `${name.padEnd(width)}  ${cell(field)}\n`).join('');
}

/** Rows below the names of their fields. The last column is not padded: it is for free text of unknown width. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const lines = [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, valueIn]) => cell(valueIn(row))))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines.map((line) => `${line.map((text, index) => (index === line.length - 1 ? text : text.padEnd(widths[index] ?? 0))).join('  ')}\n`).join('');
}

/** The columns of those fields. */
export function columnsOf<Row extends object>(...names: (keyof Row & string)[]): Column<Row>[] {
  return names.map((name) => [name, (row) => row[name]]);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : harmless(value.join(','));
  // Amounts are printed with all of their digits.
  if (value instanceof Money) return value.toString();
  return harmless(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The fields of a record, those of a record within it under both names. */
function flat(value: object, prefix: string): [name: string, field: unknown][] {
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) => (isRecord(field) ? flat(field, `${prefix}${name}.`) : [[`${prefix}${name}`, field]]));
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Money);
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
