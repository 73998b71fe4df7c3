import { TURN_ROLES, type Turn } from '../../common/turn';
import { REGISTRY, type Faults } from './faults';

const MEMBERS = ['input', 'expected', 'group', 'id'] as const;

/** The members of rows that a file can name differently. */
export type MemberNames = Readonly<Partial<Record<(typeof MEMBERS)[number], string | undefined>>>;

/** How a file names its columns or members. */
export interface ColumnOptions {
  /** The names that the caller gave. */
  names: MemberNames;
  /** Columns that the caller leaves out. */
  skip: readonly string[];
}

/**
 * Usual names, understood if exactly one of them is there. Such a column stays a variable too, because a prompt may
 * name it.
 */
const USUAL: Readonly<Record<'input' | 'expected', readonly string[]>> = {
  input: ['question', 'prompt', 'query', 'text'],
  expected: ['answer', 'target', 'ideal', 'label', 'output', 'reference', 'ground_truth'],
};
/** Members that are more than a text. */
const STRUCTURED: readonly string[] = ['variables', 'checks'];
const VARIABLE = /^(?!(?:input|expected|variables|checks|__proto__)$)\w{1,40}$/;
/** The most variables of a row. */
export const MAX_VARIABLES = 20;
const MAX_NAME = 36;
const MAX_NOTES = 20;
const MAX_SHOWN = 60;

/** A value of a row and the place of its column. */
interface Column {
  name: string;
  index: number;
  value: unknown;
}

/** The members of a row, and the variables among them. */
type RowParts = Record<'members' | 'variables', Record<string, unknown>> & { turns: unknown[] };

/** Makes members of rows of the columns of a file, and notes what it decided on. */
export class Columns {
  private readonly noted = new Set<string>();
  private readonly variables = new Map<string, string>();
  private readonly taken = new Set<string>();
  private readonly unseen: Set<string>;
  private readonly members = new Map<string, string>(STRUCTURED.map((name) => [name, name]));
  private usual = new Map<string, string>();
  private hasBegun = false;
  private hasTurns = false;

  constructor(private readonly options: ColumnOptions) {
    this.unseen = new Set(options.skip);
    for (const member of MEMBERS) this.members.set(options.names[member] ?? member, member);
  }

  /** The decisions so far, as sentences; at most 20. */
  get notes(): string[] {
    const missing = [...this.unseen].map((name) => `There is no ${quotedName(name)} to leave out.`);
    const notes = [...this.noted, ...missing];
    return notes.length <= MAX_NOTES
      ? notes
      : [...notes.slice(0, MAX_NOTES - 1), `${notes.length - MAX_NOTES + 1} more notes are not shown.`];
  }

  /** Adds a note, once. */
  note(sentence: string): void {
    if (this.noted.size < 10 * MAX_NOTES) this.noted.add(sentence);
  }

  /** True if a column is a member of rows, or left out. */
  isMember(name: string): boolean {
    return name === 'history' || this.members.has(name) || this.options.skip.includes(name);
  }

  /** True for a member of rows and for a usual name. */
  isKnown(name: string): boolean {
    return this.members.has(name) || Object.values(USUAL).some((names) => names.includes(name.toLowerCase()));
  }

  /** Decides by the names of the header, or of the first row, which columns are the input and the expected answer. */
  begin(names: readonly string[]): void {
    this.hasBegun = true;
    const kept = names.filter((name) => !this.options.skip.includes(name));
    for (const member of ['input', 'expected'] as const) {
      const found = kept.filter((name) => USUAL[member].includes(name.toLowerCase()) && !this.members.has(name));
      const [only] = found;
      if (this.options.names[member] !== undefined || kept.includes(member) || only === undefined || found.length > 1)
        continue;
      this.usual.set(only, member);
      this.note(`${quotedName(only)} is the ${member === 'input' ? 'input' : 'expected answer'}.`);
    }
    for (const name of kept) if (VARIABLE.test(name)) this.taken.add(name);
  }

