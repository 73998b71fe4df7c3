/** The formats of files of rows. */
export type FileFormat = 'csv' | 'jsonl' | 'json';

/** The first rows of a file, for people to look at. */
export interface Preview {
  columns: string[];
  /** The texts of a row, in the order of the columns. */
  rows: string[][];
}

/** The members of rows that a column can be. Every other column is a variable. */
export const MEMBERS = ['input', 'expected', 'group', 'id'] as const;
export type Member = (typeof MEMBERS)[number];
/** The column of each member; a member without one is absent. */
export type Names = Readonly<Partial<Record<Member, string>>>;

const SHOWN_ROWS = 5;
/** Enough for the first rows of nearly every file. */
export const PREVIEW_BYTES = 262_144;
/** Members that are no texts, which the service reads as they are. */
const STRUCTURED = ['variables', 'checks'];
const USUAL_NAMES: Readonly<Record<Member, readonly string[]>> = {
  input: ['input', 'question', 'prompt', 'query', 'text'],
  expected: ['expected', 'answer', 'ideal', 'expected_output', 'reference', 'target', 'label'],
  group: ['group'],
  id: ['id'],
};

/** The format by the extension of the name; undefined for other files. */
export function formatOf(name: string): FileFormat | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  return extension === 'csv' || extension === 'json' ? extension : extension === 'jsonl' || extension === 'ndjson' ? 'jsonl' : undefined;
}

/** The first rows of the beginning of a file. A JSON file has to be complete. Without rows if nothing can be read. */
export function previewOf(text: string, format: FileFormat): Preview {
  if (format === 'csv') {
    const [header = [], ...rows] = firstRecords(text.replace(/^\ufeff/, ''), SHOWN_ROWS + 1);
    return { columns: header.map((name) => name.trim()), rows };
  }
  const objects = (format === 'json' ? rowsOfJson(text) ?? [] : linesOf(text).map(parsed)).map(unwrapped).filter(isObject).slice(0, SHOWN_ROWS);
  const columns = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  return { columns, rows: objects.map((row) => columns.map((name) => textOf(row[name]))) };
}

/** The columns with the usual names of members; without such a name the first column is the input. */
export function guessedNames(columns: readonly string[]): Names {
  const found = Object.fromEntries(MEMBERS.flatMap((member) => {
    const column = USUAL_NAMES[member].map((usual) => columns.find((name) => name.toLowerCase() === usual)).find((name) => name !== undefined);
    return column === undefined ? [] : [[member, column]];
  })) as Names;
  const first = columns.find((name) => !STRUCTURED.includes(name) && !Object.values(found).includes(name));
  return found.input === undefined && first !== undefined && !columns.includes('variables') ? { input: first, ...found } : found;
}

/** The names that prompts can use, apart from the input. */
export function variablesOf({ columns }: Preview, names: Names): string[] {
  const taken = [...Object.values(names), ...STRUCTURED];
  return columns.filter((name) => !taken.includes(name));
}

/** JSON as JSONL, with every other member among the variables, as in CSV. A line that is no JSON object stays as it is: the service names it. */
export function asJsonLines(text: string, format: 'jsonl' | 'json', names: Names): string {
  const rows = format === 'json' ? rowsOfJson(text) : undefined;
  if (rows !== undefined) return rows.map((row) => lineOf(row, names)).join('\n');
  return text.split('\n').map((line) => (line.trim() === '' ? line : isObject(unwrapped(parsed(line))) ? lineOf(parsed(line), names) : line)).join('\n');
}

function lineOf(value: unknown, names: Names): string {
  const row = unwrapped(value);
  if (!isObject(row)) return JSON.stringify(value);
  const kept = [...Object.values(names), ...STRUCTURED];
  const others = Object.entries(row).filter(([name]) => !kept.includes(name)).map(([name, member]) => [name, textOf(member)] as const);
  if (others.length === 0) return JSON.stringify(row);
  const variables = isObject(row['variables']) ? row['variables'] : {};
  return JSON.stringify({ ...Object.fromEntries(Object.entries(row).filter(([name]) => kept.includes(name))), variables: { ...Object.fromEntries(others), ...variables } });
}

/** The rows of a list, or of the member `rows`; undefined for anything else. */
function rowsOfJson(text: string): unknown[] | undefined {
  const value = parsed(text);
  const rows = isObject(value) ? value['rows'] : value;
  return Array.isArray(rows) ? rows : undefined;
}

/** The first records of a CSV text: cells in quotes may have commas, line ends, and quotes written twice. */
function firstRecords(text: string, count: number): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    if (cells.length > 1 || cells[0] !== '') records.push(cells);
    cells = [];
    if (records.length === count) break;
  }
  return records;
}

function linesOf(text: string): string[] {
  return text.replace(/^\ufeff/, '').split('\n', SHOWN_ROWS * 2).filter((line) => line.trim() !== '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A row of an export of OpenAI without its envelope. */
function unwrapped(value: unknown): unknown {
  return isObject(value) && isObject(value['item']) && Object.keys(value).length === 1 ? value['item'] : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}
