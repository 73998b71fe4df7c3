import type { ResponseFormat } from '../../common/response-format';
import { schemaProblem } from '../checks/schema-bounds';
import { unknownMember } from '../../platform/http/validation/field-errors';
import { choice, object, problemWith, withProblem, type FieldKind } from '../../platform/http/validation/field-kinds';
import { UntouchedField } from '../../platform/http/validation/field.decorators';

const TYPE = choice(['json_schema', 'json'] satisfies ResponseFormat['type'][]);
const SCHEMA = withProblem(object(), schemaProblem);
const MEMBERS = ['type', 'schema'];

const JSON_FORMAT = {
  type: 'object',
  title: 'JsonFormat',
  required: ['type'],
  properties: { type: { type: 'string', enum: ['json'] } },
  additionalProperties: false,
};
const SCHEMA_FORMAT = {
  type: 'object',
  title: 'JsonSchemaFormat',
  required: MEMBERS,
  properties: {
    type: { type: 'string', enum: ['json_schema'] },
    schema: {
      type: 'object',
      additionalProperties: true,
      description: 'With the limits of the schema of a `json` check.',
    },
  },
  additionalProperties: false,
};

const FORMAT: FieldKind = withProblem({ ...object(), schema: { oneOf: [SCHEMA_FORMAT, JSON_FORMAT] } }, formatProblem);

/** A member that holds a response format. */
export function ResponseFormatField(description: string): PropertyDecorator {
  return UntouchedField(FORMAT, description, { optional: true, read: onlyKnownMembers });
}

function onlyKnownMembers(format: unknown): unknown {
  const unknown = object().isOfType(format)
    ? Object.keys(format as object).find((name) => !MEMBERS.includes(name))
    : undefined;
  if (unknown !== undefined) throw unknownMember(['options', 'response_format', unknown]);
  return format;
}

function formatProblem({ type, schema }: Readonly<Record<string, unknown>>): string | undefined {
  if (type === undefined) return '.type is required';
  const problem = problemWith(type, TYPE);
  if (problem !== undefined) return `.type${problem}`;
  if (type === 'json')
    return schema === undefined
      ? undefined
      : '.schema must not be given with the type json; the type of a schema is json_schema';
  if (schema === undefined) return '.schema is required with the type json_schema';
  const schemaFault = problemWith(schema, SCHEMA);
  return schemaFault === undefined ? undefined : `.schema${schemaFault}`;
}
