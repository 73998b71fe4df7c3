/** The types of checks, in the order in which they are offered. */
export const CHECK_TYPES = [
  'contains',
  'equals',
  'label',
  'regex',
  'json',
  'number',
  'length',
  'similarity',
  'latency',
  'cost',
  'finished',
] as const;
export type CheckType = (typeof CHECK_TYPES)[number];

/** A check in the form: every member is the typed text; an empty or absent member is left to the service. */
export type CheckDraft = Readonly<Record<string, string>> & { readonly type: CheckType };

/** A check as the service takes it. */
export type CheckBody = { type: CheckType } & Record<string, unknown>;

/** How the text of a member is read: literally, line by line, as a number, as yes or no, or as JSON. */
type MemberKind = 'text' | 'lines' | 'number' | 'flag' | 'json';
type Members = Readonly<Record<string, MemberKind>>;

/** A check has no more of them; the service has the last word. */
export const MAX_CHECKS = 20;
const COMMON: Members = { name: 'text', weight: 'number', not: 'flag' };
const MEMBERS: Readonly<Record<CheckType, Members>> = {
  contains: { values: 'lines', mode: 'text', ignore_case: 'flag', at: 'text' },
  equals: { value: 'text', ignore_case: 'flag', trim: 'flag' },
  label: { values: 'lines', ignore_case: 'flag' },
  regex: { pattern: 'text', flags: 'text' },
  json: { schema: 'json', allow_fence: 'flag', find: 'flag' },
  number: { value: 'number', tolerance: 'number', which: 'text' },
  length: { min: 'number', max: 'number', unit: 'text' },
  similarity: { value: 'text', min: 'number', metric: 'text' },
  latency: { max_ms: 'number', of: 'text' },
  cost: { max_usd: 'number' },
  finished: {},
};
/** The members that must be given, with their labels in the form. */
const NEEDED: Readonly<Partial<Record<CheckType, Readonly<Record<string, string>>>>> = {
  contains: { values: 'Words' },
  equals: { value: 'Text' },
  label: { values: 'Labels' },
  regex: { pattern: 'Pattern' },
  number: { value: 'Number' },
  similarity: { value: 'Text', min: 'At least' },
  latency: { max_ms: 'Milliseconds at most' },
  cost: { max_usd: 'Dollars at most' },
};
const DECIMAL = /^-?(?:\d{1,15}(?:\.\d{1,12})?|\.\d{1,12})$/;

/** The check for the service, or what is wrong with it in the words of the form. Its limits are left to the service. */
export function checkOf(draft: CheckDraft): { body: CheckBody } | { problem: string } {
  const members = { ...MEMBERS[draft.type], ...COMMON };
  const given = Object.entries(members).filter(([name]) => isGiven(draft[name]));
  const missing = Object.entries(NEEDED[draft.type] ?? {}).find(([name]) => !isGiven(draft[name]));
  if (missing !== undefined) return { problem: `“${missing[1]}” is empty` };
  if (draft.type === 'length' && !isGiven(draft['min']) && !isGiven(draft['max']))
    return { problem: '“At least” and “At most” are empty' };
  const body: CheckBody = { type: draft.type };
  for (const [name, kind] of given) {
    const value = READERS[kind](draft[name] ?? '');
    if (value === undefined)
      return { problem: kind === 'json' ? `${name} is not valid JSON` : `${name} is not a number such as 0.8` };
    body[name] = value;
  }
  return { body };
}

/** The form of a check that was sent, or came with an eval; undefined for an unknown check. */
export function draftOf(check: unknown): CheckDraft | undefined {
  const { type, ...members } = typeof check === 'object' && check !== null ? (check as Record<string, unknown>) : {};
  if (!isCheckType(type)) return undefined;
  const known = { ...MEMBERS[type], ...COMMON };
  // Names that the service made up go by position, and checks move.
  const isMadeUp = typeof members['name'] === 'string' && /^-\d+$/.test(members['name'].replace(type, ''));
  const texts = Object.entries(members).filter(
    ([name, value]) =>
      Object.hasOwn(known, name) && value !== undefined && value !== null && !(name === 'name' && isMadeUp),
  );
  return { ...Object.fromEntries(texts.map(([name, value]) => [name, textOf(value, known[name])])), type };
}

/** Checks that a browser kept; whatever is not one is left out. */
export function parseCheckDrafts(stored: unknown): CheckDraft[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(0, MAX_CHECKS).flatMap((each: unknown) => {
    const members = typeof each === 'object' && each !== null ? (each as Record<string, unknown>) : {};
    const { type } = members;
    if (!isCheckType(type)) return [];
    return [
      {
        ...Object.fromEntries(
          Object.entries(members).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        ),
        type,
      },
    ];
  });
}

function isCheckType(type: unknown): type is CheckType {
  return CHECK_TYPES.some((known) => known === type);
}

/** White space can be what a text has to contain. */
function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function textOf(value: unknown, kind: MemberKind | undefined): string {
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

const READERS: Readonly<Record<MemberKind, (text: string) => unknown>> = {
  text: (text) => text,
  lines: (text) => text.split('\n').filter((line) => line !== ''),
  number: (text) => (DECIMAL.test(text.trim()) ? Number(text) : undefined),
  flag: (text) => text === 'true',
  json: (text) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  },
};
