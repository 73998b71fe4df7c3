import { fillChecks } from './fill-checks';
import type { Check } from './types';

const FIELDS = { name: 'x', weight: 1, not: false };
const VARIABLES = { input: 'a.b', expected: '{input}', none: undefined };
type Members = Check extends infer C ? (C extends Check ? Omit<C, keyof typeof FIELDS> : never) : never;

const filled = (members: Members) => fillChecks([{ ...FIELDS, ...members }], VARIABLES)[0];

describe('CheckVariables in a check', () => {
  test.each<[Members, object]>([
    [{ type: 'equals', value: '<{input}>', ignore_case: false, trim: true }, { value: '<a.b>' }],
    [
      { type: 'contains', values: ['{input}', 'x', '{input}{input}'], mode: 'all', ignore_case: false },
      { values: ['a.b', 'x', 'a.ba.b'] },
    ],
    [{ type: 'label', values: ['{input}', 'x'], ignore_case: false }, { values: ['a.b', 'x'] }],
    [{ type: 'similarity', value: '{input}', min: 0, metric: 'token_f1' }, { value: 'a.b' }],
    [{ type: 'regex', pattern: '^{input}+$', flags: '' }, { pattern: '^a\\.b+$' }],
    [
      {
        type: 'json',
        allow_fence: true,
        schema: { const: '{input}', enum: ['{input}', 1, null, { deep: ['{input}'] }] },
      },
      { schema: { const: 'a.b', enum: ['a.b', 1, null, { deep: ['a.b'] }] } },
    ],
  ])('are filled into the texts of %j', (members, expected) => {
    expect(filled(members)).toEqual({ ...FIELDS, ...members, ...expected });
  });

  it('are filled in in one pass: what they bring is not looked through again', () => {
    expect(filled({ type: 'equals', value: '{expected}', ignore_case: false, trim: true })).toMatchObject({
      value: '{input}',
    });
  });

  it('leave alone names without a value, names that every object has, and other braces', () => {
    const value = '{none} {other} {constructor} {toString} {} { input } {in-put} {{input';
    expect(filled({ type: 'equals', value, ignore_case: false, trim: true })).toMatchObject({ value });
  });

  it('mean no more in a pattern than they say', () => {
    const special = '\\^$.|?*+()[]{}';
    const [{ pattern }] = fillChecks([{ ...FIELDS, type: 'regex', pattern: '{input}', flags: '' }], {
      input: special,
    }) as [Extract<Check, { type: 'regex' }>];
    expect(pattern).toBe(special.replace(/./g, '\\$&'));
    expect(new RegExp(`^${pattern}$`).test(special)).toBe(true);
  });

  it('leave the member names of a schema, and checks without texts, unchanged', () => {
    expect(filled({ type: 'json', allow_fence: true, schema: { properties: { '{input}': {} } } })).toMatchObject({
      schema: { properties: { '{input}': {} } },
    });
    for (const members of [
      { type: 'json', allow_fence: true },
      { type: 'finished' },
      { type: 'number', value: 1, tolerance: 0, which: 'last' },
    ] as Members[])
      expect(filled(members)).toEqual({ ...FIELDS, ...members });
  });

  describe('of which there is too much', () => {
    const equals = (value: string): Check => ({ ...FIELDS, type: 'equals', value, ignore_case: false, trim: true });
    const error = {
      code: 'invalid_request',
      param: 'checks[1]',
      message: 'With input filled in, checks[1] makes the checks longer than 65,536 characters as JSON.',
    };

    it.each([
      [1, 65_537],
      [9000, 128_000],
      [33, 2000],
    ])('are refused, filled in %d times with %d characters', (times, length) => {
      expect(() => fillChecks([equals('a'), equals('{input}'.repeat(times))], { input: 'x'.repeat(length) })).toThrow(
        expect.objectContaining(error),
      );
    });

    it('are refused over all checks together, and counted as JSON', () => {
      const half = { input: '"'.repeat(16_400) };
      expect(fillChecks([equals('a'), equals('{input}')], half)).toHaveLength(2);
      expect(() => fillChecks([equals('{input}'), equals('{input}')], half)).toThrow(expect.objectContaining(error));
    });

    it('do not make checks too long into which nothing is filled', () => {
      const long = ['a', 'b', 'c'].map((letter) => equals(letter.repeat(30_000)));
      expect(fillChecks(long, { input: 'x' })).toEqual(long);
    });
  });
});