  /** The members of a row. Adds a fault for an input that cannot be one. */
  membersOf(
    entries: readonly (readonly [name: string, value: unknown])[],
    line: number,
    faults: Faults,
  ): Record<string, unknown> | undefined {
    if (!this.hasBegun) this.begin(entries.map(([name]) => name));
    const row: RowParts = { members: {}, variables: {}, turns: [] };
    for (const [index, [name, value]] of entries.entries()) {
      this.unseen.delete(name);
      if (!this.options.skip.includes(name)) this.take({ name, index, value }, row);
    }
    const { members, variables, turns } = row;
    if (Array.isArray(members['input']))
      return void faults.add(line, entries.some(([name]) => name === 'ideal') ? REGISTRY : MESSAGES);
    if (turns.length > 0) members['history'] = turns;
    members['variables'] = joined(variables, members['variables']);
    return Object.fromEntries(
      Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== ''),
    );
  }

  private take({ name, index, value: given }: Column, row: RowParts): void {
    if (this.takesTurns(name, given, row)) return;
    const { members, variables } = row;
    const [member, usual] = [this.members.get(name), this.usual.get(name)];
    const value = (member ?? usual) === 'input' ? this.inputOf(given, name, row) : given;
    if (member !== undefined) members[member] = STRUCTURED.includes(member) ? value : asText(value);
    else if (usual === 'input' && Array.isArray(value)) members[usual] = value;
    else if (isText(value)) {
      if (usual !== undefined) members[usual] = asText(value);
      variables[this.variableOf(name, index)] = asText(value);
    } else this.note(`${quotedName(name)} is left out where it is a list, an object or null.`);
  }

  /**
   * True for turns of a conversation. A column `history` of texts stays a variable, and an empty cell of it is one until
   * a row has turns: rows had none once.
   */
  private takesTurns(name: string, value: unknown, row: RowParts): boolean {
    if (name !== 'history' || this.members.has(name)) return false;
    if (isText(value) && value !== '') this.note('"history" is a variable where it is no list of turns.');
    if (!Array.isArray(value)) return value === '' && this.hasTurns;
    this.hasTurns = true;
    row.turns = [...(value as unknown[]), ...row.turns];
    return true;
  }

  /** The last text of a chat. Its system message is a variable, and the turns between are the history. */
  private inputOf(value: unknown, name: string, { turns, variables }: RowParts): unknown {
    if (!isChat(value)) return value;
    const system = value.find(({ role }) => role === 'system');
    const history = value.slice(system === undefined ? 0 : 1, -1);
    this.note(`The input is the ${history.length > 0 ? 'last ' : ''}message of the user in ${quotedName(name)}.`);
    if (history.length > 0) this.note('The messages before it are the history.');
    turns.push(...history.map(({ role, content }) => ({ role, content })));
    if (system !== undefined) {
      variables['system'] = system.content;
      this.note('The message of the system is the variable "system".');
    }
    return value.at(-1)?.content;
  }

  /** The variable of a column. A name that cannot be one is changed. */
  private variableOf(name: string, index: number): string {
    const existing = this.variables.get(name);
    if (existing !== undefined) return existing;
    const variable = VARIABLE.test(name) ? name : this.newName(name, index);
    this.taken.add(variable);
    this.variables.set(name, variable);
    return variable;
  }

  private newName(name: string, index: number): string {
    const words = name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, MAX_NAME);
    const base = words === '' ? `column_${index + 1}` : words;
    let made = base;
    for (let times = 2; this.taken.has(made) || !VARIABLE.test(made); times += 1) made = `${base}_${times}`;
    this.note(`${quotedName(name)} is the variable "${made}".`);
    return made;
  }
}

const MESSAGES =
  'has a list of messages as its input that is no chat; it must end with a message of the user, and have only texts of the user and the assistant before it, after one of the system at most';

function isChat(value: unknown): value is { role: string; content: string }[] {
  const isMessage = (message: Partial<Turn> | null, index: number) =>
    typeof message?.content === 'string' &&
    [...TURN_ROLES, ...(index === 0 ? ['system'] : [])].includes(message.role ?? '');
  return Array.isArray(value) && value.every(isMessage) && (value as Partial<Turn>[]).at(-1)?.role === 'user';
}

function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Numbers and booleans are texts; a number arrives with its spelling. */
function asText(value: unknown): unknown {
  return isText(value) ? String(value) : value;
}

/** The variables of other members, and those of the member `variables`, if these are an object. */
function joined(variables: Record<string, unknown>, own: unknown): unknown {
  if (own === undefined || own === null) return Object.keys(variables).length > 0 ? variables : undefined;
  if (typeof own !== 'object' || Array.isArray(own)) return own;
  return { ...variables, ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, asText(value)])) };
}

/** A name for a sentence. */
export function quotedName(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
