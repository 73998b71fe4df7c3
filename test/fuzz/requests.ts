import fc, { type Arbitrary } from 'fast-check';
import type { ApiDocument, Operation } from './document';
import { listedBodies } from './nasty';
import { checkedText, nastyText, nastyValue, spoilt, valueOf } from './values';

/** One generated request, as it goes over the wire. */
export interface FuzzRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

/** Existing things at the service, for requests that need a match. */
export interface Known {
  /** The key of a user, and the operator's. */
  caller: string;
  operator: string;
  /** Keys that open nothing; undefined for none at all. */
  dead: readonly (string | undefined)[];
  /** Ids by the segment before them, such as `users`; things that no request may delete from under the others. */
  ids: Readonly<Record<string, readonly string[]>>;
}

/** Enough to distinguish a bounded answer from a growing answer. */
const NASTY_BYTES = 64 * 1024;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'SEARCH', 'CONNECT', 'BREW'];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json; charset=utf-16',
  'text/plain',
  'application/xml',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  ';',
  '',
];
const ACCEPTS = ['application/json', '*/*', 'text/csv', 'text/event-stream', 'image/png', 'text/*;q=0', ';;;', ''];
const ODD_HEADERS = [
  'idempotency-key',
  'prefer',
  'if-none-match',
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'origin',
  'expect',
  'upgrade',
  'content-encoding',
  'transfer-encoding',
  'range',
  'cookie',
  'x-http-method-override',
  'accept-encoding',
  'te',
  'if-match',
];
const RAW_BODIES = [
  '',
  ' ',
  '{',
  '[]',
  'null',
  '"x"',
  '1e999',
  '{"__proto__":1}',
  '{"constructor":{"prototype":1}}',
  '{"prompt":"\\u0000"}',
  '{"a":1}{"b":2}',
  '\uFEFF{}',
  '['.repeat(10_000),
  `{"prompt":"${'x'.repeat(40_000)}"}`,
];

/** The things that a prefix of ids stands for. */
const THINGS: Readonly<Record<string, string>> = {
  eval: 'evals',
  run: 'runs',
  shr: 'shares',
  ds: 'datasets',
  exp: 'experiments',
};
const EVAL_ID = /eval_[0-9a-z]{26}/;
const DATASET_ID = /ds_[0-9a-z]{26}/;

/**
 * A request to each operation as the document shows it, which is served if what it names exists; they take turns with
 * what exists, because some erase theirs.
 */
export function plainRequests({ operations }: ApiDocument, { caller, operator, ids }: Known): FuzzRequest[] {
  const turns = new Map<string, number>();
  const nextOf = (things: string) => {
    const turn = turns.get(things) ?? 0;
    turns.set(things, turn + 1);
    return ids[things]?.[turn % ids[things].length] ?? '';
  };
  return operations.map(({ method, path, parameters, examples: [example] }) => {
    const query = parameters
      .flatMap(({ in: where, name, schema }) =>
        where === 'query' && thingsOf(schema) !== undefined ? [`${name}=${nextOf(thingsOf(schema) ?? '')}`] : [],
      )
      .join('&');
    const target =
      path.replace(/(\w+)\/\{\w+\}/g, (_, things: string) => `${things}/${nextOf(things)}`) + (query && `?${query}`);
    const body =
      example === undefined
        ? undefined
        : JSON.stringify(example)
            .replace(EVAL_ID, () => nextOf('evals'))
            .replace(DATASET_ID, () => nextOf('datasets'));
    const headers = {
      Authorization: `Bearer ${path.includes('/admin/') ? operator : caller}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    return { method, target, headers, body };
  });
}

/** Requests from the API document: most of them valid but for one or two errors, some valid, some wild. */
export function requests(document: ApiDocument, known: Known): Arbitrary<FuzzRequest> {
  return fc
    .constantFrom(...document.operations)
    .chain((operation) =>
      fc.record({
        method: fc.oneof(
          { weight: 12, arbitrary: fc.constant(operation.method) },
          { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
        ),
        target: fc.tuple(pathOf(operation, known), queryOf(operation, known)).map(([path, query]) => path + query),
        headers: fc
          .tuple(keyFor(operation, known), headersOf())
          .map(([key, headers]) => ({ ...headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) })),
        body: bodyOf(operation, document, known),
      }),
    )
    .map((request) => ({ ...request, headers: withContentType(request.headers, request.body) }));
}

/**
 * Bodies of POST /checks and POST /shares, with the key of the user: a text with checks of all types, and links to
 * evals and experiments, most of them valid.
 */
export function checksAndShares(
  document: ApiDocument,
  { caller, ids: { evals = [], experiments = [] } }: Known,
): Arbitrary<FuzzRequest> {
  const { Check: check, CreateShareRequest: share } = document.schemas;
  // Names and flags that chance finds are hardly ever good ones.
  const valid = valueOf(check, document.schemas).map((one: object) =>
    Object.fromEntries(Object.entries(one).filter(([member]) => member !== 'name' && member !== 'flags')),
  );
  const checks = fc.array(fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: spoilt(valid) }), {
    minLength: 1,
    maxLength: 3,
  });
  const checked = fc
    .record({ checks, output: checkedText, input: nastyText }, { requiredKeys: ['checks', 'output'] })
    .map((body) => ({ path: '/api/v1/checks', body }));
  const shared = fc
    .tuple(valueOf(share, document.schemas), fc.constantFrom(...evals, ...experiments))
    // Links with votes need an experiment of judges.
    .map(
      ([{ texts, redact, votes, ...body }, subject]: [
        { texts?: unknown; redact?: unknown; votes?: unknown },
        string,
      ]) => ({
        path: '/api/v1/shares',
        body: {
          ...body,
          subject,
          ...(votes !== true && { votes }),
          ...(subject.startsWith('exp_') ? { texts } : { redact }),
        },
      }),
    );
  const bodies = fc
    .oneof(checked, shared)
    .chain(({ path, body }) =>
      fc
        .oneof({ weight: 3, arbitrary: fc.constant(body) }, { weight: 1, arbitrary: spoilt(fc.constant(body)) })
        .map((sent: unknown) => ({ path, sent })),
    );
  return bodies.map(({ path, sent }) => ({
    method: 'POST',
    target: path,
    headers: { Authorization: `Bearer ${caller}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(sent),
  }));
}

