import { flag, object, withProblem } from '../../../platform/http/validation/field-kinds';
import type { CheckFields, CheckType } from '../check-type';
import { isJson, jsonTextIn, jsonTextWithin } from '../json-text';
import { schemaProblem } from '../schema-bounds';

export interface JsonCheck extends CheckFields {
  type: 'json';
  schema?: object;
  allow_fence: boolean;
  find?: boolean;
}

export const JSON_TYPE: CheckType<JsonCheck> = {
  schema: { name: 'JsonCheck', description: 'Passes when the text is JSON, and is as the schema has it.' },
  fields: {
    schema: {
      kind: withProblem({ ...object(), schema: { type: 'object', additionalProperties: true } }, schemaProblem),
      optional: true,
      variables: 'plain',
      description:
        'JSON Schema of draft 2020-12 without references to other documents; at most 32,768 characters and 20 levels. Its patterns are those of RE2, its formats are not looked at.',
      example: { type: 'object', required: ['city'] },
    },
    allow_fence: { kind: flag(), default: true, description: 'Whether one code fence around the JSON is left out.' },
    find: {
      kind: flag(),
      default: false,
      staysAbsent: true,
      description:
        'Whether the first JSON is looked for in a text with prose around it: the content of a code fence, or else an object or an array.',
    },
  },
  isInline: ({ schema, find }) => schema === undefined && find !== true,
  decide: ({ allow_fence: allowsFence }, { text }) =>
    isJson(jsonTextIn(text, allowsFence))
      ? { isMet: true, observed: 'It is JSON.' }
      : { isMet: false, observed: 'It is not JSON.' },
  compiled: { member: 'schema', compile: ({ schema }, compilers) => void (schema && compilers.schema(schema)) },
  decideInThread({ schema, allow_fence: allowsFence, find }, text, compilers) {
    const found = find === true ? jsonTextWithin(text) : jsonTextIn(text, allowsFence);
    if (found === undefined) return { isMet: false, observed: 'It holds no JSON.' };
    const violationOf = compilers.schema(schema ?? {});
    try {
      const violation = violationOf(JSON.parse(found));
      return {
        isMet: violation === undefined,
        observed: violation === undefined ? 'It is JSON as the schema has it.' : `${violation}.`,
      };
    } catch (error) {
      if (error instanceof SyntaxError) return { isMet: false, observed: 'It is not JSON.' };
      if (error instanceof RangeError) return { undecided: 'It is nested too deeply for its schema.' };
      throw error;
    }
  },
};
