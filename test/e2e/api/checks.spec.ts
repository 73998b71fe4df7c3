import { createCaller, type Caller } from '../../support/factories';
import type { Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { worker } from '../../support/worker';

const SAYS_JSON = '[[sim:say={"city": "Paris", "people": 2102650}]]';

/** For every type, a check that the text above passes, and a check that it fails. */
const PASSING = [
  { type: 'equals', value: '{"city": "Paris", "people": 2102650}' },
  { type: 'contains', values: ['paris'], ignore_case: true },
  { type: 'contains', values: ['{'], at: 'start' },
  { type: 'label', values: ['{"city": "Paris", "people": 2102650}', 'none'] },
  { type: 'regex', pattern: '"people": \\d{7}' },
  {
    type: 'json',
    schema: { type: 'object', required: ['city'], properties: { people: { type: 'integer', minimum: 1 } } },
  },
  { type: 'number', value: 2_102_000, tolerance: 1000 },
  { type: 'length', min: 2, max: 10, unit: 'words' },
  { type: 'similarity', value: '{"city": "Paris", "people": 2102651}', min: 0.9 },
  { type: 'latency', max_ms: 60_000 },
  { type: 'cost', max_usd: 1 },
  { type: 'finished' },
];
const FAILING = [
  { type: 'equals', value: 'Paris' },
  { type: 'contains', values: ['Paris', 'Rome'] },
  { type: 'contains', values: ['{'], at: 'end' },
  { type: 'label', values: ['Paris', 'Rome'] },
  { type: 'regex', pattern: '^\\d+$' },
  { type: 'json', schema: { properties: { people: { type: 'string' } } } },
  { type: 'number', value: 42 },
  { type: 'length', max: 3 },
  { type: 'similarity', value: 'Rome', min: 0.9, metric: 'token_f1' },
  { type: 'latency', max_ms: 0 },
  { type: 'cost', max_usd: 0 },
  { type: 'finished', not: true },
];
const REASONS = [
  'It is "{\\"city\\": \\"Paris\\", \\"people\\": 2102650}".',
  'It does not contain "Rome".',
  'It does not end with "{".',
  'It is "{\\"city\\": \\"Paris\\", \\"people\\": 2102650}", which is none of the labels.',
  'It does not contain the pattern.',
  '/people must be string.',
  'Its last number is 2102650.',
  'It is 36 characters long.',
  'Its similarity is 0.',
  expect.stringMatching(/^It took \d+ ms\.$/),
  expect.stringMatching(/^It cost 0\.\d+ USD\.$/),
  'It is finished.',
];

const outcomes = (verdicts: Json[]) => verdicts.map(({ outcome }) => outcome as string);

describe('Checks of a compare', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });
  const compared = async (checks: unknown, more: object = {}, query = '?include=checks') =>
    caller.post(`/api/v1/compare${query}`, { prompt: SAYS_JSON, models: ['sim-swift'], checks, ...more });

  it('pass, one of every type', async () => {
    const { status, body } = await compared(PASSING);
    expect([status, outcomes(body.results[0].checks)]).toEqual([200, PASSING.map(() => 'pass')]);
    expect(body.results[0].checks[8]).toEqual({
      name: 'similarity-9',
      type: 'similarity',
      outcome: 'pass',
      score: 0.972222,
    });
    expect(body.checks).toMatchObject({
      passed: true,
      by_model: [{ model: 'sim-swift', passed: 12, failed: 0, errored: 0, score: 0.997685 }],
    });
  });

  it('fail, one of every type, and say why', async () => {
    const { body } = await compared(FAILING);
    expect(outcomes(body.results[0].checks)).toEqual(FAILING.map(() => 'fail'));
    expect(body.results[0].checks.map(({ reason }: Json) => reason)).toEqual(REASONS);
    expect(body.checks).toMatchObject({
      passed: false,
      by_model: [{ model: 'sim-swift', passed: 0, failed: 12, errored: 0, score: 0 }],
    });
  });

  it('show nowhere unless they are asked for, and then the same from the database, byte for byte', async () => {
    const given = [
      ...PASSING,
      {
        type: 'json',
        name: 'x',
        weight: 0.5,
        schema: { 'x-zz': 1, 'x-b': { y: 1, x: [{ d: 1, c: 2 }] }, $comment: 'ab' },
      },
    ];
    const { text, body } = await compared(given);
    const path = `/api/v1/evals/${body.eval_id}`;
    expect((await caller.get(`${path}?include=checks`)).text).toBe(text);
    const plain = await caller.get(path);
    expect(plain.text).toBe(
      (await caller.get(`${path}?include=details`)).text.replace(/,"details":\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, ''),
    );
    expect(plain.text).not.toContain('check');
    expect((await compared(given, {}, '')).text).not.toContain('check');
  });

  it('are returned with names and defaults filled in', async () => {
    const { body } = await compared([
      { type: 'cost', max_usd: 0.000001 },
      { type: 'contains', name: 'city', values: ['Paris'], weight: 2 },
    ]);
    expect(body.checks.definitions).toEqual([
      { name: 'cost-1', type: 'cost', weight: 1, not: false, max_usd: 0.000001 },
      { name: 'city', type: 'contains', weight: 2, not: false, ignore_case: false, mode: 'all', values: ['Paris'] },
    ]);
  });

  it('skip a model that failed, so that the eval does not pass', async () => {
    const { body } = await caller.post('/api/v1/compare?include=checks', {
      prompt: 'Hello [[sim-titan:fail]]',
      models: ['sim-swift', 'sim-titan'],
      checks: [{ type: 'finished' }, { type: 'regex', pattern: '.' }],
    });
    expect(body.results.map(({ checks }: Json) => outcomes(checks))).toEqual([
      ['pass', 'pass'],
      ['skipped', 'skipped'],
    ]);
    expect(body.results[1].checks[0]).toEqual({
      name: 'finished-1',
      type: 'finished',
      outcome: 'skipped',
      score: null,
      reason: 'The model gave no answer.',
    });
    expect(body.checks).toMatchObject({
      passed: false,
      by_model: [
        { passed: 2, score: 1 },
        { model: 'sim-titan', passed: 0, failed: 0, errored: 0, score: null },
      ],
    });
  });

  it('look at every sample', async () => {
    const { body } = await compared([{ type: 'finished' }], { options: { samples: 3 } });
    expect(body.results.map(({ checks }: Json) => outcomes(checks))).toEqual([['pass'], ['pass'], ['pass']]);
    expect(body.checks.by_model).toEqual([{ model: 'sim-swift', passed: 3, failed: 0, errored: 0, score: 1 }]);
  });

  it('come with the last event of a stream', async () => {
    const { text } = await caller.post(
      '/api/v1/compare?include=checks',
      { prompt: SAYS_JSON, models: ['sim-swift'], checks: [{ type: 'finished' }] },
      { headers: { accept: 'text/event-stream' } },
    );
    const events = text.split('\n\n').filter((block) => block !== '');
    expect(JSON.parse(/^data: (.*)$/m.exec(events.at(-1) ?? '')?.[1] ?? '')).toMatchObject({
      checks: { passed: true },
      results: [{ checks: [{ outcome: 'pass' }] }],
    });
    expect(events.slice(0, -1).join()).not.toContain('"checks"');
  });

  it('belong to what an Idempotency-Key stands for', async () => {
    const headers = { 'idempotency-key': `checks-${caller.userId}` };
    const body = { prompt: SAYS_JSON, models: ['sim-swift'], checks: [{ type: 'finished' }] };
    const first = await caller.post('/api/v1/compare?include=checks', body, { headers });
    const again = await caller.post(
      '/api/v1/compare?include=checks',
      { ...body, checks: [{ type: 'finished', name: 'finished-1', weight: 1 }] },
      { headers },
    );
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    for (const checks of [undefined, [{ type: 'finished', weight: 2 }]])
      expect((await caller.compare({ ...body, checks }, { headers })).body.error.code).toBe('idempotency_key_reused');
  });

  it('are those of the eval that is run again, and of a compare in the background', async () => {
    const given = [
      ...PASSING,
      { type: 'cost', name: 'tiny', max_usd: 1e-12, weight: 0.5 },
      { type: 'json', name: 'form', schema: { properties: { city: { const: 'Paris' } } } },
    ];
    const first = await compared(given);
    const again = await caller.post(`/api/v1/evals/${first.body.eval_id}/rerun?include=checks`);
    expect([again.status, again.body.checks.definitions]).toEqual([200, first.body.checks.definitions]);
    expect(outcomes(again.body.results[0].checks)).toEqual(outcomes(first.body.results[0].checks));
    const waited = await caller.post(
      '/api/v1/compare?include=checks',
      { prompt: SAYS_JSON, models: ['sim-swift'], checks: given },
      { headers: { prefer: 'respond-async, wait=30' } },
    );
    expect([waited.status, waited.body.checks]).toEqual([200, first.body.checks]);
    const refused = await caller.post(
      '/api/v1/compare',
      { prompt: SAYS_JSON, models: ['sim-swift'], checks: [{ type: 'regex', pattern: '(' }] },
      { headers: { prefer: 'respond-async' } },
    );
    expect([refused.status, refused.body.error.param]).toEqual([400, 'checks[0].pattern']);
  });

  describe('with {input}', () => {
    const input = 'Paris (a.b)';
    const CHECKS = [
      { type: 'contains', values: ['{input}'] },
      { type: 'equals', value: '{input}!' },
      { type: 'regex', pattern: '^{input}!$' },
      { type: 'json', schema: { const: '{input}' }, find: true },
      { type: 'similarity', value: '{input}!', min: 1 },
    ];
    const EXPECTED = ['pass', 'pass', 'pass', 'fail', 'pass'];
    const body = { prompt: `[[sim:say=${input}!]]`, input, models: ['sim-swift'], checks: CHECKS };

    it('are decided with the input, with samples, in the background and in a rerun, and returned as submitted', async () => {
      const first = await caller.post('/api/v1/compare?include=checks', { ...body, options: { samples: 2 } });
      const waited = await caller.post('/api/v1/compare?include=checks', body, {
        headers: { prefer: 'respond-async, wait=30' },
      });
      const again = await caller.post(`/api/v1/evals/${first.body.eval_id}/rerun?include=checks`);
      for (const answer of [first, waited, again]) {
        expect([answer.status, ...answer.body.results.map(({ checks }: Json) => outcomes(checks))]).toEqual([
          200,
          ...answer.body.results.map(() => EXPECTED),
        ]);
        expect(answer.body.checks.definitions).toMatchObject(CHECKS);
      }
      const alone = await caller.post('/api/v1/checks', { output: `${input}!`, input, checks: CHECKS });
      expect(alone.body.verdicts).toEqual(first.body.results[0].checks);
    });

    it('are refused where the input makes them too long or a pattern too large, also in the background and in an estimate', async () => {
      const long = { ...body, input: 'x'.repeat(70_000) };
      const words = {
        ...body,
        input: 'x'.repeat(2100),
        checks: [{ type: 'finished' }, { type: 'regex', pattern: '{input}' }],
      };
      for (const [path, headers] of [
        ['/api/v1/compare', {}],
        ['/api/v1/compare', { prefer: 'respond-async' }],
        ['/api/v1/compare/estimate', {}],
      ] as const) {
        const [tooLong, tooLarge] = [
          await caller.post(path, long, { headers }),
          await caller.post(path, words, { headers }),
        ];
        expect([tooLong.status, tooLong.body.error.param, tooLong.body.error.message]).toEqual([
          400,
          'checks[0]',
          'With input filled in, checks[0] makes the checks longer than 65,536 characters as JSON.',
        ]);
        expect([tooLarge.status, tooLarge.body.error.param, tooLarge.body.error.message]).toEqual([
          400,
          'checks[1].pattern',
          'checks[1].pattern needs 2,102 instructions of RE2; the maximum is 2,000.',
        ]);
      }
    });

    it('keep it where there is none', async () => {
      const { body: answer } = await compared([{ type: 'contains', values: ['{input}'] }], {
        prompt: '[[sim:say=Say {input}.]]',
      });
      expect(outcomes(answer.results[0].checks)).toEqual(['pass']);
    });
  });

  it('may be sent to be estimated, and are looked at there', async () => {
    const body = { prompt: SAYS_JSON, models: ['sim-swift'] };
    const plain = await caller.post('/api/v1/compare/estimate', body);
    expect((await caller.post('/api/v1/compare/estimate', { ...body, checks: PASSING })).text).toBe(plain.text);
    expect(
      (await caller.post('/api/v1/compare/estimate', { ...body, checks: [{ type: 'regex', pattern: '(' }] })).body
        .error,
    ).toMatchObject({ code: 'invalid_request', param: 'checks[0].pattern' });
  });
});

