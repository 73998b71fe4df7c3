import { createCaller, type Caller } from '../../support/factories';

/** A check of each type with all of its members. */
const CHECKS: Record<string, Record<string, unknown>> = {
  equals: { value: 'a', ignore_case: true, trim: true },
  contains: { values: ['a'], mode: 'all', ignore_case: true, at: 'start' },
  label: { values: ['a'], ignore_case: true },
  regex: { pattern: 'a', flags: 'i' },
  json: { schema: {}, allow_fence: true, find: true },
  number: { value: 1, tolerance: 1, which: 'last' },
  length: { min: 1, max: 2, unit: 'words' },
  similarity: { value: 'a', min: 0.5, metric: 'levenshtein' },
  latency: { max_ms: 5, of: 'total' },
  cost: { max_usd: 1 },
  finished: {},
};
const EVERY = { name: 'x', weight: 1, not: false };
const REQUIRED = [
  'equals.value',
  'contains.values',
  'label.values',
  'regex.pattern',
  'number.value',
  'similarity.value',
  'similarity.min',
  'latency.max_ms',
  'cost.max_usd',
];

const FLAG = ' must be true or false';
const TEXT = ' must be a string';
const VALUES: Record<string, string> = {
  name: ' must be 1 to 40 of the characters a to z, 0 to 9, _ and -',
  weight: ' must be a number from 0 to 1,000',
  not: FLAG,
  'equals.value': TEXT,
  'equals.ignore_case': FLAG,
  'equals.trim': FLAG,
  'contains.values': ' must be an array of 1 to 20 texts',
  'contains.mode': ' must be one of all, any',
  'contains.ignore_case': FLAG,
  'contains.at': ' must be one of start, end',
  'label.values': ' must be an array of 1 to 100 texts',
  'label.ignore_case': FLAG,
  'regex.pattern': TEXT,
  'regex.flags': ' must be letters of i, m and s, each at most once',
  'json.schema': ' must be an object',
  'json.allow_fence': FLAG,
  'json.find': FLAG,
  'number.value': ' must be a number from -1,000,000,000,000,000 to 1,000,000,000,000,000',
  'number.tolerance': ' must be a number from 0 to 1,000,000,000,000,000',
  'number.which': ' must be one of last, first, only',
  'length.min': ' must be a whole number from 0 to 1,000,000',
  'length.max': ' must be a whole number from 0 to 1,000,000',
  'length.unit': ' must be one of characters, words, tokens',
  'similarity.value': TEXT,
  'similarity.min': ' must be a number from 0 to 1',
  'similarity.metric': ' must be one of levenshtein, token_f1',
  'latency.max_ms': ' must be a whole number from 0 to 3,600,000',
  'latency.of': ' must be one of total, first_token',
  'cost.max_usd': ' must be a number of dollars from 0 to 1,000,000,000',
};
/** Of these kinds the sentence also says when it was a string. */
const SAYS_STRING = [/number/, /true or false/];
const MEMBERS = Object.entries(CHECKS).flatMap(([type, own]) =>
  Object.keys({ ...EVERY, ...own }).map((member) => [type, member] as const),
);
const LONG: [string, string, number][] = [
  ['equals', 'value', 32_000],
  ['contains', 'values', 1000],
  ['label', 'values', 200],
  ['regex', 'pattern', 512],
  ['similarity', 'value', 8000],
  ['finished', 'name', 40],
];

