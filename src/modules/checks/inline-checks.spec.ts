import { Money } from '../../common/money';
import type { CheckedAnswer } from './check-type';
import { decideInline, isInline } from './inline-checks';
import { jsonTextIn, jsonTextWithin } from './json-text';
import { quoted } from './quoted';
import type { Check } from './types';
import { verdictOf } from './verdict';

type Given = Check extends infer C ? (C extends Check ? Omit<C, 'name' | 'weight' | 'not'> : never) : never;
const checkOf = (given: Given): Check => ({ name: 'x', weight: 1, not: false, ...given });
const ANSWER: CheckedAnswer = {
  text: 'Paris',
  finishReason: 'stop',
  latencyMs: 400,
  firstTokenMs: 120,
  cost: Money.of('0.0001'),
  tokens: 7,
};

function outcome(given: Given, answer: Partial<CheckedAnswer> = {}): [string, string?] {
  const check = checkOf(given);
  const whole = { ...ANSWER, ...answer };
  if (!isInline(check, whole.text)) throw new Error('Needs the thread.');
  const { outcome: found, reason } = verdictOf(check, decideInline(check, whole));
  return reason === undefined ? [found] : [found, reason];
}

const EQUALS = { type: 'equals', value: 'Paris', ignore_case: false, trim: true } as const;
const CONTAINS: Extract<Given, { type: 'contains' }> = {
  type: 'contains',
  values: ['Paris', 'France'],
  mode: 'all',
  ignore_case: false,
};
const LABEL: Extract<Given, { type: 'label' }> = { type: 'label', values: ['billing', 'shipping'], ignore_case: false };
const JSON_CHECK = { type: 'json', allow_fence: true } as const;
const LENGTH = { type: 'length', unit: 'words' } as const;
const NUMBER = { type: 'number', value: 42, tolerance: 0, which: 'last' } as const;

