import { createHash } from 'node:crypto';
import type { Turn } from '../../common/turn';
import type { Check } from '../checks/types';
import { ApiError } from '../../common/errors';
import { REQUEST_LIMITS } from '../../platform/config/request-limits';
import { pattern, problemWith, text, formatNumber } from '../../platform/http/validation/field-kinds';
import { TURNS } from '../evals/turns.field';
import { sortedJson } from '../statistics/sorted-json';
import type { DatasetRow } from './dataset-row.entity';
import { MAX_VARIABLES } from './columns';
import type { Faults } from './faults';
import type { RowMembers } from './row-members';

/** A row of a data set without its place. */
export type Row = Omit<DatasetRow, 'datasetId' | 'no'>;

/**
 * Reads the checks of a row, names and defaults filled in, with its variables in their texts to try them. @throws
 * ApiError invalid_request
 */
export type ReadChecks = (given: unknown, row: Omit<Row, 'checks' | 'rowId'>) => Promise<Check[]>;

/** A summary of all rows that were read. */
export interface RowsSummary {
  sha256: string;
  rowCount: number;
  groupCount: number;
  bytes: number;
  columns: string[];
}

const MAX_EXPECTED_CHARACTERS = 32_000;
const MAX_GROUP_CHARACTERS = 100;
const MAX_COLUMNS = 100;
const VARIABLE = /^(?!(?:input|expected|__proto__)$)\w{1,40}$/;
const DEFAULT_ID_DIGITS = 16;

const TEXT = text(REQUEST_LIMITS.MAX_INPUT_CHARACTERS, { canBeBlank: true });
const KINDS = {
  id: pattern(/^[\x21-\x7e]{1,100}$/, '1 to 100 visible ASCII characters without blanks'),
  input: TEXT,
  expected: text(MAX_EXPECTED_CHARACTERS, { canBeBlank: true }),
  group: text(MAX_GROUP_CHARACTERS),
  history: TURNS,
} as const;

/**
 * Makes rows of members by the rules of rows, and sums them up. The canonical text of a row is the same whatever the
 * format of its file.
 */
export class RowsReader {
  private readonly hash = createHash('sha256');
  private readonly lines = new Map<string, number>();
  private readonly repeats = new Map<string, number>();
  private readonly groups = new Set<string>();
  private readonly columns = new Set<string>();
  private bytes = 0;
  private rowCount = 0;

  constructor(
    private readonly maxRows: number,
    private readonly faults: Faults,
    private readonly readChecks: ReadChecks,
  ) {}

  /** The rows without faults. @throws ApiError invalid_request if there are too many rows or faults */
  async *read(source: AsyncIterable<RowMembers>): AsyncGenerator<Row> {
    for await (const one of source) {
      this.rowCount += 1;
      if (this.rowCount > this.maxRows)
        this.faults.stop(one.line, `is one row too many; a data set has at most ${formatNumber(this.maxRows)} rows`);
      const row = await this.rowOf(one);
      if (row !== undefined) yield row;
    }
    this.faults.refuse();
    if (this.rowCount === 0)
      throw new ApiError('invalid_request', { message: 'The body has no row; a data set has at least one.' });
  }

  /** The summary of the rows, after the last one. */
  summary(): RowsSummary {
    return {
      sha256: this.hash.digest('hex'),
      rowCount: this.rowCount,
      groupCount: this.groups.size,
      bytes: this.bytes,
      columns: [...this.columns].sort(),
    };
  }

  private async rowOf({ line, members }: RowMembers): Promise<Row | undefined> {
    const problem = problemOf(members) ?? this.repeatedId(members);
    if (problem !== undefined) return void this.faults.add(line, problem);
    const {
      input = null,
      expected = null,
      group = null,
      variables = null,
      id,
    } = members as Record<string, string | undefined> & { variables?: Record<string, string> };
    const history = (members['history'] as Turn[] | undefined) ?? null;
    const row = { line, input, expected, group, variables, history };
    const checks = await this.checksOf(members['checks'], row);
    if (typeof checks === 'string') return void this.faults.add(line, checks);
    const complete = { ...row, rowId: id ?? this.newId(row), checks };
    this.add(complete, members);
    return complete;
  }

  private repeatedId({ id }: RowMembers['members']): string | undefined {
    const first = typeof id === 'string' ? this.lines.get(id) : undefined;
    return first === undefined
      ? undefined
      : `has the id ${String(id)}, which ${this.faults.unit.toLowerCase()} ${first} has already`;
  }

  private async checksOf(given: unknown, row: Parameters<ReadChecks>[1]): Promise<Check[] | string | null> {
    if (given === undefined) return null;
    try {
      return await this.readChecks(given, row);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'invalid_request') throw error;
      return `is not valid: ${(error as Error).message.replace(/\.$/, '')}`;
    }
  }

  /** An id made of the content, so that the same row has the same id in every data set. */
  private newId({ input, variables, history }: Pick<Row, 'input' | 'variables' | 'history'>): string {
    const base = createHash('sha256')
      .update(canonical([input, variables, ...(history ?? [])]))
      .digest('hex')
      .slice(0, DEFAULT_ID_DIGITS);
    for (;;) {
      const times = (this.repeats.get(base) ?? 0) + 1;
      this.repeats.set(base, times);
      const id = times === 1 ? base : `${base}-${times}`;
      if (!this.lines.has(id)) return id;
    }
  }

  private add(row: Row, members: RowMembers['members']): void {
    this.lines.set(row.rowId, row.line);
    if (row.group !== null) this.groups.add(row.group);
    for (const name of [
      ...Object.keys(members).filter((member) => member !== 'variables'),
      ...Object.keys(row.variables ?? {}),
    ])
      this.columns.add(name);
    if (this.columns.size > MAX_COLUMNS)
      this.faults.stop(
        row.line,
        `has one name too many; all variables of a data set have at most ${MAX_COLUMNS} names`,
      );
    // Turns come last, so that rows without them keep their earlier hashes.
    const content = `${canonical([row.rowId, row.input, row.expected, row.group, row.variables, row.checks, ...(row.history ?? [])])}\n`;
    this.hash.update(content);
    this.bytes += Buffer.byteLength(content);
  }
}

function canonical(values: readonly unknown[]): string {
  return JSON.stringify(sortedJson(values));
}

function problemOf(members: RowMembers['members']): string | undefined {
  for (const [name, kind] of Object.entries(KINDS)) {
    const problem = members[name] === undefined ? undefined : problemWith(members[name], kind);
    if (problem !== undefined) return `is not valid: ${name}${problem}`;
  }
  if (members['variables'] !== undefined) return variablesProblem(members['variables']);
  return members['input'] === undefined && members['history'] === undefined
    ? 'has no input; a row needs an input, variables or history'
    : undefined;
}

function variablesProblem(variables: unknown): string | undefined {
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables))
    return 'is not valid: variables must be an object of texts';
  const entries = Object.entries(variables);
  if (entries.length === 0 || entries.length > MAX_VARIABLES)
    return `is not valid: variables must have 1 to ${MAX_VARIABLES} members; skip leaves out others`;
  for (const [name, value] of entries) {
    if (!VARIABLE.test(name))
      return `is not valid: ${JSON.stringify(name.slice(0, MAX_GROUP_CHARACTERS))} is no name of a variable; such a name has 1 to 40 letters, digits and _, and is not input or expected`;
    const problem = problemWith(value, TEXT);
    if (problem !== undefined) return `is not valid: variables.${name}${problem}`;
  }
  return undefined;
}
