/**
 * Keywords that Anthropic accepts with any value (platform.claude.com/docs/en/build-with-claude/structured-outputs),
 * and those whose values are schemas.
 */
const KEPT = ['type', 'enum', 'const', 'required', 'title', 'description', 'default', 'pattern', '$ref'];
const NAMED_SCHEMAS = ['properties', '$defs', 'definitions'];
const SCHEMA_LISTS = ['anyOf', 'allOf'];
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'];
const MAX_TOLD = 10;

type Schema = Readonly<Record<string, unknown>>;

/** A schema in the part of JSON Schema that Anthropic accepts, and the changes in words; none if it is the same. */
export function narrowSchema(schema: object): { schema: object; changes: string[] } {
  const [dropped, made] = [new Set<string>(), new Set<string>()];
  const narrowed = narrow(schema, dropped, made) as object;
  const told = [...dropped].slice(0, MAX_TOLD);
  const rest = dropped.size - told.length;
  const without =
    told.length === 0 ? [] : [`without ${told.join(', ')}${rest > 0 ? ` and ${rest} more keywords` : ''}`];
  return { schema: narrowed, changes: [...made, ...without] };
}

function narrow(schema: unknown, dropped: Set<string>, made: Set<string>): unknown {
  if (!isSchema(schema)) return schema;
  const inner = (value: unknown) => narrow(value, dropped, made);
  const isOpen = mayBeObject(schema) && schema['additionalProperties'] !== false;
  const members = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    const schemas = innerSchemas(name, value, inner);
    if (schemas !== undefined) return [[name, schemas]];
    if (name === 'oneOf' && schema['anyOf'] === undefined) {
      made.add('oneOf became anyOf');
      return [['anyOf', innerSchemas('anyOf', value, inner)]];
    }
    if (isKept(name, value)) return [[name, value]];
    if (name !== 'additionalProperties') dropped.add(name);
    return [];
  });
  if (isOpen) made.add('objects were closed to other properties');
  return Object.fromEntries(isOpen ? [...members, ['additionalProperties', false]] : members);
}

/** The schemas in the value of a keyword, each narrowed; undefined if the keyword has none. */
function innerSchemas(name: string, value: unknown, inner: (schema: unknown) => unknown): unknown {
  if (name === 'items') return inner(value);
  if (SCHEMA_LISTS.includes(name)) return (value as unknown[]).map(inner);
  return NAMED_SCHEMAS.includes(name)
    ? Object.fromEntries(Object.entries(value as Schema).map(([key, named]) => [key, inner(named)]))
    : undefined;
}

function isKept(name: string, value: unknown): boolean {
  if (name === 'format') return FORMATS.includes(value as string);
  if (name === 'minItems') return value === 0 || value === 1;
  if (name === 'enum' || name === 'const')
    return [value].flat().every((one) => typeof one !== 'object' || one === null);
  return KEPT.includes(name) || (name === 'additionalProperties' && value === false);
}

function mayBeObject({ type, properties }: Schema): boolean {
  return type === undefined ? properties !== undefined : [type].flat().includes('object');
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
