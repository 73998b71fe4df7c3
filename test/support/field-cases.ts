import type { Json } from './api';

/** One way to send one member of a request, mostly a wrong one. */
export interface FieldCase {
  /** Method and documented path. */
  operation: string;
  /** The member's path; empty for the body itself. */
  member: string;
  /** The value sent for it, in words or literally. */
  sent: string;
  /** The text after the path, such as `?limit=0`, in its place, or into a header. */
  query?: string;
  id?: string;
  headers?: Record<string, string>;
  /** The text of the JSON body; given the rest of it, which is right. */
  body?: (right: Json) => string | undefined;
}

type Sent = readonly [sent: string, json: string];

/**
 * Every member of every request of the API document with nothing, null, each wrong type, empty, too small, too large
 * and wrong content.
 */
export function fieldCases(document: Json): FieldCase[] {
  return Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const schema = operation.requestBody?.content['application/json'].schema;
      const parameters = (operation.parameters ?? []).flatMap((parameter: Json) =>
        ofParameter(name, parameter),
      ) as FieldCase[];
      return schema === undefined
        ? parameters
        : [
            ...parameters.map((one) => ({ ...one, body: JSON.stringify })),
            ...ofBody(name, resolved(schema, document), document),
          ];
    }),
  );
}

function ofParameter(operation: string, { in: where, name, schema }: Json): FieldCase[] {
  if (where === 'path')
    return ['none', '%00', '%F0%9F%90%98', 'x'.repeat(200)].map((id) => ({
      operation,
      member: name,
      sent: short(id),
      id,
    }));
  if (where === 'header')
    return ['', 'x'.repeat(256), 'caf\u00e9', 'a\tb'].map((value) => ({
      operation,
      member: name,
      sent: short(value),
      headers: { [name]: value },
    }));
  const texts =
    schema.type === 'integer'
      ? ['', 'x', '0', '-1', '1.5', '1e3', '%2B1', '9007199254740993', '9'.repeat(400)]
      : ['', 'x', '2026-13', '0000-00', 'Details', '%00', 'x'.repeat(101)];
  return [...texts, `1&${name}=2`, `1&${name}=`].map((text) => ({
    operation,
    member: name,
    sent: `?${name}=${short(text)}`,
    query: `?${name}=${text}`,
  }));
}

function ofBody(operation: string, schema: Json, document: Json): FieldCase[] {
  const whole: FieldCase[] = [
    ['nothing', undefined],
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['no JSON', '{"a":'],
    ['an empty object', '{}'],
  ].map(([sent = '', text]) => ({ operation, member: '', sent, body: () => text }));
  const [first = ''] = Object.keys(schema.properties);
  const unknown = ['nonsense', first.slice(0, -1), 'temperature', '', 'toString', 'x'.repeat(150)]
    .filter((name) => !(name in schema.properties))
    .map((name): FieldCase => ({
      operation,
      member: short(name),
      sent: '1',
      body: (right) => JSON.stringify({ ...right, [name]: 1 }),
    }));
  return [...whole, ...unknown, ...ofMembers(operation, [], schema, document)];
}

function ofMembers(
  operation: string,
  above: string[],
  { properties, required = [] }: Json,
  document: Json,
): FieldCase[] {
  return Object.entries<Json>(properties).flatMap(([name, given]) => {
    const path = [...above, name];
    const schema = resolved(given, document);
    const member = path.join('.');
    const absent: FieldCase[] = required.includes(name)
      ? [{ operation, member, sent: 'nothing', body: (right) => JSON.stringify(placed(right, path, undefined)) }]
      : [];
    const values = valuesFor(name, schema, document).map(([sent, json]): FieldCase => ({
      operation,
      member,
      sent,
      body: (right) =>
        JSON.stringify(placed(right, path, JSON.rawJSON('0'))).replace(`"${name}":0`, () => `"${name}":${json}`),
    }));
    return [
      ...absent,
      ...values,
      ...(schema.properties === undefined
        ? []
        : [...ofMembers(operation, path, schema, document), unknownInside(operation, path)]),
    ];
  });
}

