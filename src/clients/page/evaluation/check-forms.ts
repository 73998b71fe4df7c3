import type { CheckType } from '../compare/form/check-drafts';

/** One member of a check in the form. */
export interface CheckField {
  name: string;
  label: string;
  kind: 'line' | 'area' | 'number' | 'flag' | 'choice';
  hint?: string;
  /** Of a choice; the first is what the service assumes. */
  options?: readonly (readonly [value: string, label: string])[];
  /** Of a flag that is on where nothing is said. */
  isOn?: boolean;
}

/** The subject of a check, and its members. */
interface CheckForm {
  title: string;
  fields: readonly CheckField[];
}

const IGNORE_CASE: CheckField = { name: 'ignore_case', label: 'Ignore upper and lower case', kind: 'flag' };

/** How each type of check is filled in. */
export const CHECK_FORMS: Readonly<Record<CheckType, CheckForm>> = {
  contains: {
    title: 'contains words',
    fields: [
      { name: 'values', label: 'Words', kind: 'area', hint: 'one a line' },
      {
        name: 'mode',
        label: 'Needed',
        kind: 'choice',
        options: [
          ['', 'all of them'],
          ['any', 'any of them'],
        ],
      },
      IGNORE_CASE,
      {
        name: 'at',
        label: 'Where',
        kind: 'choice',
        options: [
          ['', 'anywhere'],
          ['start', 'at the start'],
          ['end', 'at the end'],
        ],
      },
    ],
  },
  equals: {
    title: 'equals a text',
    fields: [
      { name: 'value', label: 'Text', kind: 'area' },
      IGNORE_CASE,
      { name: 'trim', label: 'Ignore surrounding white space', kind: 'flag', isOn: true },
    ],
  },
  label: {
    title: 'is one of the labels',
    fields: [{ name: 'values', label: 'Labels', kind: 'area', hint: 'one a line' }, IGNORE_CASE],
  },
  regex: {
    title: 'matches a pattern',
    fields: [
      { name: 'pattern', label: 'Pattern', kind: 'line', hint: 'RE2: no look-around' },
      { name: 'flags', label: 'Flags', kind: 'line', hint: 'of i, m and s' },
    ],
  },
  json: {
    title: 'is JSON',
    fields: [
      { name: 'schema', label: 'Schema', kind: 'area', hint: 'JSON Schema, or empty' },
      { name: 'allow_fence', label: 'Ignore a surrounding code fence', kind: 'flag', isOn: true },
      { name: 'find', label: 'Ignore surrounding text', kind: 'flag' },
    ],
  },
  number: {
    title: 'contains a number',
    fields: [
      { name: 'value', label: 'Number', kind: 'number' },
      { name: 'tolerance', label: 'Tolerance', kind: 'number', hint: '0' },
      {
        name: 'which',
        label: 'Which',
        kind: 'choice',
        options: [
          ['', 'the last in the answer'],
          ['first', 'the first'],
          ['only', 'the only one'],
        ],
      },
    ],
  },
  length: {
    title: 'has a length',
    fields: [
      { name: 'min', label: 'At least', kind: 'number' },
      { name: 'max', label: 'At most', kind: 'number' },
      {
        name: 'unit',
        label: 'Counted in',
        kind: 'choice',
        options: [
          ['', 'characters'],
          ['words', 'words'],
          ['tokens', 'tokens'],
        ],
      },
    ],
  },
  similarity: {
    title: 'is similar to a text',
    fields: [
      { name: 'value', label: 'Text', kind: 'area' },
      { name: 'min', label: 'At least', kind: 'number', hint: '0 to 1' },
      {
        name: 'metric',
        label: 'Compared by',
        kind: 'choice',
        options: [
          ['', 'letters (Levenshtein)'],
          ['token_f1', 'words (token F1)'],
        ],
      },
    ],
  },
  latency: {
    title: 'is fast',
    fields: [
      { name: 'max_ms', label: 'Milliseconds at most', kind: 'number' },
      {
        name: 'of',
        label: 'Until',
        kind: 'choice',
        options: [
          ['', 'its end'],
          ['first_token', 'its first text'],
        ],
      },
    ],
  },
  cost: { title: 'is cheap', fields: [{ name: 'max_usd', label: 'Dollars at most', kind: 'number' }] },
  finished: { title: 'is finished', fields: [] },
};

/** The common optional members of all checks. */
export const COMMON_FIELDS: readonly CheckField[] = [
  { name: 'not', label: 'Must not match: negates the check', kind: 'flag' },
  { name: 'name', label: 'Name', kind: 'line', hint: 'a–z, 0–9, - and _' },
  { name: 'weight', label: 'Weight', kind: 'number', hint: '1' },
];
