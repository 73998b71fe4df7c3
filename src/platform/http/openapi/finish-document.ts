import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from '@nestjs/swagger';
import { headersOf, RESPONSE_HEADERS, type ResponseHeader } from './response-headers';

const SCHEMAS = '#/components/schemas/';

/** Operations and a schema that any release may change; docs/upgrading.md lists them. */
const EXPERIMENTAL = /^(?:evals_drift|(?:experiments|shares)_(?:ballot|vote)|ExperimentJudgment)$/;
const stabilityOf = (name = '') => EXPERIMENTAL.test(name) && { 'x-stability': 'experimental' };

type ExtendingSchema = (SchemaObject | ReferenceObject) & { 'x-extends'?: string };
type Response = ResponseObject & Partial<ReferenceObject>;

/** Headers of errors, by status. */
const ERROR_HEADERS: Readonly<Record<string, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate', 'RateLimit', 'RateLimit-Policy'],
  409: ['Retry-After'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

/**
 * Completes the generated document: the scope in each description, the headers of each response, and under
 * `components`, once, what several operations or schemas have in common.
 */
export function finishDocument(document: OpenAPIObject): OpenAPIObject {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as OperationObject[]);
  for (const operation of operations) {
    operation.description = describe(operation);
    Object.assign(operation, stabilityOf(operation.operationId));
    // `[{}]` is how the decorator of a public operation says that there is none.
    if (operation.security?.every((scheme) => Object.keys(scheme).length === 0) === true) operation.security = [];
    for (const [status, response] of responsesOf(operation))
      response.headers = { ...headersOf(commonHeaders(operation, status)), ...response.headers };
  }
  document.components = {
    ...document.components,
    schemas: composed(document.components?.schemas ?? {}),
    headers: RESPONSE_HEADERS,
    parameters: shareParameters(document),
    responses: shareErrors(operations),
  };
  return document;
}

function describe(operation: OperationObject): string {
  const { 'x-required-scope': scope, 'x-further-required-scopes': further = [] } = operation as {
    'x-required-scope'?: string;
    'x-further-required-scopes'?: string[];
  };
  if (scope === undefined) return operation.description ?? '';
  return `${operation.description ?? ''}\n\nRequired scope${further.length > 0 ? 's' : ''}: ${[scope, ...further].map((name) => `\`${name}\``).join(' and ')}.`;
}

function commonHeaders({ security = [] }: OperationObject, status: string): readonly ResponseHeader[] {
  const isCounted = security.some((scheme) => 'apiKey' in scheme);
  return [
    'X-Request-Id',
    ...(Number(status) < 400 ? (isCounted ? (['RateLimit'] as const) : []) : (ERROR_HEADERS[status] ?? [])),
  ];
}

/** Replaces common error responses of several operations by references, and returns the referenced responses. */
function shareErrors(operations: readonly OperationObject[]): Record<string, ResponseObject> {
  const errors = operations.flatMap((operation) =>
    responsesOf(operation)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, response]) => ({ operation, status, response, name: nameOf(response) })),
  );
  const shared = [...Map.groupBy(errors, ({ name }) => name)].filter(([, uses]) => uses.length > 1);
  for (const [name, uses] of shared)
    for (const { operation, status } of uses) operation.responses[status] = { $ref: `#/components/responses/${name}` };
  return Object.fromEntries(shared.flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first.response]])));
}

/** Replaces common parameters of several operations by references, and returns the referenced parameters. */
function shareParameters({ paths }: OpenAPIObject): Record<string, ParameterObject> {
  const parameters = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item as Record<string, OperationObject>).flatMap(({ parameters: list = [] }) =>
      list.map((parameter, index) => ({ list, index, path, parameter: parameter as ParameterObject })),
    ),
  );
  const shared = [...Map.groupBy(parameters, ({ parameter }) => JSON.stringify(parameter)).values()].filter(
    (uses) => uses.length > 1,
  );
  const names = shared.map(([first]) => (first === undefined ? '' : parameterName(first.parameter, first.path)));
  return Object.fromEntries(
    shared.flatMap((uses, index) => {
      const [first] = uses;
      if (first === undefined) return [];
      const ownName = names[index] ?? '';
      const name =
        names.indexOf(ownName) === names.lastIndexOf(ownName) ? ownName : `${resourceOf(first.path)}${ownName}`;
      for (const { list, index } of uses) list[index] = { $ref: `#/components/parameters/${name}` };
      return [[name, first.parameter]];
    }),
  );
}

/** `Month` for the parameter month, `EvalId` for the id in `/evals/{id}`. */
function parameterName({ name, in: location }: ParameterObject, path: string): string {
  const owner = location === 'path' ? (/(\w+?)s\/\{/.exec(path)?.[1] ?? '') : '';
  return [owner, name].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** `Models` of `/api/v1/models`. */
function resourceOf(path: string): string {
  const [, first = ''] = /^\/api\/v1\/(\w+)/.exec(path) ?? [];
  return first.charAt(0).toUpperCase() + first.slice(1);
}

/** The codes of an error response in one word, such as `InvalidRequestOrInvalidJson`; they say all that is in it. */
function nameOf({ description }: Response): string {
  const codes = [...description.matchAll(/^`(\w+)`:/gm)].map(([, code = '']) => code);
  return codes.map((code) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())).join('Or');
}

type Schemas = Record<string, SchemaObject | ReferenceObject>;

/** The schemas, with a reference to its base schema in each that `@ApiExtends()` is on. */
function composed(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(
      ([name, schema]) =>
        [name, { ...withPlainReferences(composedSchema(schema, schemas)), ...stabilityOf(name) }] as const,
    ),
  );
}

function composedSchema(
  { 'x-extends': $ref, ...schema }: ExtendingSchema,
  schemas: Schemas,
): SchemaObject | ReferenceObject {
  if ($ref === undefined) return schema;
  const { properties: inherited = {} } = schemas[$ref.slice(SCHEMAS.length)] as SchemaObject;
  const { description, properties = {}, required = [] } = schema as SchemaObject;
  const isOwn = (member: string) => !(member in inherited);
  const ownRequired = required.filter(isOwn);
  const own = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([member]) => isOwn(member))),
    ...(ownRequired.length > 0 && { required: ownRequired }),
  };
  return { ...(description !== undefined && { description }), allOf: [{ $ref }, own] };
}

/**
 * A member that refers to a schema and has a description: side by side, as OpenAPI 3.1 allows, and not as `allOf` with
 * one element.
 */
function withPlainReferences(schema: SchemaObject | ReferenceObject): SchemaObject | ReferenceObject {
  if (!('properties' in schema) || schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties as Record<string, SchemaObject>).map(
    ([name, { allOf, ...member }]) =>
      [name, allOf?.length === 1 ? { ...member, ...allOf[0] } : { ...member, ...(allOf && { allOf }) }] as const,
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

function responsesOf({ responses }: OperationObject): [status: string, response: Response][] {
  return Object.entries(responses as Record<string, Response>);
}