function keyFor({ path }: Operation, { caller, operator, dead }: Known): Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(path.includes('/admin/') ? operator : caller) },
    { weight: 1, arbitrary: fc.constantFrom(caller, operator, ...dead) },
  );
}

function pathOf(operation: Operation, { ids }: Known): Arbitrary<string> {
  const fitting = ids[/(\w+)\/\{/.exec(operation.path)?.[1] ?? ''] ?? [];
  const id = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...fitting, 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3') },
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(ids).flat()) },
    { weight: 1, arbitrary: nastyText.map(encoded) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%00', '%E0%A4%A', '%ff', 'a%2Fb', 'x'.repeat(9000), '..', '~', '{id}'),
    },
  );
  const path = id.map((text) => operation.path.replace(/\{\w+\}/g, () => text));
  const odd = fc.constantFrom(
    (text: string) => `${text}/`,
    (text: string) => text.toUpperCase(),
    (text: string) => `/${text}`,
    (text: string) => text.replace('v1', 'v2'),
    (text: string) => `http://example.com${text}`,
    (text: string) => `${text};a=b`,
    () => '*',
  );
  return fc.oneof(
    { weight: 15, arbitrary: path },
    { weight: 1, arbitrary: fc.tuple(path, odd).map(([text, change]) => change(text)) },
  );
}

/** The kind of thing that ids of the schema name, such as the segment of a path; undefined if it is not an id. */
function thingsOf({ pattern = '' }: { pattern?: string }): string | undefined {
  return THINGS[/^\^([a-z]+)_/.exec(pattern)?.[1] ?? ''];
}

function queryOf(operation: Operation, { ids }: Known): Arbitrary<string> {
  const documented = operation.parameters.filter((parameter) => parameter.in === 'query');
  const pairs = documented.map(({ name, schema }) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      {
        weight: 3,
        arbitrary: fc
          .oneof(valueOf(schema, {}), ...(ids[thingsOf(schema) ?? ''] ?? []).map((id) => fc.constant(id)))
          .map((value) => [`${name}=${encoded(String(value))}`]),
      },
      { weight: 2, arbitrary: nastyText.map((text) => [`${name}=${encoded(text)}`]) },
      { weight: 1, arbitrary: nastyText.map((text) => [`${name}[]=${encoded(text)}`, `${name}=1`, `${name}=2`]) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          [`${name}=%`],
          [`${name}=%zz`],
          [name],
          [`${name}=%E0%A4%A`],
          [`${name}[__proto__][x]=1`],
          ['__proto__=1', 'constructor=2', 'toString=3'],
        ),
      },
    ),
  );
  return fc.tuple(...pairs).map((parts) => (parts.flat().length === 0 ? '' : `?${parts.flat().join('&')}`));
}

function headersOf(): Arbitrary<Record<string, string>> {
  // Line ends would begin another header; that is a matter of the caller's own framing.
  const value = nastyText.map((text) =>
    Buffer.from(text)
      .toString('latin1')
      .replace(/[\r\n]/g, ' '),
  );
  const odd = fc.tuple(fc.constantFrom(...ODD_HEADERS), value).map(([name, text]) => ({ [name]: text }));
  const accept = fc.constantFrom(...ACCEPTS).map((text) => ({ Accept: text }));
  const wrongKey = value.map((text) => ({ Authorization: text }));
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: odd },
    { weight: 2, arbitrary: accept },
    { weight: 1, arbitrary: wrongKey },
    { weight: 1, arbitrary: fc.constantFrom(...TYPES).map((type) => ({ 'Content-Type': type })) },
  );
}

function bodyOf(
  { method, body, examples }: Operation,
  document: ApiDocument,
  { ids: { evals = [], datasets = [] } }: Known,
): Arbitrary<string | undefined> {
  const raw = fc.oneof(
    fc.constantFrom(...RAW_BODIES),
    nastyValue.map((value) => JSON.stringify(value)),
    nastyText,
  );
  const nasty = listedBodies(document.membersOf(body), NASTY_BYTES);
  if (method === 'GET')
    return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: raw });
  if (body === undefined)
    return fc.oneof(
      { weight: 8, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: raw },
      { weight: 1, arbitrary: nasty },
    );
  // An example names models that exist, which chance hardly ever does, and here also an eval that does.
  const shown = fc
    .tuple(fc.constantFrom(...examples), fc.constantFrom(...evals), fc.constantFrom(...datasets))
    .map(([example, id, dataset]): unknown =>
      JSON.parse(JSON.stringify(example).replace(EVAL_ID, id).replace(DATASET_ID, dataset)),
    );
  const valid = fc.oneof(valueOf(body, document.schemas), shown);
  return fc.oneof(
    { weight: 4, arbitrary: valid.map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: spoilt(valid).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: raw },
    { weight: 1, arbitrary: nasty },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function withContentType(headers: Record<string, string>, body: string | undefined): Record<string, string> {
  return body === undefined || 'Content-Type' in headers ? headers : { 'Content-Type': 'application/json', ...headers };
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
