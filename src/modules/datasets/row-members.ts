import type * as csv from 'csv-parse/sync';
import { MAX_VARIABLES, quotedName, type Columns } from './columns';
import { isLfsPointer, LFS_POINTER, type Faults } from './faults';
import { parsedJson } from './parsed-json';
import type { FileRecord } from './split-records';

/** The unchecked members of a row. */
export interface RowMembers {
  line: number;
  members: Readonly<Record<string, unknown>>;
}

/** The members of rows that are JSON objects. Adds a fault for each that is not. */
export async function* jsonMembers(
  records: AsyncIterable<FileRecord>,
  columns: Columns,
  faults: Faults,
): AsyncGenerator<RowMembers> {
  for await (const { line, bytes } of records) {
    const text = textOf({ line, bytes }, faults);
    if (text === undefined || text.trim() === '') continue;
    refusePointer(text, line, faults);
    const value = parsedJson(text);
    if (value instanceof SyntaxError) faults.add(line, 'is not valid JSON; each row is one JSON object');
    else if (!isObject(itemOf(value))) faults.add(line, 'is not a JSON object');
    else yield* present(line, columns.membersOf(entriesOf(text, value), line, faults));
  }
}

/**
 * The members of the rows of a CSV file, whose first row names the columns. Empty cells of members are absent. @throws
 * ApiError invalid_request if the header is unusable
 */
export async function* csvMembers(
  records: AsyncIterable<FileRecord>,
  columns: Columns,
  faults: Faults,
): AsyncGenerator<RowMembers> {
  // Loaded with the first CSV file.
  const { parse } = await import('csv-parse/sync');
  let header: string[] | undefined;
  let delimiter = ',';
  for await (const record of records) {
    const { line } = record;
    if (header === undefined) delimiter = delimiterOf(record.bytes.toString());
    const cells = cellsOf(parse, record, { delimiter, faults });
    // Without a header, no other row can be read.
    if (header === undefined && cells === undefined) faults.refuse();
    if (cells === undefined) continue;
    if (header === undefined) {
      header = namesOf(cells, columns);
      refusePointer(header.join(), line, faults);
      const problem = headerProblem(header, columns);
      if (problem !== undefined) faults.stop(line, problem);
      columns.begin(header);
    } else if (cells.length !== header.length)
      faults.add(line, `has ${count(cells.length, 'cell')}; the header has ${header.length}`);
    else if (cells.every((cell, index) => cell.trim() === header?.[index])) faults.add(line, 'repeats the header');
    else
      yield* present(
        line,
        columns.membersOf(
          header.map((name, index) => [name, cellOf(name, cells[index] ?? '')]),
          line,
          faults,
        ),
      );
  }
}

function* present(line: number, members: Record<string, unknown> | undefined): Generator<RowMembers> {
  if (members !== undefined) yield { line, members };
}

/** A row without the envelope of exports of OpenAI. */
function itemOf(value: unknown): unknown {
  return isObject(value) && isObject(value['item']) && Object.keys(value).length === 1 ? value['item'] : value;
}

/** The members of a row. Numbers are texts with the spelling of the file, but not in checks and turns. */
function entriesOf(text: string, value: unknown): [string, unknown][] {
  const row = itemOf(value) as Record<string, unknown>;
  const hasNumbers = [row, row['variables']].some(
    (part) => isObject(part) && Object.values(part).some((member) => typeof member === 'number'),
  );
  // A row that is nested too deep for this is read without the spelling of its numbers.
  const spelled = hasNumbers ? (itemOf(parsedJson(text, spelling)) as Record<string, unknown>) : row;
  return Object.keys(row).map((name) => [
    name,
    name === 'checks' || (name === 'history' && Array.isArray(row[name])) ? row[name] : (spelled[name] ?? row[name]),
  ]);
}

function spelling(this: unknown, _name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? value) : value;
}

