import type * as csv from 'csv-parse/sync';
import type { Faults } from './faults';
import type { FileRecord } from './split-records';

/** The unchecked members of a row. */
export interface RowMembers {
  line: number;
  members: Readonly<Record<string, unknown>>;
}

/** The names under which a body has the members of rows. */
export type MemberNames = Readonly<Record<'input' | 'expected' | 'group' | 'id', string>>;

const MAX_SHOWN = 60;
const MEMBERS = ['input', 'expected', 'group', 'id'] as const;
const REGISTRY = 'has the form of the openai/evals registry, with messages in `input` and `ideal`; the command `mcs import` converts such files';

/** The members of rows that are JSON objects. Adds a fault for each that is not. */
export async function* jsonMembers(records: AsyncIterable<FileRecord>, names: MemberNames, faults: Faults): AsyncGenerator<RowMembers> {
  for await (const { line, bytes } of records) {
    const text = textOf({ line, bytes }, faults);
    if (text === undefined || text.trim() === '') continue;
    const value = parsed(text);
    if (value instanceof SyntaxError) faults.add(line, 'is not valid JSON; each row is one JSON object');
    else yield* objectMembers(value, line, names, faults);
  }
}

/** The members of the rows of a CSV file, whose first row names the columns. Empty cells of members are absent. @throws ApiError invalid_request if the header is unusable */
export async function* csvMembers(records: AsyncIterable<FileRecord>, names: MemberNames, faults: Faults): AsyncGenerator<RowMembers> {
  // Loaded with the first CSV file.
  const { parse } = await import('csv-parse/sync');
  let header: string[] | undefined;
  for await (const record of records) {
    const { line } = record;
    const cells = cellsOf(parse, record, faults);
    // Without a header, no other row can be read.
    if (header === undefined && cells === undefined) faults.refuse();
    if (cells === undefined) continue;
    if (header === undefined) {
      header = cells.map((cell) => cell.trim());
      const problem = headerProblem(header, names);
      if (problem !== undefined) faults.stop(line, problem);
    }
    else if (cells.length !== header.length) faults.add(line, `has ${count(cells.length, 'cell')}; the header has ${header.length}`);
    else if (cells.every((cell, index) => cell.trim() === header?.[index])) faults.add(line, 'repeats the header');
    else yield { line, members: rowOfCells(header, cells, names) };
  }
}

function* objectMembers(value: unknown, line: number, names: MemberNames, faults: Faults): Generator<RowMembers> {
  const row = isObject(value) && isObject(value['item']) && Object.keys(value).length === 1 ? value['item'] : value;
  if (!isObject(row)) faults.add(line, 'is not a JSON object');
  else if (Array.isArray(row['input']) && 'ideal' in row) faults.add(line, REGISTRY);
  else {
    const taken: readonly string[] = [...Object.values(names), 'variables', 'checks'];
    const unknown = Object.keys(row).find((name) => !taken.includes(name));
    if (unknown !== undefined) return faults.add(line, `has the member ${quoted(unknown)}, which rows do not have; put it in variables, or say in the query which member it is, as in ?input=${encodeURIComponent(unknown.slice(0, MAX_SHOWN))}`);
    yield { line, members: present({ ...membersOf(row, names), variables: row['variables'], checks: row['checks'] }) };
  }
}

function rowOfCells(header: readonly string[], cells: readonly string[], names: MemberNames): Record<string, unknown> {
  const entries = header.map((column, index) => [column, cells[index] ?? ''] as const);
  const columns = Object.fromEntries(entries);
  const variables = entries.filter(([column]) => !columnsOf(names).includes(column));
  const checks = own(columns, 'checks');
  return present({
    ...membersOf(columns, names),
    variables: variables.length === 0 ? undefined : Object.fromEntries(variables),
    // Other text than JSON is refused by the rule of checks.
    checks: typeof checks === 'string' && !(parsed(checks) instanceof SyntaxError) ? parsed(checks) : checks,
  });
}

function membersOf(row: Readonly<Record<string, unknown>>, names: MemberNames): Record<string, unknown> {
  return Object.fromEntries(MEMBERS.map((member) => [member, own(row, names[member])]));
}

/** The members of rows that a CSV column can be; other columns are variables. */
function columnsOf(names: MemberNames): readonly string[] {
  return [...Object.values(names), 'checks'];
}

/** An empty text counts as absent, because a CSV cell cannot be. */
function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined && member !== null && member !== ''));
}

function headerProblem(header: readonly string[], names: MemberNames): string | undefined {
  const repeated = header.find((column, index) => header.indexOf(column) < index);
  if (repeated !== undefined) return `names the column ${quoted(repeated)} twice`;
  const strange = header.find((column) => !columnsOf(names).includes(column) && !/^\w{1,40}$/.test(column));
  if (strange !== undefined) return `must be a header, the names of the columns; ${quoted(strange)} is neither a member of rows nor a name of a variable (1 to 40 letters, digits and _)`;
  return header.includes(names.input) || header.length > 1 ? undefined : `must be a header, the names of the columns; no column is called ${quoted(names.input)}`;
}

function cellsOf(parse: typeof csv.parse, record: FileRecord, faults: Faults): string[] | undefined {
  const text = textOf(record, faults);
  if (text === undefined) return undefined;
  try {
    const [cells, ...others] = parse(text, { relax_column_count: true, record_delimiter: LINE_ENDS });
    if (cells !== undefined && others.length === 0) return cells;
    faults.add(record.line, 'has a line end that is neither LF nor CRLF');
  } catch (error) {
    const { code } = error as { code?: string };
    faults.add(record.line, `is not valid CSV: ${CSV_PROBLEMS[code ?? ''] ?? 'it cannot be read'}`);
  }
  return undefined;
}

/** Named, because the parser looks for its line end at every byte otherwise, for minutes in a large file. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

const CSV_PROBLEMS: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'a double quote is inside a cell that does not begin with one; write such a cell in double quotes, and each quote in it twice',
  CSV_INVALID_CLOSING_QUOTE: 'a comma or the end of the line must follow a closing double quote; write a quote inside a cell twice',
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

function count(number: number, thing: string): string {
  return `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;
}