describe('Checks that are decided at once', () => {
  test.each([
    ['the same', EQUALS, 'Paris', ['pass']],
    ['the same between white space', EQUALS, ' Paris\n', ['pass']],
    ['white space where it counts', { ...EQUALS, trim: false }, 'Paris ', ['fail', 'It is "Paris ".']],
    ['another case', EQUALS, 'PARIS', ['fail', 'It is "PARIS".']],
    ['another case that counts as the same', { ...EQUALS, ignore_case: true }, 'PARIS', ['pass']],
    ['all texts', CONTAINS, 'Paris is in France.', ['pass']],
    ['only one of all texts', CONTAINS, 'Paris.', ['fail', 'It does not contain "France".']],
    ['one of any texts', { ...CONTAINS, mode: 'any' }, 'In France.', ['pass']],
    ['none of any texts', { ...CONTAINS, mode: 'any' }, 'Rome', ['fail', 'It does not contain any of the 2 texts.']],
    ['a text in another case', CONTAINS, 'paris, france', ['fail', 'It does not contain "Paris".']],
    ['a text in another case that counts as the same', { ...CONTAINS, ignore_case: true }, 'paris, france', ['pass']],
    ['a composed character as its parts', { ...EQUALS, value: 'caf\u00e9' }, 'cafe\u0301', ['pass']],
    ['parts as a composed character', { ...CONTAINS, values: ['cafe\u0301'] }, 'un caf\u00e9', ['pass']],
    [
      'another letter',
      { ...CONTAINS, values: ['cafe'], ignore_case: true },
      'CAF\u00c9',
      ['fail', 'It does not contain "cafe".'],
    ],
    ['a text at the start', { ...CONTAINS, values: ['Paris'], at: 'start' }, '\n Paris it is', ['pass']],
    [
      'a text elsewhere than at the start',
      { ...CONTAINS, values: ['Paris'], at: 'start' },
      'It is Paris',
      ['fail', 'It does not begin with "Paris".'],
    ],
    [
      'one of any texts at the end',
      { ...CONTAINS, values: ['rome', 'PARIS '], at: 'end', mode: 'any', ignore_case: true },
      'It is Paris\n',
      ['pass'],
    ],
    [
      'all texts, not all of them at the end',
      { ...CONTAINS, at: 'end' },
      'Paris, France',
      ['fail', 'It does not end with "Paris".'],
    ],
    ['a label between white space', LABEL, ' shipping\n', ['pass']],
    ['a label in another case', LABEL, 'Billing', ['fail', 'It is "Billing", which is none of the labels.']],
    ['a label in another case that counts as the same', { ...LABEL, ignore_case: true }, 'BILLING', ['pass']],
    ['a label with more', LABEL, 'billing.', ['fail', 'It is "billing.", which is none of the labels.']],
    ['a label as the parts of its characters', { ...LABEL, values: ['caf\u00e9'] }, 'cafe\u0301', ['pass']],
    ['JSON', JSON_CHECK, ' {"a": 1}\n', ['pass']],
    ['JSON in a fence', JSON_CHECK, 'Here:', ['fail', 'It is not JSON.']],
    ['fenced JSON', JSON_CHECK, '```json\n{"a": 1}\n```', ['pass']],
    [
      'fenced JSON where no fence may be',
      { ...JSON_CHECK, allow_fence: false },
      '```json\n1\n```',
      ['fail', 'It is not JSON.'],
    ],
    ['the last number', NUMBER, 'Of 7 it is 42.', ['pass']],
    ['the first number', { ...NUMBER, which: 'first' }, '42 of 50', ['pass']],
    ['another number', NUMBER, '42 of 50', ['fail', 'Its last number is 50.']],
    ['the only number', { ...NUMBER, which: 'only' }, 'It is 42.', ['pass']],
    [
      'two numbers',
      { ...NUMBER, which: 'only' },
      '42 and 42',
      ['fail', 'It holds several numbers, the first two are 42 and 42.'],
    ],
    ['no number', NUMBER, 'forty-two', ['fail', 'It holds no number.']],
    ['a number within the tolerance, exactly', { ...NUMBER, value: 0.3, tolerance: 0.1 }, '0.4', ['pass']],
    [
      'a number outside of the tolerance',
      { ...NUMBER, value: 0.3, tolerance: 0.1 },
      '0.400001',
      ['fail', 'Its last number is 0.400001.'],
    ],
    ['as many words', { ...LENGTH, min: 2, max: 2 }, 'two  words\n', ['pass']],
    ['words without spaces between them', { ...LENGTH, min: 3, max: 3 }, '東京は大きい。', ['pass']],
    ['too few words', { ...LENGTH, min: 2 }, 'one', ['fail', 'It is 1 word long.']],
    [
      'too many characters, which are code points',
      { ...LENGTH, max: 2, unit: 'characters' },
      '👍👍👍',
      ['fail', 'It is 3 characters long.'],
    ],
    ['tokens', { ...LENGTH, max: 7, unit: 'tokens' }, 'x', ['pass']],
    ['too many tokens', { ...LENGTH, max: 6, unit: 'tokens' }, 'x', ['fail', 'It is 7 tokens long.']],
    ['an ended text', { type: 'finished' }, 'x', ['pass']],
    ['a blank text', { type: 'finished' }, ' \n', ['fail', 'It is blank.']],
  ] as [string, Given, string, [string, string?]][])('find %s', (_, check, text, expected) => {
    expect(outcome(check, { text })).toEqual(expected);
  });

  test.each([
    [{ type: 'latency', max_ms: 400, of: 'total' }, {}, ['pass']],
    [{ type: 'latency', max_ms: 399, of: 'total' }, {}, ['fail', 'It took 400 ms.']],
    [{ type: 'latency', max_ms: 120, of: 'first_token' }, {}, ['pass']],
    [{ type: 'latency', max_ms: 119, of: 'first_token' }, {}, ['fail', 'Its first token took 120 ms.']],
    [
      { type: 'latency', max_ms: 119, of: 'first_token' },
      { firstTokenMs: null },
      ['error', 'There was no first token.'],
    ],
    [{ type: 'cost', max_usd: '0.0001' }, {}, ['pass']],
    [{ type: 'cost', max_usd: '0.00009999' }, {}, ['fail', 'It cost 0.0001 USD.']],
    [{ type: 'finished' }, { finishReason: 'length' }, ['fail', 'It was cut at the maximum of tokens.']],
    [{ type: 'finished' }, { finishReason: null }, ['fail', 'It ended before it was finished.']],
  ] as [Given, Partial<CheckedAnswer>, [string, string?]][])(
    'decide %j of a call with %j',
    (check, answer, expected) => {
      expect(outcome(check, answer)).toEqual(expected);
    },
  );

  test.each([
    [{ type: 'latency', max_ms: 1, of: 'total' }, 'The latency of this text was not measured.'],
    [{ type: 'cost', max_usd: '1' }, 'The cost of this text is not known.'],
    [{ type: 'length', max: 1, unit: 'tokens' }, 'The tokens of this text were not counted.'],
    [{ type: 'finished' }, 'It is not known why this text ended.'],
  ] as [Given, string][])('cannot decide %j of a text alone', (given, reason) => {
    const check = checkOf(given);
    expect(isInline(check, 'x') && decideInline(check, { text: 'x' })).toEqual({ undecided: reason });
  });

  it('leave to the thread the words of long texts without spaces, and JSON that is to be found', () => {
    const of = (given: Given, text: string) => isInline(checkOf(given), text);
    expect([
      of(LENGTH, '東'.repeat(8192)),
      of(LENGTH, '東'.repeat(8193)),
      of(LENGTH, 'x '.repeat(8193)),
      of({ ...LENGTH, unit: 'characters' }, '東'.repeat(8193)),
      of({ ...JSON_CHECK, find: false }, 'x'),
      of({ ...JSON_CHECK, find: true }, 'x'),
    ]).toEqual([true, false, true, true, true, false]);
  });

  it('leave to the thread what may take long: patterns, schemas, similarities, and searches of long texts for long texts', () => {
    const long = checkOf({ ...CONTAINS, values: ['x'.repeat(1000)] });
    const of = (given: Given, text = 'x') => isInline(checkOf(given), text);
    expect([
      of({ type: 'regex', pattern: 'x', flags: '' }),
      of({ ...JSON_CHECK, schema: {} }),
      of({ type: 'similarity', value: 'x', min: 0, metric: 'token_f1' }),
      of(CONTAINS),
      isInline(long, 'x'.repeat(200)),
      isInline(long, 'x'.repeat(201)),
    ]).toEqual([false, false, false, true, true, false]);
  });
});

