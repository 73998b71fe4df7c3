import fc, { type Arbitrary } from 'fast-check';
import type { Json } from '../support/api';

const NASTY_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\uFEFF',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e999',
  '9007199254740993',
  '0x10',
  '1_000',
  '2026-13',
  '0000-00',
  "' or 1=1 --",
  '"; drop table evals; --',
  '$1',
  '%00',
  '%',
  '%zz',
  '../../etc/passwd',
  '{input}',
  '${7*7}',
  '<script>',
  '\r\nX-Injected: 1',
  '👩‍👩‍👧‍👦',
  'é'.repeat(300),
  'x'.repeat(5000),
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '+010000-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  'a@b',
  'a@example.com\u0000',
];
const NASTY_VALUES: Json[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  0.1,
  1e-7,
  1e21,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { length: -1 },
  ['sim-swift', 'sim-swift'],
  new Array(300).fill('x'),
];

/** Texts that trouble decoders, databases and regular expressions. */
export const nastyText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

/** Any JSON value, troublesome ones first. */
export const nastyValue: Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...NASTY_VALUES),
  nastyText,
  fc.jsonValue({ maxDepth: 3 }),
);

/**
 * Values of a schema of the API document, mostly: what only the service can know, such as which ids exist, comes as
 * examples.
 */
export function valueOf(schema: Json, schemas: Json): Arbitrary<Json> {
  if (schema.$ref !== undefined) return valueOf(schemas[schema.$ref.split('/').pop()], schemas);
  if (schema.allOf !== undefined) return valueOf(schema.allOf[0], schemas);
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map((one: Json) => valueOf(one, schemas)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types: string[] = [schema.type].flat();
  const ofTypes = types.map((type) => ofType(type, schema, schemas));
  return schema.example === undefined || types.includes('object')
    ? fc.oneof(...ofTypes)
    : fc.oneof({ weight: 2, arbitrary: fc.constant(schema.example) }, ...ofTypes);
}

type ByType = (schema: Json, schemas: Json) => Arbitrary<Json>;

/** Keywords of JSON Schemas, some of them misspelled. */
const KEYWORDS = [
  '$schema',
  '$id',
  '$ref',
  '$anchor',
  '$defs',
  'definitions',
  'type',
  'properties',
  'required',
  'requird',
  'items',
  'anyOf',
  'not',
  'enum',
  'const',
  'pattern',
  'maximum',
  'uniqueItems',
  'format',
  'x-any',
  '$async',
];
const KEYWORD_VALUES: Json[] = [
  '#',
  '#a',
  '#/$defs/a',
  'a',
  'string',
  'object',
  '(?=a)',
  '(a|b)*',
  true,
  1,
  ['a'],
  ['string', 'null'],
  {},
  { a: { type: 'string' } },
  [{ type: 'number' }],
  'http://json-schema.org/draft-07/schema#',
];
const anySchema: Arbitrary<Json> = fc.dictionary(
  fc.constantFrom(...KEYWORDS),
  fc.oneof(
    fc.constantFrom(...KEYWORD_VALUES),
    fc.dictionary(fc.constantFrom(...KEYWORDS, 'a', 'b'), fc.constantFrom(...KEYWORD_VALUES), { maxKeys: 3 }),
    nastyValue,
  ),
  { maxKeys: 5 },
);

const BY_TYPE: Record<string, ByType> = {
  object: ({ properties, required = [], additionalProperties }, schemas) =>
    properties === undefined && additionalProperties === true
      ? anySchema
      : fc.record(
          Object.fromEntries(
            Object.entries<Json>(properties ?? {}).map(([name, schema]) => [name, valueOf(schema, schemas)]),
          ),
          { requiredKeys: required },
        ),
  array: ({ items, minItems = 0, maxItems = 4 }, schemas) =>
    fc.uniqueArray(valueOf(items, schemas), { minLength: minItems, maxLength: Math.min(maxItems, 4) }),
  integer: ({ minimum = 0, maximum = 1000 }) =>
    fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31) }),
  number: ({ minimum: min = 0, maximum: max = 100 }) =>
    fc.oneof(fc.integer({ min: Math.ceil(min), max: Math.floor(max) }), fc.double({ min, max, noNaN: true })),
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
};

function ofType(type: string, schema: Json, schemas: Json): Arbitrary<Json> {
  return (BY_TYPE[type] ?? textOf)(schema, schemas);
}

function textOf({ format, maxLength, minLength }: Json): Arbitrary<string> {
  if (format === 'email') return fc.uuid().map((name) => `${name}@example.com`);
  if (format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date('1970-01-01'), max: new Date('9999-12-31') })
      .map((date) => date.toISOString());
  return fc.string({ unit: 'grapheme', minLength: minLength ?? 0, maxLength: Math.min(maxLength ?? 60, 60) });
}

/** Texts that checks have to read: numbers, JSON and words, in prose and at length. */
export const checkedText: Arbitrary<string> = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '1 000',
        '1/2',
        '10^6',
        '−5',
        '[1]',
        '1.234,50 €',
        '{"a": [1, "}"]}',
        '```json\n',
        '```',
        '{',
        '"',
        'Sure! ',
        '東京は',
        'e\u0301',
        '\n',
        ' ',
        '42',
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom('1 ', '1/', '[', '{"a":', '東京', '\u0301', '```\n', '.', '1,234,'),
      fc.integer({ min: 1, max: 9000 }),
    )
    .map(([text, count]) => text.repeat(count)),
  nastyText,
);

/** The same objects with one thing wrong: a member gone, replaced or too many. */
export function spoilt(objects: Arbitrary<Json>): Arbitrary<Json> {
  return fc
    .tuple(objects, fc.nat(), nastyValue, nastyText, fc.constantFrom('drop', 'replace', 'add'))
    .map(([object, which, value, name, how]) => {
      const names = Object.keys(object);
      const chosen = names[which % Math.max(1, names.length)] ?? name;
      if (how === 'add') return { ...object, [name]: value };
      if (how === 'replace') return { ...object, [chosen]: value };
      return Object.fromEntries(Object.entries(object).filter(([key]) => key !== chosen));
    });
}