const deep = (levels: number): Json => (levels === 0 ? true : { not: deep(levels - 1) });

/** Checks that are refused, with the member that the error names and what it says. */
const REFUSED: [what: string, checks: unknown, param: string, message: string][] = [
  ['no list', { type: 'finished' }, 'checks', 'checks must be an array of 1 to 20 checks.'],
  ['an empty list', [], 'checks', 'checks must be an array of 1 to 20 checks.'],
  [
    '21 of them',
    Array.from({ length: 21 }, () => ({ type: 'finished' })),
    'checks',
    'checks must be an array of 1 to 20 checks.',
  ],
  [
    '2,000 of them',
    Array.from({ length: 2000 }, () => ({ type: 'finished' })),
    'checks',
    'checks must be an array of 1 to 20 checks.',
  ],
  ['no object', ['finished'], 'checks[0]', 'checks[0] must be an object.'],
  ['null', [{ type: 'finished' }, null], 'checks[1]', 'checks[1] must be an object.'],
  ['no type', [{}], 'checks[0].type', 'checks[0].type is required.'],
  [
    'an unknown type',
    [{ type: 'regexp', pattern: 'a' }],
    'checks[0].type',
    'checks[0].type must be one of equals, contains, label, regex, json, number, length, similarity, latency, cost, finished.',
  ],
  [
    'a type of every object',
    [{ type: 'constructor' }],
    'checks[0].type',
    'checks[0].type must be one of equals, contains, label, regex, json, number, length, similarity, latency, cost, finished.',
  ],
  [
    'a judge',
    [{ type: 'rubric', criterion: 'Is it kind?' }],
    'checks[0].type',
    'checks[0].type must not be rubric here: one verdict of a judge on one answer decides nothing; POST /experiments takes rubrics, for the rows of a data set.',
  ],
  ['a member missing', [{ type: 'contains' }], 'checks[0].values', 'checks[0].values is required.'],
  [
    'a member of another type',
    [{ type: 'contains', values: 'Paris' }],
    'checks[0].values',
    'checks[0].values must be an array of 1 to 20 texts.',
  ],
  [
    'an element of another type',
    [{ type: 'contains', values: ['a', 5] }],
    'checks[0].values[1]',
    'checks[0].values[1] must be a string.',
  ],
  [
    'an unknown member',
    [{ type: 'regex', pattern: 'a', flag: 'i' }],
    'checks[0].flag',
    'checks[0].flag is not a member of this request; perhaps flags was meant.',
  ],
  [
    'a member of another check',
    [{ type: 'finished' }, { type: 'finished', pattern: 'a' }],
    'checks[1].pattern',
    'checks[1].pattern is not a member of this request.',
  ],
  [
    'a member of every object',
    [{ type: 'finished', constructor: 1 }],
    'checks[0].constructor',
    'checks[0].constructor is not a member of this request.',
  ],
  [
    'a name twice',
    [
      { type: 'finished', name: 'a' },
      { type: 'equals', value: '', name: 'a' },
    ],
    'checks[1].name',
    'checks[1].name must be unique; [0] has the same.',
  ],
  [
    'a name that another has by default',
    [{ type: 'finished', name: 'finished-2' }, { type: 'finished' }],
    'checks[1].name',
    'checks[1].name must be unique; [0] has the same.',
  ],
  [
    'a name with capitals',
    [{ type: 'finished', name: 'Fin' }],
    'checks[0].name',
    'checks[0].name must be 1 to 40 of the characters a to z, 0 to 9, _ and -.',
  ],
  ['a weight of 0', [{ type: 'finished', weight: 0 }], 'checks[0].weight', 'checks[0].weight must not be 0.'],
  [
    'a pattern that is none',
    [{ type: 'finished' }, { type: 'regex', pattern: 'a(b' }],
    'checks[1].pattern',
    'checks[1].pattern is not a pattern of RE2: missing closing ).',
  ],
  [
    'a look-ahead',
    [{ type: 'regex', pattern: '(?=a)' }],
    'checks[0].pattern',
    'checks[0].pattern is not a pattern of RE2: invalid or unsupported Perl syntax.',
  ],
  [
    'a pattern of 513 characters',
    [{ type: 'regex', pattern: 'a'.repeat(513) }],
    'checks[0].pattern',
    'checks[0].pattern must not be longer than 512 characters.',
  ],
  [
    'large bounds',
    [{ type: 'regex', pattern: 'a{999}b{2}' }],
    'checks[0].pattern',
    'checks[0].pattern must have repetition bounds that add up to at most 1,000.',
  ],
  [
    'a large program',
    [{ type: 'regex', pattern: '(x|y|[a-w]){0,1000}$' }],
    'checks[0].pattern',
    'checks[0].pattern needs 4,003 instructions of RE2; the maximum is 2,000.',
  ],
  [
    'unknown flags',
    [{ type: 'regex', pattern: 'a', flags: 'gi' }],
    'checks[0].flags',
    'checks[0].flags must be letters of i, m and s, each at most once.',
  ],
  [
    'a remote reference',
    [{ type: 'json', schema: { $ref: 'https://example.com/schema.json' } }],
    'checks[0].schema',
    'checks[0].schema must not refer to anything outside itself; a $ref begins with #.',
  ],
  [
    'a schema of 33 KiB',
    [{ type: 'json', schema: { title: 'x'.repeat(33 * 1024) } }],
    'checks[0].schema',
    'checks[0].schema must not be longer than 32,768 characters as JSON.',
  ],
  [
    'a schema of 21 levels',
    [{ type: 'json', schema: deep(21) }],
    'checks[0].schema',
    'checks[0].schema must not be nested more than 20 levels deep.',
  ],
  [
    'no schema',
    [{ type: 'json', schema: { type: 'text' } }],
    'checks[0].schema',
    'checks[0].schema is not a schema of draft 2020-12: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf.',
  ],
  ['a length without bounds', [{ type: 'length' }], 'checks[0]', 'checks[0] needs min or max.'],
  [
    'a length with bounds that cross',
    [{ type: 'length', min: 2, max: 1 }],
    'checks[0].max',
    'checks[0].max must not be less than min.',
  ],
  [
    'a least length out of range, which is not compared',
    [{ type: 'length', min: 1_000_001, max: 1 }],
    'checks[0].min',
    'checks[0].min must be a whole number from 0 to 1,000,000.',
  ],
  [
    'a greatest length below 0, which is not compared',
    [{ type: 'length', min: 1, max: -1 }],
    'checks[0].max',
    'checks[0].max must be a whole number from 0 to 1,000,000.',
  ],
  [
    'references that go round',
    [{ type: 'json', schema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } } }],
    'checks[0].schema',
    'checks[0].schema is not a schema of draft 2020-12: its references lead back to themselves.',
  ],
  [
    'an id that is a number',
    [{ type: 'json', schema: { $id: 5 } }],
    'checks[0].schema',
    'checks[0].schema is not a schema of draft 2020-12: one of its members is of another type than it must be.',
  ],
  [
    'a look-ahead in a schema',
    [{ type: 'json', schema: { patternProperties: { '(?=a)': {} } } }],
    'checks[0].schema',
    'checks[0].schema has a pattern that is not a pattern of RE2: invalid or unsupported Perl syntax.',
  ],
  [
    'a misspelled keyword',
    [{ type: 'json', schema: { type: 'object', requird: ['city'] } }],
    'checks[0].schema',
    'checks[0].schema has the unknown keyword "requird"; perhaps required was meant.',
  ],
  [
    'a keyword that is none',
    [{ type: 'finished' }, { type: 'json', schema: { name: 'city', strict: true, schema: {} } }],
    'checks[1].schema',
    'checks[1].schema has the unknown keyword "name"; keywords that JSON Schema does not have begin with x-.',
  ],
  [
    'too fine a cost',
    [{ type: 'cost', max_usd: 1e-13 }],
    'checks[0].max_usd',
    'checks[0].max_usd must have at most 12 decimals.',
  ],
  [
    'too much of it all',
    Array.from({ length: 3 }, () => ({ type: 'equals', value: 'x'.repeat(30_000) })),
    'checks',
    'checks must not be longer than 65,536 characters as JSON, all together.',
  ],
];

