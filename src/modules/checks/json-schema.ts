import Ajv from 'ajv';
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import secureSchema from 'ajv/lib/refs/json-schema-secure.json';
import { compilePattern, PatternError } from './re2-pattern';

const MAX_REASON_CHARACTERS = 200;

/** A schema cannot be used; the message is the rest of a sentence that begins with its path. */
export class SchemaError extends Error {}

// Of its rules those on patterns and formats are met otherwise: patterns are RE2's, and formats are annotations here.
const { uniqueItems } = secureSchema.dependencies;
const isSecure = new Ajv({ strict: false, logger: false }).compile({ ...secureSchema, dependencies: { uniqueItems } });

// By the option's own type a function that knows how it is written in generated code; nothing is generated to a file
// here.
const re2 = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern);
    // Its text distinguishes the patterns of a schema in the generated code.
    return { test: (text: string) => compiled.test(text), toString: () => pattern };
  },
  { code: '' },
);

/** Compiled with one instance, which keeps the code that it has generated. */
const MAX_COMPILED = 100;
let compiler = newCompiler();
let compiled = 0;

/** A schema of draft 2020-12 as a function that looks at a value. @throws SchemaError */
export function compileSchema(schema: object): ValidateFunction {
  if (!isSecure(schema))
    throw new SchemaError(' must give maxItems wherever it asks for uniqueItems of objects or arrays');
  compiled += 1;
  // To make an instance takes a hundred times as long as to compile a schema.
  if (compiled % MAX_COMPILED === 0) compiler = newCompiler();
  try {
    return compiler.compile(plainRoot(schema));
  } catch (error) {
    if (error instanceof PatternError) throw new SchemaError(` has a pattern that${error.message}`, { cause: error });
    throw new SchemaError(` is not a schema of draft 2020-12: ${reasonOf(error)}`, { cause: error });
  } finally {
    // No schema can refer to another.
    compiler.removeSchema();
  }
}

/**
 * A schema without its header, and with an anchor of its root where ajv finds it: it looks for anchors in sub-schemas
 * only.
 */
function plainRoot(schema: { $schema?: unknown; $anchor?: unknown; $defs?: unknown }): object {
  const root = { ...schema };
  delete root.$schema;
  if (typeof root.$anchor !== 'string') return root;
  root.$defs = {
    ...(root.$defs as object | undefined),
    [`the root, ${root.$anchor}`]: { $anchor: root.$anchor, $ref: '#' },
  };
  delete root.$anchor;
  return root;
}

/** Errors of the language are not about the schema in their words. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'its references lead back to themselves';
  if (error instanceof TypeError || !(error instanceof Error))
    return 'one of its members is of another type than it must be';
  return error.message.slice(0, MAX_REASON_CHARACTERS).toWellFormed();
}

function newCompiler(): Ajv2020 {
  return new Ajv2020({
    strict: false,
    logger: false,
    validateFormats: false,
    ownProperties: true,
    code: { regExp: re2 },
  });
}

/** The problem of a value, in words: its path and the condition. */
export function violation(errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? [];
  const where = first === undefined || first.instancePath === '' ? 'It' : first.instancePath;
  return `${where} ${first?.message ?? 'does not validate'}`.slice(0, MAX_REASON_CHARACTERS).toWellFormed();
}
