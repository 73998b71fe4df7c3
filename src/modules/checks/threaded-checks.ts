import type { ValidateFunction } from 'ajv/dist/2020';
import { LRUCache } from 'lru-cache';
import type { RE2JS } from 're2js';
import type { CheckTask, ThreadAnswer } from './check-task';
import type { Compilers, Finding } from './check-type';
import { decideInline, isInline } from './inline-checks';
import { compileSchema, SchemaError, violation } from './json-schema';
import { compilePattern, PatternError } from './re2-pattern';
import { typeOf, type Check } from './types';

/** The longest text that is looked at in the thread. */
const MAX_TEXT_CHARACTERS = 65_536;

const patterns = new LRUCache<string, RE2JS>({ max: 200 });
const schemas = new LRUCache<string, ValidateFunction>({ max: 200 });

const compilers: Compilers = {
  pattern: (pattern, flags) => {
    const compiled = cached(patterns, `${flags}/${pattern}`, () => compilePattern(pattern, flags));
    return (text) => compiled.test(text);
  },
  schema: (schema) => {
    const validate = cached(schemas, JSON.stringify(schema), () => compileSchema(schema));
    return (value) => (validate(value) ? undefined : violation(validate.errors));
  },
};

/** Does a task; only a thread calls it, because it may take long. */
export function doTask(task: CheckTask): ThreadAnswer {
  switch (task.kind) {
    // The first of each loads its tables.
    case 'start':
      compilePattern('(?i)\\pL');
      compileSchema({ type: 'string' });
      return {};
    case 'try':
      return tryCheck(task.check);
    case 'decide':
      return isInline(task.check, task.text)
        ? decideInline(task.check, { text: task.text })
        : decide(task.check, task.text);
  }
}

function tryCheck(check: Check): ThreadAnswer {
  try {
    typeOf(check).compiled?.compile(check, compilers);
    return {};
  } catch (error) {
    if (error instanceof PatternError || error instanceof SchemaError) return { problem: error.message };
    throw error;
  }
}

function decide(check: Check, text: string): Finding {
  const type = typeOf(check);
  if (type.decideInThread === undefined) return decideInline(check, { text });
  if (text.length <= MAX_TEXT_CHARACTERS) return type.decideInThread(check, text, compilers);
  return {
    undecided: `The text is ${text.length.toLocaleString('en-US')} characters long; this check looks at no more than ${MAX_TEXT_CHARACTERS.toLocaleString('en-US')}.`,
  };
}

function cached<T extends object>(cache: LRUCache<string, T>, key: string, make: () => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}
