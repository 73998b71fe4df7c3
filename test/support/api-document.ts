import type { Json } from './api';

/**
 * A copy of the API document without references to shared parameters and responses, and without schemas that refer to a
 * base schema, so that everything is where tests look for it.
 */
export function resolved(document: Json): Json {
  const copy = structuredClone(document);
  for (const operation of operationsOf(copy)) {
    operation.parameters = operation.parameters?.map((parameter: Json) => target(parameter, document));
    for (const [status, response] of Object.entries<Json>(operation.responses))
      operation.responses[status] = target(response, document);
  }
  copy.components.schemas = Object.fromEntries(
    Object.entries<Json>(document.components.schemas).map(([name, schema]) => [name, merged(schema, document)]),
  );
  return copy;
}

/** Every operation of a document. */
export function operationsOf({ paths }: Json): Json[] {
  return Object.values<object>(paths).flatMap((path) => Object.values<Json>(path as Record<string, Json>));
}

/** The same schemas with every object closed, so that an undocumented member fails. */
export function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]));
  return copy.type === 'object' && copy.properties ? { ...copy, additionalProperties: false } : copy;
}

function target(value: Json, document: Json): Json {
  return value.$ref === undefined
    ? value
    : value.$ref
        .slice(2)
        .split('/')
        .reduce((node: Json, name: string) => node[name], document);
}

function merged(schema: Json, document: Json): Json {
  if (schema.allOf === undefined) return schema;
  const [base, own] = schema.allOf.map((part: Json) => target(part, document));
  return {
    type: 'object',
    description: schema.description,
    properties: { ...base.properties, ...own.properties },
    required: [...(base.required ?? []), ...(own.required ?? [])],
  };
}
