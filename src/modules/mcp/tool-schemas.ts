import type { Tool } from './tools';

type Schema = Record<string, unknown>;
type Body = { content?: { 'application/json'?: { schema: { $ref: string } } } };
type Parameter = { $ref?: string; in: string; name: string; required?: boolean; schema: Schema; description?: string };
type Operation = { summary: string; parameters?: Parameter[]; requestBody?: Body; responses: Record<string, Body> };

/** The parts of the API document that tools take. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

/** Levels of references that are kept. The descriptions of the first two help to write arguments. */
const [INPUT_LEVELS, OUTPUT_LEVELS, DESCRIBED_LEVEL] = [9, 2, 8];
const LEFT_OUT = /^(examples?|discriminator|x-.*)$/;

/** A tool as clients list it, with the schemas of its operation. */
export function listedTool(
  name: string,
  { operation: asked, also = asked, own = {}, description }: Tool,
  document: ApiDocument,
) {
  const { schemas } = document.components;
  const operation = operationOf(asked, document);
  const answers = [operation, operationOf(also, document)]
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, response]) => (Number(status) < 300 ? (schemaOf(response) ?? []) : []));
  const { properties, required = [] } = membersOf(operation, document.components);
  const needed = required.filter((member) => member === 'id' || !(member in own));
  const isReading = !('max_cost_usd' in own);
  const hints = { readOnlyHint: isReading, idempotentHint: isReading };
  return {
    name,
    title: operation.summary,
    description,
    annotations: { ...hints, destructiveHint: false, openWorldHint: !isReading },
    inputSchema: bundled({ properties: { ...properties, ...own }, required: needed }, schemas, INPUT_LEVELS),
    ...(answers.length > 0 && { outputSchema: bundled({ anyOf: answers }, schemas, OUTPUT_LEVELS) }),
  };
}

function operationOf(operation: string, { paths }: ApiDocument): Operation {
  const [method = '', path = ''] = operation.split(' ');
  const found = paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`The API document has no ${operation}.`);
  return found;
}

function schemaOf(body: Body | undefined): { $ref: string } | undefined {
  return body?.content?.['application/json']?.schema;
}

/** The members of the body, or else the parameters of the address. */
function membersOf(operation: Operation, { schemas, parameters }: ApiDocument['components']) {
  const { $ref } = schemaOf(operation.requestBody) ?? {};
  if ($ref !== undefined) return schemas[nameIn($ref)] as { properties: Schema; required?: string[] };
  const given = (operation.parameters ?? [])
    .map((one) => parameters[nameIn(one.$ref)] ?? one)
    .filter((one) => one.in !== 'header');
  return {
    properties: Object.fromEntries(given.map(({ name, schema, description }) => [name, { ...schema, description }])),
    required: given.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** A schema of an object with what it refers to as `$defs`; deeper references allow any value. */
function bundled(root: object, schemas: Record<string, Schema>, levels: number) {
  const $defs: Schema = {};
  const copy = (schema: object | undefined, left: number): Schema =>
    JSON.parse(
      JSON.stringify(schema ?? {}, (key, value: unknown) => {
        if (LEFT_OUT.test(key) || (key === 'description' && typeof value === 'string' && left < DESCRIBED_LEVEL))
          return;
        if (key !== '$ref') return value;
        const name = nameIn(String(value));
        if (left > 0 && !(name in $defs)) {
          $defs[name] = {};
          $defs[name] = copy(schemas[name], left - 1);
        }
        return left > 0 ? `#/$defs/${name}` : undefined;
      }),
    ) as Schema;
  return { type: 'object' as const, ...copy(root, levels), $defs };
}

function nameIn(reference = ''): string {
  return reference.split('/').at(-1) ?? '';
}