/** The names of the columns. A column without a name gets one by its place. */
function namesOf(cells: readonly string[], columns: Columns): string[] {
  return cells.map((cell, index) => {
    if (cell.trim() !== '') return cell.trim();
    columns.note(`The column without a name is the variable "column_${index + 1}".`);
    return `column_${index + 1}`;
  });
}

/** JSON of checks and turns. Other text is refused by the rule of checks, and a variable in place of turns. */
function cellOf(name: string, cell: string): unknown {
  if (name !== 'checks' && name !== 'history') return cell;
  const value = parsedJson(cell);
  return value instanceof SyntaxError || (name === 'history' && !Array.isArray(value)) ? cell : value;
}

/** The delimiter of a file by its header, in which a comma is the sign of CSV. */
function delimiterOf(header: string): string {
  const plain = header.replace(/"(?:[^"]|"")*"/g, '');
  return [',', '\t', ';'].find((delimiter) => plain.includes(delimiter)) ?? ',';
}

function headerProblem(header: readonly string[], columns: Columns): string | undefined {
  if (header.length === 1 && header[0]?.includes('\\n') === true)
    return 'is a text in JSON; send the file itself, not a JSON string with its text';
  const others = header.filter((column) => !columns.isMember(column)).length;
  if (others > MAX_VARIABLES)
    return `has ${count(others, 'column')} for variables; a row has at most ${MAX_VARIABLES}. Leave others out, by skip in the query or --skip in mcs`;
  const seen = new Set<string>();
  const repeated = header.find((column) => seen.size === seen.add(column).size);
  return repeated === undefined ? nameProblem(header, columns) : `names the column ${quotedName(repeated)} twice`;
}

/** The problem of a header whose names are rather the texts of a row. */
function nameProblem(header: readonly string[], columns: Columns): string | undefined {
  const isHeader = header.some((column) => columns.isKnown(column));
  if (!isHeader && header.every((column) => SENTENCE.test(column)))
    return `must be a header, the names of the columns; ${quotedName(header[0] ?? '')} is no such name`;
  return isHeader || header.length > 1
    ? undefined
    : `must be a header, the names of the columns; ${quotedName(header[0] ?? '')} is no name of an input`;
}

/** A number, a sentence or a long text, which names no column. */
const SENTENCE = /^[-+\d.,]+$|[.?!]$|.{41}/s;

function refusePointer(text: string, line: number, faults: Faults): void {
  if (isLfsPointer(text)) faults.stop(line, LFS_POINTER);
}

function cellsOf(
  parse: typeof csv.parse,
  record: FileRecord,
  { delimiter, faults, isRelaxed = false }: { delimiter: string; faults: Faults; isRelaxed?: boolean },
): string[] | undefined {
  const text = textOf(record, faults);
  if (text === undefined) return undefined;
  try {
    const [cells, ...others] = parse(text, {
      relax_column_count: true,
      record_delimiter: LINE_ENDS,
      delimiter,
      relax_quotes: isRelaxed,
    });
    if (cells !== undefined && others.length === 0) return cells;
    faults.add(record.line, 'has a line end that is neither LF nor CRLF');
  } catch (error) {
    const { code } = error as { code?: string };
    // A quote inside a cell that does not begin with one is a quote, as other readers take it.
    if (code === 'INVALID_OPENING_QUOTE' && !isRelaxed)
      return cellsOf(parse, record, { delimiter, faults, isRelaxed: true });
    faults.add(record.line, `is not valid CSV: ${CSV_PROBLEMS[code ?? ''] ?? 'it cannot be read'}`);
  }
  return undefined;
}

/** Named, because the parser looks for its line end at every byte otherwise, for minutes in a large file. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

const CSV_PROBLEMS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE:
    'a comma or the end of the line must follow a closing double quote; write a quote inside a cell twice',
  CSV_QUOTE_NOT_CLOSED: 'a double quote is not closed',
};

/** A record as text; undefined, with a fault, if it is not UTF-8. */
function textOf({ line, bytes }: FileRecord, faults: Faults): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    faults.add(line, 'is not UTF-8');
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function count(number: number, thing: string): string {
  return `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;
}