describe('Words about a text', () => {
  test.each([
    [['a'], 'all', 'a', 'It contains "a".'],
    [['a', 'b'], 'all', 'ab', 'It contains all 2 texts.'],
    [['c', 'b'], 'any', 'ab', 'It contains "b".'],
  ] as const)('say of %p, %s, in %p: %s', (values, mode, text, observed) => {
    expect(
      decideInline(checkOf({ type: 'contains', values: [...values], mode, ignore_case: false }), { text }),
    ).toEqual({ isMet: true, observed });
  });

  it('quote no more than 60 characters, and no half of a pair', () => {
    expect(quoted('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`);
    expect(quoted(`${'x'.repeat(59)}👍y`)).toBe(`"${'x'.repeat(59)}\ufffd…"`);
  });

  it.each([
    ['```\n1\n```', '1\n'],
    ['```json\n{}```', '{}'],
    ['``````', '``````'],
    ['```', '```'],
    ['``` 1 ```', '``` 1 ```'],
    ['no ```\n1\n```', 'no ```\n1\n```'],
  ])('find in %j the JSON %j', (text, json) => {
    expect(jsonTextIn(text, true)).toBe(json);
  });

  it.each([
    ['Sure! {"city":"P"} Anything else?', '{"city":"P"}'],
    ['Here you are:\n```json\n{"a": [1]}\n```\nDone.', '{"a": [1]}\n'],
    ['It is {unknown}, so [] it is', '[]'],
    ['{"a": "}"} {"b": 1}', '{"a": "}"}'],
    ['[see {"a": "]"}', '{"a": "]"}'],
    ['As {"a": 1} shows:\n```\n42\n```', '42\n'],
    ['```\nno\n``` [1, 2]', '[1, 2]'],
    ['42', '42'],
    [' "text" ', ' "text" '],
    ['{"a": 1', undefined],
    ['none', undefined],
    ['a { b } c', undefined],
    ['{{"a": 1}}', '{"a": 1}'],
    ['["\\"", 1] x', '["\\"", 1]'],
  ])('find in the prose of %j the JSON %j', (text, json) => {
    expect(jsonTextWithin(text)).toBe(json);
  });
});
