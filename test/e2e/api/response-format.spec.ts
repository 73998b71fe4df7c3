import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';
import { vendorLog, vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

const CITY = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 40 }, constructor: { type: 'string' }, area: { type: 'number' } },
  required: ['name'],
};
const AT = 'options.response_format';

const formatOf = (schema: unknown) => ({ type: 'json_schema', schema });
const nested = (levels: number) => JSON.parse(`${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`) as object;

/** A wrong format, the member that the error names, and its sentence. */
const REFUSED: [what: string, format: unknown, param: string, message: string | RegExp][] = [
  ['null', null, AT, `${AT} must be an object.`],
  ['a word', 'json', AT, `${AT} must be an object.`],
  ['a list', [], AT, `${AT} must be an object.`],
  ['nothing', {}, `${AT}.type`, `${AT}.type is required.`],
  ['an unknown type', { type: 'json_object' }, `${AT}.type`, `${AT}.type must be one of json_schema, json.`],
  ['a type in capitals', { type: 'JSON' }, `${AT}.type`, `${AT}.type must be one of json_schema, json.`],
  ['no schema', { type: 'json_schema' }, `${AT}.schema`, `${AT}.schema is required with the type json_schema.`],
  [
    'a schema with json',
    { type: 'json', schema: {} },
    `${AT}.schema`,
    `${AT}.schema must not be given with the type json; the type of a schema is json_schema.`,
  ],
  [
    'a schema of another form',
    { type: 'json_schema', json_schema: { name: 'a', schema: {} } },
    `${AT}.json_schema`,
    `${AT}.json_schema is not a member of this request.`,
  ],
  [
    'an inherited member',
    { type: 'json', toString: 1 },
    `${AT}.toString`,
    `${AT}.toString is not a member of this request.`,
  ],
  [
    'a member for classes',
    { type: 'json', constructor: 1 },
    `${AT}.constructor`,
    `${AT}.constructor is not a member of this request.`,
  ],
  ['true for a schema', formatOf(true), `${AT}.schema`, `${AT}.schema must be an object.`],
  [
    'a remote reference',
    formatOf({ $ref: 'https://example.com/a.json' }),
    `${AT}.schema`,
    `${AT}.schema must not refer to anything outside itself; a $ref begins with #.`,
  ],
  [
    'a reference to nothing',
    formatOf({ $ref: '#/$defs/a' }),
    `${AT}.schema`,
    new RegExp(`^${AT}\\.schema is not a schema of draft 2020-12: `),
  ],
  [
    'another dialect',
    formatOf({ $schema: 'http://json-schema.org/draft-04/schema#' }),
    `${AT}.schema`,
    /must be a schema of draft 2020-12/,
  ],
  [
    'a misspelled keyword',
    formatOf({ requird: [] }),
    `${AT}.schema`,
    `${AT}.schema has the unknown keyword "requird"; perhaps required was meant.`,
  ],
  [
    'a keyword with a wrong value',
    formatOf({ type: 'strng' }),
    `${AT}.schema`,
    new RegExp(`^${AT}\\.schema is not a schema of draft 2020-12: `),
  ],
  ['U+0000', formatOf({ const: '\u0000' }), `${AT}.schema`, `${AT}.schema must not contain U+0000 or lone surrogates.`],
  ['21 levels', formatOf(nested(21)), `${AT}.schema`, `${AT}.schema must not be nested more than 20 levels deep.`],
  ['100 levels', formatOf(nested(100)), AT, `The body holds more than any request of this service takes, in ${AT}.`],
  [
    '1 MB',
    formatOf({ description: 'x'.repeat(1_000_000) }),
    `${AT}.schema`,
    `${AT}.schema must not be longer than 32,768 characters as JSON.`,
  ],
];