function unknownInside(operation: string, path: string[]): FieldCase {
  return {
    operation,
    member: [...path, 'max_token'].join('.'),
    sent: '1',
    body: (right) => JSON.stringify(placed(right, path, { max_token: 1 })),
  };
}

const OF_EACH_TYPE: readonly (readonly [type: string, ...Sent])[] = [
  ['null', 'null', 'null'],
  ['string', '"5"', '"5"'],
  ['number', '5', '5'],
  ['boolean', 'true', 'true'],
  ['array', '[]', '[]'],
  ['object', '{}', '{}'],
];
const DATE_TIMES = [
  'soon',
  '2027-01-01',
  '2027-W01-1',
  '2027-W01-1T00:00:00Z',
  '20270101T000000Z',
  '2027-01-01T00:00:00',
  '2027-02-30T00:00:00Z',
  '2027-06-30T23:59:60Z',
  '2027-01-01T24:00:00Z',
  '+012027-01-01T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '2020-01-01T00:00:00Z',
];

function valuesFor(name: string, schema: Json, document: Json): Sent[] {
  const types = [schema.type ?? (schema.enum === undefined ? 'object' : 'string')]
    .flat()
    .map((type: string) => (type === 'integer' ? 'number' : type));
  const wrong = OF_EACH_TYPE.filter(([type]) => type === 'null' || !types.includes(type)).map(
    ([, sent, json]): Sent => [sent, json],
  );
  if (types.includes('string'))
    return [...wrong, ...texts(schema).map((text): Sent => [short(JSON.stringify(text)), JSON.stringify(text)])];
  if (types.includes('number')) return [...wrong, ...numbers(name, schema).map((number): Sent => [number, number])];
  if (types.includes('array')) return [...wrong, ...lists(resolved(schema.items, document), schema, document)];
  return wrong;
}

function texts({ maxLength, format, pattern }: Json): string[] {
  return [
    '',
    ' \n',
    'a\u0000b',
    '\ud800',
    ...(maxLength === undefined ? [] : ['x'.repeat(Number(maxLength) + 1)]),
    ...(format === 'email' ? ['nobody', 'a@b', 'dev@example.com\u0000'] : []),
    ...(format === 'date-time' ? DATE_TIMES : []),
    ...(pattern === undefined || pattern === '\\S' ? [] : ['2026-13', '2026-1', 'now']),
  ];
}

function numbers(name: string, { type, minimum, maximum }: Json): string[] {
  const amounts = [
    '0.1234567890123',
    '0.1234567',
    '999999999.999999999999',
    '1234567890123456',
    '1e-400',
    '1e999',
    '-0',
  ];
  return [
    String(minimum - 1),
    String(maximum + 1),
    ...(type.includes('integer') ? ['1.5', '1e400'] : []),
    ...(name.endsWith('_usd') ? amounts : []),
  ];
}

function lists(element: Json, { minItems = 0, maxItems, uniqueItems }: Json, document: Json): Sent[] {
  const many = JSON.stringify(Array.from({ length: Number(maxItems) + 1 }, (_, index) => `m${index}`));
  const [right = 'sim-swift'] = (element.enum ?? []) as string[];
  return [
    ...(minItems > 0 ? [['[]', '[]'] as const] : []),
    [`an array of ${Number(maxItems) + 1}`, many],
    ...(uniqueItems === true ? [[`["${right}","${right}"]`, `["${right}","${right}"]`] as const] : []),
    ...valuesFor('', element, document).map(([sent, json]): Sent => [`["${right}",${sent}]`, `["${right}",${json}]`]),
  ];
}

function placed(right: Json, [name = '', ...rest]: string[], value: unknown): Json {
  return { ...right, [name]: rest.length === 0 ? value : placed(right?.[name], rest, value) };
}

function resolved(schema: Json, document: Json): Json {
  const { $ref } = schema.allOf?.[0] ?? schema;
  return $ref === undefined ? schema : document.components.schemas[$ref.split('/').pop()];
}

function short(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 8)}… (${text.length} characters)`;
}
