import { boundsProblem } from './pattern-bounds';
import { schemaProblem } from './schema-bounds';

test.each([
  ['a{1000}', true], ['a{1001}', false], ['a{500}b{0,501}', false], ['a{500}b{500,}', true], ['\\{2000}', true], ['\\\\{2000}', false], ['{,2000}', true], ['((a{900}){101})', false], ['[{5}]{996}', false],
])('Whether the bounds of %s are small enough: %p', (pattern, isSmall) => {
  expect(boundsProblem(pattern)).toBe(isSmall ? undefined : ' must have repetition bounds that add up to at most 1,000');
});

const nested = (depth: number): object => Array.from({ length: depth - 1 }).reduce<object>((inner) => ({ not: inner }), {});

test.each<[string, object, string | undefined]>([
  ['is 20 deep', nested(20), undefined],
  ['is 21 deep', nested(21), ' must not be nested more than 20 levels deep'],
  ['is 50,000 deep', nested(50_000), ' must not be nested more than 20 levels deep'],
  ['is as long as it may be', { title: 'x'.repeat(32_768 - 12) }, undefined],
  ['is longer', { title: 'x'.repeat(32_768 - 11) }, ' must not be longer than 32,768 characters as JSON'],
  ['refers to the network', { properties: { a: { $ref: 'https://example.com/a.json' } } }, ' must not refer to anything outside itself; a $ref begins with #'],
  ['refers to a file', { $dynamicRef: 'a.json' }, ' must not refer to anything outside itself; a $dynamicRef begins with #'],
  ['refers to itself', { $ref: '#/$defs/a', $defs: { a: {} } }, undefined],
  ['has a property called $ref', { properties: { $ref: { type: 'string' } } }, undefined],
  ['has data that look like a reference', { const: { $ref: 'https://example.com' } }, undefined],
  ['is of another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, ' must be a schema of draft 2020-12 (https://json-schema.org/draft/2020-12/schema)'],
  ['says its draft', { $schema: 'https://json-schema.org/draft/2020-12/schema' }, undefined],
  ['is asynchronous', { $async: true }, ' must not have $async'],
  ['refers to data', { maximum: { $data: '1/a' } }, ' must not have $data'],
  ['holds what Postgres cannot store', { enum: ['a\u0000'] }, ' must not contain U+0000 or lone surrogates'],
  ['has such a name', { properties: { '\ud800': {} } }, ' must not contain U+0000 or lone surrogates'],
  ['holds a number that is not finite', { maximum: Infinity }, ' must hold numbers that are finite, with at most 15 significant digits'],
])('A schema that %s', (_, schema, problem) => {
  expect(schemaProblem(schema)).toBe(problem);
});
