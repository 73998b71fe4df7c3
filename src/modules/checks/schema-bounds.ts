import { isStorable } from '../../common/postgres-text';
import { nearName } from '../../platform/http/validation/near-name';

/**
 * Schemas of draft 7 often say so and are read as those of 2020-12; where that is another language, ajv refuses them.
 */
const DIALECT = /^(?:https:\/\/json-schema\.org\/draft\/2020-12|http:\/\/json-schema\.org\/draft-07)\/schema#?$/;
/** Members whose values are schemas, or objects or arrays of schemas. */
const SCHEMA = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'additionalItems',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
  'allOf',
  'anyOf',
  'oneOf',
  'prefixItems',
];
const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
/** Members whose values are data of any form. */
const DATA = ['const', 'enum', 'default', 'examples', 'example'];
/** The other keywords, the last of them annotations. */
const OTHERS = [
  '$schema',
  '$id',
  '$ref',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$vocabulary',
  '$comment',
  'type',
  'multipleOf',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
  'required',
  'dependentRequired',
  'format',
  'contentEncoding',
  'contentMediaType',
  'title',
  'description',
  'deprecated',
  'readOnly',
  'writeOnly',
  'nullable',
  'discriminator',
  'xml',
  'externalDocs',
];
const KEYWORDS = [...SCHEMA, ...NAMED_SCHEMAS, ...DATA, ...OTHERS];
const MAX_NAME_CHARACTERS = 100;
const MAX_CHARACTERS = 32_768;
const MAX_DEPTH = 20;

/**
 * The problem of a schema that is visible without compiling it: its size, its depth, or an outside reference. The rest
 * of a sentence that begins with its path.
 */
export function schemaProblem(schema: object): string | undefined {
  return depthProblem(schema) ?? sizeProblem(schema) ?? contentProblem(schema);
}

function depthProblem(schema: object): string | undefined {
  // Level by level and not by recursion, which a hostile depth would exhaust.
  let level: unknown[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return ` must not be nested more than ${MAX_DEPTH} levels deep`;
    level = level
      .flatMap((value): unknown[] => Object.values(value as object))
      .filter((value) => typeof value === 'object' && value !== null);
  }
  return undefined;
}

function sizeProblem(schema: object): string | undefined {
  return JSON.stringify(schema).length > MAX_CHARACTERS
    ? ` must not be longer than ${MAX_CHARACTERS.toLocaleString('en-US')} characters as JSON`
    : undefined;
}

function contentProblem(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return valueProblem(schema);
  return firstProblem(schema, (name, member) => {
    if (Array.isArray(schema)) return contentProblem(member);
    return memberProblem(name, member) ?? unknownProblem(name) ?? valuesProblem(name, member);
  });
}

function valuesProblem(name: string, member: unknown): string | undefined {
  if (SCHEMA.includes(name)) return contentProblem(member);
  if (typeof member !== 'object' || member === null || DATA.includes(name) || name.startsWith('x-'))
    return dataProblem(member);
  return firstProblem(member, (key, value) =>
    NAMED_SCHEMAS.includes(name) ? contentProblem(value) : (memberProblem(key, value) ?? dataProblem(value)),
  );
}

function unknownProblem(name: string): string | undefined {
  if (KEYWORDS.includes(name) || name.startsWith('x-')) return undefined;
  const meant = nearName(name, KEYWORDS);
  return ` has the unknown keyword ${JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS).toWellFormed())}${meant === undefined ? '; keywords that JSON Schema does not have begin with x-' : `; perhaps ${meant} was meant`}`;
}

/** The first problem of the members of an object or array, their names looked at too. */
function firstProblem(
  value: object,
  problemOf: (name: string, member: unknown) => string | undefined,
): string | undefined {
  for (const [name, member] of Object.entries(value)) {
    const problem = valueProblem(name) ?? problemOf(name, member);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function dataProblem(data: unknown): string | undefined {
  return typeof data === 'object' && data !== null
    ? firstProblem(data, (_, member) => dataProblem(member))
    : valueProblem(data);
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value))
    return ' must hold numbers that are finite, with at most 15 significant digits';
  return typeof value === 'string' && !isStorable(value) ? ' must not contain U+0000 or lone surrogates' : undefined;
}

function memberProblem(name: string, member: unknown): string | undefined {
  if (name === '$schema' && (typeof member !== 'string' || !DIALECT.test(member)))
    return ' must be a schema of draft 2020-12 (https://json-schema.org/draft/2020-12/schema)';
  if ((name === '$ref' || name === '$dynamicRef') && typeof member === 'string' && !member.startsWith('#'))
    return ` must not refer to anything outside itself; a ${name} begins with #`;
  if (name === '$async' || name === '$data') return ` must not have ${name}`;
  return undefined;
}
