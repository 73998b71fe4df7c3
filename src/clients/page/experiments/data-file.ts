import type { DatasetFormat } from '../../client/client';

/** The first rows of a file: their texts, in the order of the columns. */
export interface Preview {
  columns: string[];
  rows: string[][];
}

/** The members of rows that a column can be. Every other column is a variable. */
export const MEMBERS = ['input', 'expected', 'group', 'id'] as const;
export type Member = (typeof MEMBERS)[number];
/** The column of each member; a member without one is absent. */
export type Names = Readonly<Partial<Record<Member, string>>>;

/** Enough for the first rows of nearly every file. */
export const PREVIEW_BYTES = 262_144;
const SHOWN_ROWS = 5;
/** Members that have no column and no text. */
const STRUCTURED = ['variables', 'checks'];
const USUAL_NAMES: Readonly<Record<Member, readonly string[]>> = {
  input: ['input', 'question', 'prompt', 'query', 'text'],
  expected: ['expected', 'answer', 'target', 'ideal', 'label', 'output', 'reference', 'ground_truth'],
  group: ['group'],
  id: ['id'],
};

/** The format by the extension of the name; undefined for other files. */
export function formatOf(name: string): DatasetFormat | undefined {
  const extension = /\.(csv|tsv|jsonl|ndjson|json)$/i.exec(name)?.[1]?.toLowerCase();
  return extension === 'tsv' ? 'csv' : extension === 'ndjson' ? 'jsonl' : (extension as DatasetFormat | undefined);
}

/** The first rows of the beginning of a file; of JSON it has to be all. There are no rows if nothing can be read. */
export function previewOf(text: string, format: DatasetFormat): Preview {
  if (format === 'csv') {
    const plain = text.replace(/^\ufeff/, '');
    const [line = ''] = plain.split('\n', 1);
    const delimiter = [',', '\t', ';'].find((one) => line.includes(one)) ?? ',';
    const [header = [], ...rows] = firstRecords(plain, { delimiter, count: SHOWN_ROWS + 1 });
    return { columns: header.map((name) => name.trim()), rows };
  }
  const objects = (format === 'json' ? rowsOfJson(text) : text.split('\n', 2 * SHOWN_ROWS))
    .map(objectOf)
    .filter((row) => row !== undefined)
    .slice(0, SHOWN_ROWS);
  const columns = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  return { columns, rows: objects.map((row) => columns.map((name) => textOf(row[name]))) };
}

/** The columns with the usual names of members. Without such a name, the first column is the input. */
export function guessedNames(columns: readonly string[]): Names {
  const found = Object.fromEntries(
    MEMBERS.flatMap((member) => {
      const column = USUAL_NAMES[member]
        .map((usual) => columns.find((name) => name.toLowerCase() === usual))
        .find((name) => name !== undefined);
      return column === undefined ? [] : [[member, column]];
    }),
  ) as Names;
  const [first] = variablesOf(columns, found);
  return found.input === undefined && first !== undefined && !columns.includes('variables')
    ? { input: first, ...found }
    : found;
}

/** The columns that are variables for the prompt. */
export function variablesOf(columns: readonly string[], names: Names): string[] {
  return columns.filter((name) => !Object.values(names).includes(name) && !STRUCTURED.includes(name));
}

/** The rows of a list, or of the member that has them. */
function rowsOfJson(text: string): unknown[] {
  const value = parsed(text);
  const object = objectOf(value);
  const rows = Array.isArray(value)
    ? (value as unknown[])
    : (object?.['rows'] ?? object?.['examples'] ?? object?.['data']);
  return Array.isArray(rows) ? rows : [];
}

/** The first records of a CSV text: cells in quotes may have commas, line ends, and quotes written twice. */
function firstRecords(text: string, { delimiter, count }: { delimiter: string; count: number }): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(
    new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))(${delimiter}|\\r?\\n|$)`, 'g'),
  )) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === delimiter) continue;
    if (cells.length > 1 || cells[0] !== '') records.push(cells);
    cells = [];
    if (records.length === count) break;
  }
  return records;
}

/** A row as an object, from its line or its value, without the envelope of exports of OpenAI. */
function objectOf(row: unknown): Record<string, unknown> | undefined {
  const value = typeof row === 'string' ? parsed(row) : row;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { item, ...others } = value as Record<string, unknown>;
  return (Object.keys(others).length === 0 ? objectOf(item) : undefined) ?? (value as Record<string, unknown>);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}