describe('A response format', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller({ freeQuota: 0 });
  });

  test.each(REFUSED)('that is %s is refused, and nothing is charged', async (_, format, param, message) => {
    for (const path of ['/api/v1/compare', '/api/v1/compare/estimate']) {
      const {
        status,
        body: { error },
      } = await caller.post(path, { prompt: 'Hello', models: ['sim-swift'], options: { response_format: format } });
      expect({ status, code: error.code, param: error.param, message: error.message }).toEqual({
        status: 400,
        code: 'invalid_request',
        param,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      });
    }
    expect((await caller.usage()).eval_count).toBe(0);
  });

  const send = async (format: unknown, models: string[], options: object = {}) => {
    const run = randomUUID();
    const { body, text } = await caller.post('/api/v1/compare?include=details', {
      prompt: vendorScript(run, {}),
      models,
      options: { ...options, response_format: format },
    });
    if (body.results === undefined) throw new Error(text);
    const { calls } = await vendorLog(worker().vendorUrl, run);
    return body.results.map(({ model, warnings = [], details: { applied } }: Json) => {
      const call = calls.find(({ model: name }) => model.endsWith(name));
      return [
        model,
        call?.body['response_format'] ?? (call?.body['output_config'] as { format?: unknown } | undefined)?.format,
        applied.response_format,
        warnings.filter(({ code }: Json) => code.startsWith('response_format')).map(({ code }: Json) => code),
      ];
    });
  };

  it('with a schema is sent to each vendor in its own words, and adapted or left out where it is not taken', async () => {
    const chat = { type: 'json_schema', json_schema: { name: 'answer', schema: CITY } };
    const narrowed = {
      type: 'object',
      properties: { name: { type: 'string' }, constructor: { type: 'string' }, area: { type: 'number' } },
      required: ['name'],
      additionalProperties: false,
    };
    const sent = await send(
      formatOf(CITY),
      [
        'gpt-6.2-sol',
        'claude-sonnet-5-5',
        'gemini-3.8-flash',
        'mistral-large-4',
        'deepseek-flash',
        'claude-haiku-4-5',
        'sim-swift',
      ],
      { system: 'Answer in JSON.' },
    );
    expect(sent).toEqual([
      ['gpt-6.2-sol', chat, 'json_schema', []],
      ['claude-sonnet-5-5', { type: 'json_schema', schema: narrowed }, 'json_schema', ['response_format_adapted']],
      ['gemini-3.8-flash', chat, 'json_schema', []],
      ['mistral-large-4', chat, 'json_schema', []],
      ['deepseek-flash', { type: 'json_object' }, 'json', ['response_format_adapted']],
      ['claude-haiku-4-5', undefined, undefined, ['response_format_ignored']],
      ['sim-swift', undefined, undefined, ['response_format_ignored']],
    ]);
    // The order of a schema's properties is that of the answer's.
    expect(Object.keys(sent[0][1].json_schema.schema.properties)).toEqual(['name', 'constructor', 'area']);
  });

  it('without a schema is sent where the text says JSON, or the vendor does not ask for that', async () => {
    const models = ['gpt-6.2-sol', 'deepseek-flash', 'mistral-large-4', 'claude-sonnet-5-5'];
    const [object, ignored] = [{ type: 'json_object' }, ['response_format_ignored']];
    expect(await send({ type: 'json' }, models, { system: 'Answer in JSON.' })).toEqual([
      ['gpt-6.2-sol', object, 'json', []],
      ['deepseek-flash', object, 'json', []],
      ['mistral-large-4', object, 'json', []],
      ['claude-sonnet-5-5', undefined, undefined, ignored],
    ]);
    const unsaid = await send({ type: 'json' }, models);
    expect(unsaid.map(([, , applied, warnings]: Json) => [applied, warnings])).toEqual([
      [undefined, ignored],
      [undefined, ignored],
      ['json', []],
      [undefined, ignored],
    ]);
  });

  it('takes a schema that says it is of draft 7', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...CITY };
    expect((await send(formatOf(schema), ['mistral-large-4']))[0].slice(1)).toEqual([
      { type: 'json_schema', json_schema: { name: 'answer', schema } },
      'json_schema',
      [],
    ]);
  });

  it('is quoted before it is sent', async () => {
    const most = async (options: object) =>
      (await caller.post('/api/v1/compare/estimate', { prompt: 'Hello', models: ['mistral-large-4'], options })).body
        .cost_usd.most as number;
    const perToken = 1.36e-6;
    const bytes = JSON.stringify(formatOf(CITY)).length;
    expect(await most({ response_format: formatOf(CITY) })).toBeCloseTo(
      (await most({})) + perToken * (bytes + 512),
      12,
    );
    expect(await most({ system: 'é'.repeat(100) })).toBeCloseTo((await most({})) + perToken * 200, 12);
  });
});
