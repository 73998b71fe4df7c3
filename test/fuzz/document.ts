import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import type { Json } from '../support/api';
import { closed, resolved } from '../support/api-document';

/** One operation of the API document. */
export interface Operation {
  method: string;
  /** With its placeholders, such as `/api/v1/evals/{id}`. */
  path: string;
  parameters: { in: string; name: string; schema: Json }[];
  /** Schema of its JSON body, when it has one. */
  body: Json;
  /** The example bodies, without examples that are rejected until something is filled in. */
  examples: Json[];
  responses: Json;
}

/** The API document, against which responses are checked. */
export class ApiDocument {
  readonly operations: Operation[];
  readonly schemas: Json;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(published: Json) {
    const document = resolved(published);
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: 'document', components: closed(document.components) });
    this.schemas = document.components.schemas;
    this.operations = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
      Object.entries<Json>(operations).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content['application/json'].schema,
        examples: examplesOf(operation.requestBody),
        responses: operation.responses,
      })),
    );
  }

  /** The operations at a requested path, of any method; the router accepts an empty id too. */
  at(path: string): Operation[] {
    return this.operations.filter((operation) =>
      new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]*')}$`).test(path),
    );
  }

  /** Names of the members that a body of that schema may have. */
  membersOf(schema: Json): string[] {
    const named = schema?.$ref === undefined ? schema : this.schemas[schema.$ref.split('/').pop()];
    return Object.keys(named?.properties ?? {});
  }

  /** The problem with a JSON value that should match the schema; undefined if it matches without additional members. */
  problemWith(value: unknown, schema: Json): string | undefined {
    const name = JSON.stringify(schema);
    const validate =
      this.validators.get(name) ?? this.ajv.compile(JSON.parse(name.replaceAll('"#/', '"document#/')) as object);
    this.validators.set(name, validate);
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors);
  }
}

function examplesOf(requestBody: Json): Json[] {
  return Object.entries<Json>(requestBody?.content['application/json'].examples ?? {})
    .filter(([name]) => !name.startsWith('Template; rejected'))
    .map(([, { value }]) => value);
}
