import type { ValidateFunction } from 'ajv/dist/2020';
import { LRUCache } from 'lru-cache';
import type { RE2JS } from 're2js';
import { sixDigits } from '../statistics/rounding';
import { levenshteinSimilarity, tokenF1 } from '../statistics/similarity';
import type { Check, CheckOf } from './check';
import { contains, decideInline, isInline, jsonTextIn, jsonTextWithin } from './inline-checks';
import { compileSchema, SchemaError, violation } from './json-schema';
import { compilePattern, PatternError } from './re2-pattern';
import type { Finding } from './verdict';

/** The longest text that is looked at in the thread. */
const MAX_TEXT_CHARACTERS = 65_536;

/** A task for a thread: load tables, see if a check is usable, or decide a check on a text. */
export type CheckTask = { kind: 'start' } | { kind: 'try'; check: Check } | { kind: 'decide'; check: Check; text: string };

/** Its answer: the problem of the check (the rest of a sentence that begins with its path), or its finding. */
export type ThreadAnswer = { problem?: string } | Finding;

const patterns = new LRUCache<string, RE2JS>({ max: 200 });
const schemas = new LRUCache<string, ValidateFunction>({ max: 200 });

/** Does a task; only a thread calls it, because it may take long. */
export function doTask(task: CheckTask): ThreadAnswer {
  switch (task.kind) {
    // The first of each loads its tables.
    case 'start':
      compilePattern('(?i)\\pL');
      compileSchema({ type: 'string' });
      return {};
    case 'try': return tryCheck(task.check);
    case 'decide': return isInline(task.check, task.text) ? decideInline(task.check, { text: task.text }) : decide(task.check, task.text);
  }
}

/** True if its time grows with the length of the text only, so that it needs no deadline. */
export function isBoundedTask(task: CheckTask): boolean {
  return task.kind === 'decide' && isInline(task.check, task.text);
}

function tryCheck(check: Check): ThreadAnswer {
  try {
    if (check.type === 'regex') compiledPattern(check);
    if (check.type === 'json' && check.schema !== undefined) compiledSchema(check.schema);
    return {};
  } catch (error) {
    if (error instanceof PatternError || error instanceof SchemaError) return { problem: error.message };
    throw error;
  }
}

function decide(check: Check, text: string): Finding {
  if (check.type !== 'contains' && check.type !== 'length' && text.length > MAX_TEXT_CHARACTERS) {
    return { undecided: `The text is ${text.length.toLocaleString('en-US')} characters long; this check looks at no more than ${MAX_TEXT_CHARACTERS.toLocaleString('en-US')}.` };
  }
  switch (check.type) {
    case 'regex': return regex(check, text);
    case 'json': return json(check, text);
    case 'similarity': return similarity(check, text);
    case 'contains': return contains(check, text);
    case 'length': return decideInline(check, { text });
    default: throw new Error(`A check of type ${check.type} needs no thread.`);
  }
}

function regex(check: CheckOf<'regex'>, text: string): Finding {
  const isMet = compiledPattern(check).test(text);
  return { isMet, observed: isMet ? 'It contains the pattern.' : 'It does not contain the pattern.' };
}

function json({ schema, allow_fence: allowsFence, find }: CheckOf<'json'>, text: string): Finding {
  const found = find === true ? jsonTextWithin(text) : jsonTextIn(text, allowsFence);
  if (found === undefined) return { isMet: false, observed: 'It holds no JSON.' };
  const validate = compiledSchema(schema ?? {});
  try {
    const isMet = validate(JSON.parse(found));
    return { isMet, observed: isMet ? 'It is JSON as the schema has it.' : `${violation(validate.errors)}.` };
  } catch (error) {
    if (error instanceof SyntaxError) return { isMet: false, observed: 'It is not JSON.' };
    if (error instanceof RangeError) return { undecided: 'It is nested too deeply for its schema.' };
    throw error;
  }
}

function similarity({ value, min, metric }: CheckOf<'similarity'>, text: string): Finding {
  const score = metric === 'levenshtein' ? levenshteinSimilarity(text, value) : tokenF1(text, value);
  return { isMet: score >= min, score, observed: `Its similarity is ${sixDigits(score)}.` };
}

function compiledPattern({ pattern, flags }: CheckOf<'regex'>): RE2JS {
  return cached(patterns, `${flags}/${pattern}`, () => compilePattern(pattern, flags));
}

function compiledSchema(schema: object): ValidateFunction {
  return cached(schemas, JSON.stringify(schema), () => compileSchema(schema));
}

function cached<T extends object>(cache: LRUCache<string, T>, key: string, make: () => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}
