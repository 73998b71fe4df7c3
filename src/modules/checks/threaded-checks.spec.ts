import type { Finding } from './check-type';
import { doTask } from './threaded-checks';
import type { Check } from './types';
import { verdictOf } from './verdict';

const regex = (pattern: string, flags = ''): Check => ({
  name: 'x',
  weight: 1,
  not: false,
  type: 'regex',
  pattern,
  flags,
});
const json = (schema: object): Check => ({ name: 'x', weight: 1, not: false, type: 'json', schema, allow_fence: true });
const found = (schema?: object): Check => ({
  name: 'x',
  weight: 1,
  not: false,
  type: 'json',
  ...(schema && { schema }),
  allow_fence: true,
  find: true,
});
const words = (max: number): Check => ({ name: 'x', weight: 1, not: false, type: 'length', max, unit: 'words' });
const containing = (value: string): Check => ({
  name: 'x',
  weight: 1,
  not: false,
  type: 'contains',
  values: [value],
  mode: 'all',
  ignore_case: false,
});
const similar = (value: string, min: number, metric: 'levenshtein' | 'token_f1' = 'levenshtein'): Check => ({
  name: 'x',
  weight: 1,
  not: false,
  type: 'similarity',
  value,
  min,
  metric,
});

function decided(check: Check, text: string): unknown[] {
  const { outcome, score, reason } = verdictOf(check, doTask({ kind: 'decide', check, text }) as Finding);
  return reason === undefined ? [outcome, score] : [outcome, score, reason];
}

describe('Checks that are decided in the thread', () => {
  it('keep the patterns of one schema apart, and schemas from one another', () => {
    const both = json({ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
    expect([decided(both, '{"a": "a", "b": "b"}'), decided(both, '{"a": "b"}')]).toEqual([
      ['pass', 1],
      ['fail', 0, '/a must match pattern "^a$".'],
    ]);
    expect(decided(json({ $id: 'https://example.com/one', $anchor: 'one', const: 1 }), '1')).toEqual(['pass', 1]);
    expect(decided(json({ $id: 'https://example.com/one', const: 2 }), '2')).toEqual(['pass', 1]);
    expect(doTask({ kind: 'try', check: json({ $ref: 'https://example.com/one' }) })).toEqual({
      problem: " is not a schema of draft 2020-12: can't resolve reference https://example.com/one from id #",
    });
  });

  test.each([
    [regex('\\d{3}'), 'in 2026', ['pass', 1]],
    [regex('^\\d+$'), 'in 2026', ['fail', 0, 'It does not contain the pattern.']],
    [regex('PARIS', 'i'), 'Paris', ['pass', 1]],
    [regex('^b$', 'm'), 'a\nb', ['pass', 1]],
    [regex('a.b', 's'), 'a\nb', ['pass', 1]],
    [regex('a.b'), 'a\nb', ['fail', 0, 'It does not contain the pattern.']],
    [json({ type: 'object', required: ['city'] }), '```json\n{"city": "Paris"}\n```', ['pass', 1]],
    [json({ type: 'object', required: ['city'] }), '{}', ['fail', 0, "It must have required property 'city'."]],
    [json({ properties: { total: { type: 'number' } } }), '{"total": "12"}', ['fail', 0, '/total must be number.']],
    [json({ $ref: '#/$defs/a', $defs: { a: { const: 1 } } }), '1', ['pass', 1]],
    [
      json({
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { a: { const: 1 } },
        properties: { a: { $ref: '#/definitions/a' } },
      }),
      '{"a": 2}',
      ['fail', 0, '/a must be equal to constant.'],
    ],
    [
      json({ $anchor: 'tree', $defs: { b: true }, properties: { a: { $ref: '#tree' } }, type: 'object' }),
      '{"a": {"a": 1}}',
      ['fail', 0, '/a/a must be object.'],
    ],
    [
      json({ prefixItems: [{ type: 'string' }], items: false }),
      '["a", 1]',
      ['fail', 0, 'It must NOT have more than 1 items.'],
    ],
    [json({ pattern: '^\\d+$' }), '"12a"', ['fail', 0, 'It must match pattern "^\\d+$".']],
    [json({ required: ['constructor'] }), '{}', ['fail', 0, "It must have required property 'constructor'."]],
    [json({}), 'Sorry.', ['fail', 0, 'It is not JSON.']],
    [found({ required: ['city'] }), 'Sure! {"city": "P"}', ['pass', 1]],
    [found({ required: ['city'] }), 'Sure! {"town": "P"}', ['fail', 0, "It must have required property 'city'."]],
    [found({}), 'Sorry.', ['fail', 0, 'It holds no JSON.']],
    [found(), 'See below.\n```\n42\n```', ['pass', 1]],
    [words(3), '東京は大きい。', ['pass', 1]],
    [words(1), '東京は'.repeat(30_000), ['fail', 0, 'It is 60000 words long.']],
    [
      json({ items: { $ref: '#' } }),
      `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
      ['error', null, 'It is nested too deeply for its schema.'],
    ],
    [similar('sitting', 0.5), 'kitten', ['pass', 0.571429]],
    [similar('sitting', 0.6), 'kitten', ['fail', 0.571429, 'Its similarity is 0.571429.']],
    [similar('the cat is on a mat', 0.6, 'token_f1'), 'the cat sat on the mat', ['pass', 0.666667]],
    [containing('end'), `${'x'.repeat(65_537)}end`, ['pass', 1]],
    [regex('x'), 'x'.repeat(65_536), ['pass', 1]],
    [
      regex('x'),
      'x'.repeat(65_537),
      ['error', null, 'The text is 65,537 characters long; this check looks at no more than 65,536.'],
    ],
  ])('%#: %j', (check, text, expected) => {
    expect(decided(check, text)).toEqual(expected);
  });

  test.each([
    [regex('('), ' is not a pattern of RE2: missing closing )'],
    [regex('(?=a)'), ' is not a pattern of RE2: invalid or unsupported Perl syntax'],
    [regex('(a)\\1'), ' is not a pattern of RE2: invalid escape sequence'],
    [regex('(x|y|[a-w]){0,1000}$'), ' needs 4,003 instructions of RE2; the maximum is 2,000'],
    [regex('(?:abc){700}'), ' needs 2,102 instructions of RE2; the maximum is 2,000'],
    [regex('a{600}b{401}'), ' must have repetition bounds that add up to at most 1,000'],
    [
      json({ type: 'text' }),
      ' is not a schema of draft 2020-12: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf',
    ],
    [
      json({ $ref: '#/$defs/none' }),
      " is not a schema of draft 2020-12: can't resolve reference #/$defs/none from id #",
    ],
    [
      json({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
      ' is not a schema of draft 2020-12: its references lead back to themselves',
    ],
    [json({ $id: 5 }), ' is not a schema of draft 2020-12: one of its members is of another type than it must be'],
    [json({ pattern: '(?=a)' }), ' has a pattern that is not a pattern of RE2: invalid or unsupported Perl syntax'],
    [
      json({ uniqueItems: true, items: { type: 'object' } }),
      ' must give maxItems wherever it asks for uniqueItems of objects or arrays',
    ],
    [regex('a{1000}'), undefined],
    [json({ format: 'date', uniqueItems: true, items: { type: 'string' } }), undefined],
  ])('%#: of %j the problem is %j', (check, problem) => {
    expect(doTask({ kind: 'try', check })).toEqual(problem === undefined ? {} : { problem });
  });
});