describe('A member of a check', () => {
  let caller: Caller;
  /** They take turns: the rate limit of one is too low. */
  let callers: [Caller, Caller];
  let unused: string;
  beforeAll(async () => {
    callers = [await createCaller(), await createCaller()];
    [caller] = callers;
    unused = await left();
  });
  afterAll(async () => expect(await left()).toBe(unused));

  /** The number of evals and charges. */
  const left = async () =>
    (
      await Promise.all(
        callers.map(async (one) => `${(await one.get('/api/v1/usage')).text}${(await one.get('/api/v1/evals')).text}`),
      )
    )
      .sort()
      .join();

  /** The error of a compare whose second check has the member like this. */
  async function errorOf(type: string, member: string, value: unknown): Promise<[number, string, string, string]> {
    const check = { type, ...EVERY, ...CHECKS[type], [member]: value };
    callers.reverse();
    const { status, body } = await callers[0].compare({
      prompt: 'Hello',
      models: ['sim-swift'],
      checks: [{ type: 'finished', name: 'first' }, check],
    });
    return [status, body.error?.code, body.error?.param, body.error?.message];
  }

  it.each(MEMBERS)('(%s.%s) is refused in the same words whatever else it is', async (type, member) => {
    const param = `checks[1].${member}`;
    const sentence = VALUES[member] ?? VALUES[`${type}.${member}`] ?? '';
    const strings = SAYS_STRING.some((kind) => kind.test(sentence)) ? ', not a string' : '';
    const wrong: unknown[] = [null, [], {}, ...(strings === '' ? [5, true] : ['5', 'x'])].filter(
      (value) => JSON.stringify(value) !== JSON.stringify(CHECKS[type]?.[member]),
    );
    for (const value of wrong) {
      const end = typeof value === 'string' ? strings : '';
      expect([value, ...(await errorOf(type, member, value))]).toEqual([
        value,
        400,
        'invalid_request',
        param,
        `${param}${sentence}${end}.`,
      ]);
    }
  });

  it.each(REQUIRED.map((path) => path.split('.') as [string, string]))('(%s.%s) is required', async (type, member) => {
    expect(await errorOf(type, member, undefined)).toEqual([
      400,
      'invalid_request',
      `checks[1].${member}`,
      `checks[1].${member} is required.`,
    ]);
  });

  it.each(LONG)(
    '(%s.%s) has at most %d characters, none of them U+0000 or half of a pair',
    async (type, member, most) => {
      const isList = member === 'values';
      const param = `checks[1].${member}${isList ? '[0]' : ''}`;
      const of = (text: string) => errorOf(type, member, isList ? [text] : text);
      const words = member === 'name' ? VALUES['name'] : undefined;
      expect(await of('x'.repeat(most + 1))).toEqual([
        400,
        'invalid_request',
        param,
        `${param}${words ?? ` must not be longer than ${most.toLocaleString('en-US')} characters`}.`,
      ]);
      for (const text of ['a\0', '\ud800'])
        expect(await of(text)).toEqual([
          400,
          'invalid_request',
          param,
          `${param}${words ?? ' must not contain U+0000 or lone surrogates'}.`,
        ]);
      expect(
        (
          await caller.post('/api/v1/compare/estimate', {
            prompt: 'Hello',
            models: ['sim-swift'],
            checks: [{ type, ...CHECKS[type], [member]: isList ? ['x'.repeat(most)] : 'x'.repeat(most) }],
          })
        ).status,
      ).toBe(200);
    },
  );

  it.each([
    ['number', 'value', -1e15 - 1],
    ['number', 'value', 1e15 + 1],
    ['number', 'tolerance', -0.1],
    ['length', 'min', 0.5],
    ['length', 'max', 1_000_001],
    ['similarity', 'min', 1.000001],
    ['similarity', 'min', -0.000001],
    ['latency', 'max_ms', -1],
    ['latency', 'max_ms', 3_600_001],
    ['latency', 'max_ms', 0.5],
    ['cost', 'max_usd', -1e-12],
    ['cost', 'max_usd', 1_000_000_001],
    ['finished', 'weight', -1],
    ['finished', 'weight', 1000.1],
  ])('(%s.%s) must not be %d', async (type, member, value) => {
    const param = `checks[1].${member}`;
    expect(await errorOf(type, member, value)).toEqual([
      400,
      'invalid_request',
      param,
      `${param}${VALUES[member] ?? VALUES[`${type}.${member}`] ?? ''}.`,
    ]);
  });

  it.each([
    ['contains', 20],
    ['label', 100],
  ])('(%s.values) has at most %d elements', async (type, most) => {
    expect(await errorOf(type, 'values', new Array(most + 1).fill('a'))).toEqual([
      400,
      'invalid_request',
      'checks[1].values',
      `checks[1].values must be an array of 1 to ${most} texts.`,
    ]);
  });
});
