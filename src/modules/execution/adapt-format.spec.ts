import type { ResponseFormat } from '../../common/response-format';
import type { ResultWarning } from '../evals/result.entity';
import type { Model } from '../models/catalog';
import type { Vendor } from '../providers/provider';
import { adaptFormat, omitUnnamedJson } from './adapt-format';

const JSON_FORMAT: ResponseFormat = { type: 'json' };
const CLOSED: ResponseFormat = {
  type: 'json_schema',
  schema: {
    type: 'object',
    properties: { b: { type: 'string' }, a: { type: 'number' } },
    required: ['b'],
    additionalProperties: false,
  },
};
const LIST: ResponseFormat = {
  type: 'json_schema',
  schema: { type: 'array', items: CLOSED.type === 'json_schema' ? CLOSED.schema : {} },
};

function adapt(
  asked: ResponseFormat,
  vendor: Vendor,
  responseFormat: Model['accepts']['responseFormat'],
): [ResponseFormat | undefined, ResultWarning[]] {
  const warnings: ResultWarning[] = [];
  return [adaptFormat(asked, { vendor, accepts: { temperature: null, responseFormat } }, warnings), warnings];
}

describe('A response format', () => {
  test.each<
    [
      string,
      [Vendor, Model['accepts']['responseFormat']],
      ResponseFormat,
      ResponseFormat | undefined,
      RegExp | undefined,
    ]
  >([
    ['json, sent as it is', ['openai', 'json_schema'], JSON_FORMAT, JSON_FORMAT, undefined],
    ['a schema, sent as it is', ['openai', 'json_schema'], CLOSED, CLOSED, undefined],
    [
      'a schema of a list at a vendor without lists',
      ['openai', 'json_schema'],
      LIST,
      undefined,
      /^response_format_ignored This model accepts only schemas with the type object; it was omitted\.$/,
    ],
    ['a schema of a list', ['mistral', 'json_schema'], LIST, LIST, undefined],
    ['a schema of a list', ['anthropic', 'json_schema'], LIST, LIST, undefined],
    [
      'a schema at a model that takes no schema',
      ['deepseek', 'json'],
      CLOSED,
      JSON_FORMAT,
      /^response_format_adapted This model does not accept a schema; JSON without a schema was asked for\.$/,
    ],
    ['json at a model that takes no schema', ['deepseek', 'json'], JSON_FORMAT, JSON_FORMAT, undefined],
    [
      'json at a vendor that takes only schemas',
      ['anthropic', 'json_schema'],
      JSON_FORMAT,
      undefined,
      /^response_format_ignored .*only with a schema/,
    ],
    [
      'json at a model that takes no format',
      ['simulator', undefined],
      JSON_FORMAT,
      undefined,
      /^response_format_ignored .*does not accept a response format/,
    ],
    [
      'a schema at a model that takes no format',
      ['anthropic', undefined],
      CLOSED,
      undefined,
      /^response_format_ignored /,
    ],
  ])('%s (%j)', (_, [vendor, takes], asked, sent, warning) => {
    const [applied, warnings] = adapt(asked, vendor, takes);
    expect(applied).toEqual(sent);
    expect(JSON.stringify(applied)).toBe(JSON.stringify(sent));
    expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual(
      warning === undefined ? [] : [expect.stringMatching(warning)],
    );
  });

  test.each<[string, object, object, string | undefined]>([
    [
      'leaves out what Anthropic does not know',
      { type: 'integer', minimum: 1, maximum: 5 },
      { type: 'integer' },
      'without minimum, maximum',
    ],
    [
      'closes objects',
      { type: 'object', properties: { a: { type: ['object', 'null'] } } },
      {
        type: 'object',
        properties: { a: { type: ['object', 'null'], additionalProperties: false } },
        additionalProperties: false,
      },
      'objects were closed to other properties',
    ],
    [
      'closes an object without a type',
      { properties: { a: {} } },
      { properties: { a: {} }, additionalProperties: false },
      'objects were closed to other properties',
    ],
    [
      'closes an object that describes its other properties',
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: false },
      'objects were closed to other properties',
    ],
    [
      'asks for any of what it was to be one of',
      { oneOf: [{ type: 'string', maxLength: 3 }, { const: 1 }] },
      { anyOf: [{ type: 'string' }, { const: 1 }] },
      'oneOf became anyOf; without maxLength',
    ],
    [
      'keeps anyOf beside oneOf',
      { anyOf: [{ const: 1 }], oneOf: [{ const: 1 }] },
      { anyOf: [{ const: 1 }] },
      'without oneOf',
    ],
    [
      'changes definitions and what refers to them',
      { $ref: '#/$defs/a', $defs: { a: { type: 'string', minLength: 2 } } },
      { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
      'without minLength',
    ],
    [
      'keeps the formats and least lengths that it knows',
      { type: 'array', minItems: 1, items: { type: 'string', format: 'date' } },
      { type: 'array', minItems: 1, items: { type: 'string', format: 'date' } },
      undefined,
    ],
    [
      'leaves out others',
      { type: 'array', minItems: 2, items: { type: 'string', format: 'phone' } },
      { type: 'array', items: { type: 'string' } },
      'without minItems, format',
    ],
    ['leaves out enums of objects', { enum: [1, { a: 1 }] }, {}, 'without enum'],
    [
      'takes names of properties for no keywords',
      {
        type: 'object',
        properties: { minimum: { type: 'number' }, constructor: { type: 'string' } },
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { minimum: { type: 'number' }, constructor: { type: 'string' } },
        additionalProperties: false,
      },
      undefined,
    ],
    [
      'tells ten of its changes',
      Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`x-${index}`, 1])),
      {},
      'without x-0, x-1, x-2, x-3, x-4, x-5, x-6, x-7, x-8, x-9 and 2 more keywords',
    ],
  ])('%s', (_, schema, sent, changes) => {
    const [applied, warnings] = adapt({ type: 'json_schema', schema }, 'anthropic', 'json_schema');
    expect(applied).toEqual({ type: 'json_schema', schema: sent });
    expect(warnings).toEqual(
      changes === undefined
        ? []
        : [
            {
              code: 'response_format_adapted',
              message: `This model accepts a part of JSON Schema; the schema was changed: ${changes}.`,
            },
          ],
    );
  });

  test.each<[Vendor, string, ResponseFormat | undefined]>([
    ['openai', 'Give me a list.', undefined],
    ['deepseek', 'Give me a list.', undefined],
    ['groq', 'Give me a list.', undefined],
    ['openai', 'Give me Json.', JSON_FORMAT],
    ['mistral', 'Give me a list.', JSON_FORMAT],
  ])('json at %s, asked with %j', (vendor, text, sent) => {
    const applied = omitUnnamedJson(
      {
        responseFormat: JSON_FORMAT,
        warnings: [
          { code: 'temperature_ignored', message: '' },
          { code: 'response_format_adapted', message: '' },
        ],
      },
      vendor,
      { prompt: text },
    );
    expect(applied.responseFormat).toEqual(sent);
    expect(applied.warnings.map(({ code }) => code)).toEqual([
      'temperature_ignored',
      sent === undefined ? 'response_format_ignored' : 'response_format_adapted',
    ]);
  });

  test('json is sent where the system message says the word', () => {
    expect(
      omitUnnamedJson({ responseFormat: JSON_FORMAT, warnings: [] }, 'openai', {
        prompt: 'Give me a list.',
        system: 'Answer in JSON.',
      }).responseFormat,
    ).toBe(JSON_FORMAT);
  });

  test('with a schema is sent whatever the prompt says', () => {
    const applied = { responseFormat: CLOSED, warnings: [] };
    expect(omitUnnamedJson(applied, 'openai', { prompt: 'Give me a list.' })).toBe(applied);
  });
});
