import { isStorable } from '../common/postgres-text';
import { CHECK_LIMITS } from './check';

const DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
/** Members whose values are data and no schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

/** What can be said of a schema without compiling it: its size and depth, and that it refers to nothing outside. The rest of a sentence that begins with its path. */
export function schemaProblem(schema: object): string | undefined {
  return depthProblem(schema) ?? sizeProblem(schema) ?? contentProblem(schema);
}

function depthProblem(schema: object): string | undefined {
  // Level by level and not by recursion, which a hostile depth would exhaust.
  let level: unknown[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > CHECK_LIMITS.MAX_SCHEMA_DEPTH) return ` must not be nested more than ${CHECK_LIMITS.MAX_SCHEMA_DEPTH} levels deep`;
    level = level.flatMap((value): unknown[] => Object.values(value as object)).filter((value) => typeof value === 'object' && value !== null);
  }
  return undefined;
}

function sizeProblem(schema: object): string | undefined {
  return JSON.stringify(schema).length > CHECK_LIMITS.MAX_SCHEMA_CHARACTERS ? ` must not be longer than ${CHECK_LIMITS.MAX_SCHEMA_CHARACTERS.toLocaleString('en-US')} characters as JSON` : undefined;
}

function contentProblem(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return valueProblem(schema);
  for (const [name, member] of Object.entries(schema)) {
    const problem = valueProblem(name) ?? memberProblem(name, member) ?? (DATA.has(name) ? dataProblem(member) : contentProblem(member));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function dataProblem(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return valueProblem(data);
  return Object.entries(data).map(([name, member]) => valueProblem(name) ?? dataProblem(member)).find((problem) => problem !== undefined);
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return ' must hold numbers that are finite, with at most 15 significant digits';
  return typeof value === 'string' && !isStorable(value) ? ' must not contain U+0000 or lone surrogates' : undefined;
}

function memberProblem(name: string, member: unknown): string | undefined {
  if (name === '$schema' && (typeof member !== 'string' || !DIALECT.test(member))) return ' must be a schema of draft 2020-12 (https://json-schema.org/draft/2020-12/schema)';
  if ((name === '$ref' || name === '$dynamicRef') && typeof member === 'string' && !member.startsWith('#')) return ` must not refer to anything outside itself; a ${name} begins with #`;
  if (name === '$async' || name === '$data') return ` must not have ${name}`;
  return undefined;
}