describe('Checks that cannot be used', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });

  test.each(REFUSED)('%s: nothing is stored or charged', async (_, checks, param, message) => {
    for (const [path, body] of [
      ['/api/v1/compare', { prompt: 'Hello', models: ['sim-swift'], checks }],
      ['/api/v1/checks', { output: 'Hello', checks }],
    ] as const) {
      const { status, body: answer } = await caller.post(path, body);
      expect([path, status, answer.error.code, answer.error.param, answer.error.message]).toEqual([
        path,
        400,
        'invalid_request',
        param,
        message,
      ]);
    }
    expect(
      await onDatabase(
        worker().databaseUrl,
        async (client) => (await client.query('select from evals where user_id = $1', [caller.userId])).rowCount,
      ),
    ).toBe(0);
    expect((await caller.usage()).total_charge_usd).toBe(0);
  });

  it('say of an amount when it has more digits than a number keeps, also behind a long schema', async () => {
    const schema = { enum: Array.from({ length: 2000 }, (_, index) => index) };
    const body = `{"output":"x","checks":[{"type":"json","schema":${JSON.stringify(schema)}},{"type":"cost","max_usd":0.12345678901234567}]}`;
    expect((await caller.post('/api/v1/checks', body)).body.error).toMatchObject({
      param: 'checks[1].max_usd',
      message: 'checks[1].max_usd must have at most 15 significant digits.',
    });
  });

  test.each([
    ['20,000 values', JSON.stringify({ enum: new Array(20_000).fill(0) })],
    ['50,000 levels', `${'{"not":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
  ])('hold %s: the body is refused', async (_, schema) => {
    const { status, body } = await caller.post(
      '/api/v1/checks',
      `{"output":"x","checks":[{"type":"json","schema":${schema}}]}`,
    );
    expect([status, body.error.message]).toEqual([
      400,
      'The body holds more than any request of this service takes, in checks.',
    ]);
  });

  it('do not forbid a schema the names that every object has', async () => {
    const checks = [
      {
        type: 'json',
        schema: {
          type: 'object',
          properties: { constructor: { type: 'string' }, toString: { type: 'number' } },
          required: ['constructor'],
        },
      },
    ];
    const outcome = async (output: string) =>
      outcomes((await caller.post('/api/v1/checks', { checks, output })).body.verdicts);
    expect([await outcome('{"constructor": "a"}'), await outcome('{"constructor": 1}'), await outcome('{}')]).toEqual([
      ['pass'],
      ['fail'],
      ['fail'],
    ]);
  });
});

describe('POST /api/v1/checks', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });

  it('says what checks find in a text, and stores nothing', async () => {
    const { status, body } = await caller.post('/api/v1/checks', {
      output: 'It is 42.',
      checks: [
        { type: 'number', value: 42 },
        { type: 'similarity', value: 'It is 43.', min: 0.95, weight: 3 },
      ],
    });
    expect([status, body]).toEqual([
      200,
      {
        passed: false,
        score: 0.916667,
        verdicts: [
          { name: 'number-1', type: 'number', outcome: 'pass', score: 1 },
          {
            name: 'similarity-2',
            type: 'similarity',
            outcome: 'fail',
            score: 0.888889,
            reason: 'Its similarity is 0.888889.',
          },
        ],
      },
    ]);
    expect((await caller.get('/api/v1/evals')).body.evals).toEqual([]);
  });

  it('fills in what is expected and what was asked, escaped in a pattern, and never twice', async () => {
    const { body } = await caller.post('/api/v1/checks', {
      output: 'a.c {input}',
      expected: 'a.c',
      input: '{expected}',
      checks: [
        { type: 'regex', pattern: '^{expected}' },
        { type: 'contains', values: ['{expected} {name}'], not: true },
        { type: 'equals', value: '{expected} {input}', not: true },
        { type: 'json', schema: { const: '{expected}' } },
      ],
    });
    expect(body.verdicts.map(({ outcome, reason }: Json) => reason ?? outcome)).toEqual([
      'pass',
      'pass',
      'pass',
      'It is not JSON.',
    ]);
    const other = await caller.post('/api/v1/checks', {
      output: 'abc',
      expected: 'a.c',
      checks: [{ type: 'regex', pattern: '{expected}' }],
    });
    expect(other.body.passed).toBe(false);
  });

  it('does not let what is filled in make the checks longer than they may be', async () => {
    const { status, body } = await caller.post('/api/v1/checks', {
      output: 'x',
      expected: 'y'.repeat(2000),
      checks: [{ type: 'equals', value: '{expected}'.repeat(40) }],
    });
    expect([status, body.error.param, body.error.message]).toEqual([
      400,
      'checks[0]',
      'With input and expected filled in, checks[0] makes the checks longer than 65,536 characters as JSON.',
    ]);
  });

  it('cannot decide about latency and cost without a model call', async () => {
    const { body } = await caller.post('/api/v1/checks', {
      output: 'x',
      checks: [
        { type: 'latency', max_ms: 1 },
        { type: 'cost', max_usd: 1 },
        { type: 'finished' },
        { type: 'length', max: 1, unit: 'tokens' },
      ],
    });
    expect(body).toMatchObject({ passed: false, score: null });
    expect(outcomes(body.verdicts)).toEqual(['error', 'error', 'error', 'error']);
  });

  it.each([
    ['1 000 000', 1_000_000],
    ['1\u00a0000\u00a0000', 1_000_000],
    ['1\u2009000\u2009000', 1_000_000],
    ['1.234,50 €', 1234.5],
    ['\u20135', -5],
    ['\u22125', -5],
    ['1,234.5', 1234.5],
    ["1'234", 1234],
    ['1e6', 1_000_000],
    ['12 %', 12],
    ['12,5%', 12.5],
    ['42 (see [1])', 42],
    ['42, I am 95% sure', 95],
    ['-$5', -5],
    ['0,333', 0.333],
    ['1.234', 1.234],
    ['3 million', 3],
    ['０.５', 0.5],
    ['0x2A', null],
    ['10^6', null],
    ['$\\frac{1}{2}$', null],
    ['1/2', null],
    ['3x', null],
    ['[1]', null],
  ])('reads as the last number of %j: %p', async (output, value) => {
    const { body } = await caller.post('/api/v1/checks', { output, checks: [{ type: 'number', value: value ?? 2 }] });
    expect(body.verdicts.map(({ outcome, reason }: Json) => reason ?? outcome)).toEqual([
      value === null ? 'It holds no number.' : 'pass',
    ]);
  });

  it('finds JSON in prose where that is asked for, and accepts the header of draft 7', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', required: ['city'] };
    const { body } = await caller.post('/api/v1/checks', {
      output: 'Sure! {"city":"P"}',
      checks: [
        { type: 'json' },
        { type: 'json', find: false, schema },
        { type: 'json', find: true },
        { type: 'json', find: true, schema },
        { type: 'json', find: true, schema: { required: ['town'] } },
      ],
    });
    expect(body.verdicts.map(({ outcome, reason }: Json) => reason ?? outcome)).toEqual([
      'It is not JSON.',
      'It is not JSON.',
      'pass',
      'pass',
      "It must have required property 'town'.",
    ]);
  });

  it.each<[type: unknown]>([[{ toString: 1 }], [{ toString: null, valueOf: null }], [[{ toString: 1 }]]])(
    'refuses the type %j, which no text can stand for',
    async (type) => {
      const { status, body } = await (await createCaller()).post('/api/v1/checks', { output: 'x', checks: [{ type }] });
      expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'checks[0].type']);
    },
  );
});
