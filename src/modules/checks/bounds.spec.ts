import { boundsProblem } from './pattern-bounds';
import { schemaProblem } from './schema-bounds';

test.each([
  ['a{1000}', true],
  ['a{1001}', false],
  ['a{500}b{0,501}', false],
  ['a{500}b{500,}', true],
  ['\\{2000}', true],
  ['\\\\{2000}', false],
  ['{,2000}', true],
  ['((a{900}){101})', false],
  ['[{5}]{996}', false],
])('Whether the bounds of %s are small enough: %p', (pattern, isSmall) => {
  expect(boundsProblem(pattern)).toBe(
    isSmall ? undefined : ' must have repetition bounds that add up to at most 1,000',
  );
});

const nested = (depth: number): object =>
  Array.from({ length: depth - 1 }).reduce<object>((inner) => ({ not: inner }), {});

test.each<[string, object, string | undefined]>([
  ['is 20 deep', nested(20), undefined],
  ['is 21 deep', nested(21), ' must not be nested more than 20 levels deep'],
  ['is 50,000 deep', nested(50_000), ' must not be nested more than 20 levels deep'],
  ['is as long as it may be', { title: 'x'.repeat(32_768 - 12) }, undefined],
  ['is longer', { title: 'x'.repeat(32_768 - 11) }, ' must not be longer than 32,768 characters as JSON'],
  [
    'refers to the network',
    { properties: { a: { $ref: 'https://example.com/a.json' } } },
    ' must not refer to anything outside itself; a $ref begins with #',
  ],
  [
    'refers to a file',
    { $dynamicRef: 'a.json' },
    ' must not refer to anything outside itself; a $dynamicRef begins with #',
  ],
  ['refers to itself', { $ref: '#/$defs/a', $defs: { a: {} } }, undefined],
  ['has a property called $ref', { properties: { $ref: { type: 'string' } } }, undefined],
  ['has data that look like a reference', { const: { $ref: 'https://example.com' } }, undefined],
  ['is of draft 7', { $schema: 'http://json-schema.org/draft-07/schema#' }, undefined],
  [
    'is of another draft',
    { $schema: 'http://json-schema.org/draft-04/schema#' },
    ' must be a schema of draft 2020-12 (https://json-schema.org/draft/2020-12/schema)',
  ],
  ['says its draft', { $schema: 'https://json-schema.org/draft/2020-12/schema' }, undefined],
  [
    'has a property called $schema',
    { properties: { $schema: { type: 'string' }, requird: { type: 'string' } } },
    undefined,
  ],
  ['has a misspelled keyword', { requird: ['city'] }, ' has the unknown keyword "requird"; perhaps required was meant'],
  [
    'has one deep within',
    { properties: { a: { items: [{ anyOf: [{ minlength: 1 }] }] } } },
    ' has the unknown keyword "minlength"; perhaps minLength was meant',
  ],
  [
    'has one in a definition',
    { $defs: { a: { propertys: {} } } },
    ' has the unknown keyword "propertys"; perhaps properties was meant',
  ],
  [
    'has a name like no other',
    { strict: true, schema: {} },
    ' has the unknown keyword "strict"; keywords that JSON Schema does not have begin with x-',
  ],
  [
    'has a keyword that is too long to be named',
    { ['k'.repeat(200)]: 1 },
    ` has the unknown keyword "${'k'.repeat(100)}"; keywords that JSON Schema does not have begin with x-`,
  ],
  ['has extensions', { 'x-order': { requird: 1 }, properties: { a: { 'x-a': true } } }, undefined],
  [
    'has annotations',
    {
      title: 'a',
      description: 'b',
      examples: [{ requird: 1 }],
      default: { requird: 1 },
      $comment: 'c',
      format: 'date',
      deprecated: true,
      readOnly: true,
      nullable: true,
      example: { a: 1 },
      contentMediaType: 'text/plain',
    },
    undefined,
  ],
  ['has data of any name', { const: { requird: 1 }, enum: [{ requird: 1 }] }, undefined],
  [
    'has keywords of draft 7',
    { definitions: { a: {} }, dependencies: { a: ['b'], b: { required: ['c'] } }, additionalItems: false },
    undefined,
  ],
  [
    'refers to the network where draft 7 depends',
    { dependencies: { a: { $ref: 'a.json' } } },
    ' must not refer to anything outside itself; a $ref begins with #',
  ],
  ['is asynchronous', { $async: true }, ' must not have $async'],
  ['refers to data', { maximum: { $data: '1/a' } }, ' must not have $data'],
  ['holds what Postgres cannot store', { enum: ['a\u0000'] }, ' must not contain U+0000 or lone surrogates'],
  ['has such a name', { properties: { '\ud800': {} } }, ' must not contain U+0000 or lone surrogates'],
  [
    'holds a number that is not finite',
    { maximum: Infinity },
    ' must hold numbers that are finite, with at most 15 significant digits',
  ],
])('A schema that %s', (_, schema, problem) => {
  expect(schemaProblem(schema)).toBe(problem);
});
