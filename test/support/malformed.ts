import { requestText } from './raw';

/** A request that is wrong in one way, and the statuses and code that answer it. */
export interface Malformed {
  what: string;
  bytes: string;
  status: number;
  code: string;
  /** The sentence that answers it, where a better one than the code's own is due. */
  message?: string;
  /** False where it is not read as a request, but answered by hand. */
  isRead?: false;
}

const PROMPT = JSON.stringify({ prompt: 'hello', models: ['sim-swift'] });
const WRONG_LENGTH = 'Content-Length can only be one whole number, and not stand beside a Transfer-Encoding.';
const MAX_BODY_BYTES = 1_048_576;
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** Requests of every kind that a parser, a decoder or a check of ours has to refuse. */
export function malformedRequests(key: string): Malformed[] {
  const bearer = { Authorization: `Bearer ${key}` };
  const json = { ...bearer, 'Content-Type': 'application/json' };
  const post = (body: string, headers: Record<string, string> = json, path = '/api/v1/compare') =>
    requestText('POST', path, headers, body);
  const get = (path: string, headers: Record<string, string> = {}) =>
    requestText('GET', path, { ...bearer, ...headers });
  const byHand = (lines: string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`;
  const posted = [
    'POST /api/v1/compare HTTP/1.1',
    'Host: service',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Connection: close',
  ];
  return [
    ...bodies(post, bearer, json),
    ...addresses(get),
    {
      what: 'a header without a name',
      bytes: byHand([...posted, ': nothing']),
      status: 400,
      code: 'invalid_request',
      isRead: false,
    },
    {
      what: 'a header with a NUL',
      bytes: byHand([...posted, 'X-Some: \u0000']),
      status: 400,
      code: 'invalid_request',
      isRead: false,
    },
    { what: 'no HTTP at all', bytes: 'hello\r\n\r\n', status: 400, code: 'invalid_request', isRead: false },
    {
      what: 'an unknown method',
      bytes: requestText('BREW', '/api/v1/models', bearer),
      status: 400,
      code: 'invalid_request',
      isRead: false,
    },
    {
      what: 'HTTP of another version',
      bytes: byHand(['GET /api/v1/models HTTP/3.7', 'Host: service']),
      status: 400,
      code: 'invalid_request',
      isRead: false,
    },
    {
      what: 'no Host',
      bytes: byHand(['GET /api/v1/models HTTP/1.1', `Authorization: Bearer ${key}`, 'Connection: close']),
      status: 400,
      code: 'invalid_request',
      message: 'A Host header is needed.',
    },
    {
      what: 'a Content-Length that is no number',
      bytes: byHand([...posted, 'Content-Length: many']),
      status: 400,
      code: 'invalid_request',
      message: WRONG_LENGTH,
      isRead: false,
    },
    {
      what: 'a negative Content-Length',
      bytes: byHand([...posted, 'Content-Length: -1']),
      status: 400,
      code: 'invalid_request',
      message: WRONG_LENGTH,
      isRead: false,
    },
    {
      what: 'two lengths',
      bytes: byHand([...posted, 'Content-Length: 2', 'Content-Length: 3'], '{}'),
      status: 400,
      code: 'invalid_request',
      message: WRONG_LENGTH,
      isRead: false,
    },
    {
      what: 'chunks that are none',
      bytes: byHand([...posted, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'),
      status: 400,
      code: 'invalid_request',
      isRead: false,
    },
    ...framings(posted, byHand),
    {
      what: 'an unknown expectation',
      bytes: post(PROMPT, { ...json, Expect: 'a miracle' }),
      status: 417,
      code: 'expectation_failed',
    },
    {
      what: 'headers of 20,000 bytes',
      bytes: get('/api/v1/models', { 'X-Long': 'x'.repeat(20_000) }),
      status: 431,
      code: 'headers_too_large',
      isRead: false,
    },
    {
      what: 'an address of 20,000 bytes',
      bytes: get(`/api/v1/models?q=${'x'.repeat(20_000)}`),
      status: 431,
      code: 'headers_too_large',
      isRead: false,
    },
    {
      what: 'two Hosts for an address that cannot be decoded',
      bytes: byHand(['GET /%zz HTTP/1.1', 'Host: service', 'Host: example.com', 'Connection: close']),
      status: 400,
      code: 'invalid_request',
      message: 'Only one Host header may be sent.',
    },
    {
      what: 'a tunnel',
      bytes: requestText('CONNECT', 'example.com:443', bearer),
      status: 405,
      code: 'method_not_allowed',
      isRead: false,
    },
  ];
}

/** Requests of which two readers might disagree where they end or for whom they are. */
function framings(posted: string[], byHand: (lines: string[], body?: string) => string): Malformed[] {
  const refused = (what: string, lines: string[], message: string): Malformed => ({
    what,
    bytes: byHand(lines, '2\r\n{}\r\n0\r\n\r\n'),
    status: 400,
    code: 'invalid_request',
    message,
  });
  const encoded = (what: string, ...lines: string[]) =>
    refused(
      what,
      [...posted, ...lines],
      'Transfer-Encoding can only be chunked, named once and without a Content-Length.',
    );
  const hosts = (what: string, ...lines: string[]) =>
    refused(what, [...lines, 'Connection: close'], 'Only one Host header may be sent.');
  const encodings = [
    'gzip, chunked',
    'identity, chunked',
    'chunked, chunked',
    'chunked, identity',
    'identity',
    'gzip',
    'lzma',
    'chunked;q=1',
    '"chunked"',
    '',
  ];
  return [
    ...encodings.map((value) => encoded(`Transfer-Encoding: ${value}`, `Transfer-Encoding: ${value}`)),
    encoded('two Transfer-Encoding headers', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'),
    encoded('chunked named in two headers', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
    encoded('a length and chunks', 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    refused('chunks and a length', [...posted, 'Transfer-Encoding: chunked', 'Content-Length: 2'], WRONG_LENGTH),
    {
      ...encoded('a read in gzip and chunks', 'Transfer-Encoding: gzip, chunked'),
      bytes: byHand(
        ['GET /api/v1/models HTTP/1.1', 'Host: service', 'Connection: close', 'Transfer-Encoding: gzip, chunked'],
        '0\r\n\r\n',
      ),
    },
    hosts('two Hosts', 'GET /api/v1/models HTTP/1.1', 'Host: service', 'Host: example.com'),
    hosts('the same Host twice', 'GET /api/v1/models HTTP/1.1', 'Host: service', 'HOST: service'),
    hosts('two Hosts in HTTP/1.0', 'GET /api/v1/models HTTP/1.0', 'Host: service', 'Host: example.com'),
  ];
}

function bodies(
  post: (body: string, headers?: Record<string, string>, path?: string) => string,
  bearer: Record<string, string>,
  json: Record<string, string>,
): Malformed[] {
  const invalid = (what: string, body: string): Malformed => ({
    what,
    bytes: post(body),
    status: 400,
    code: 'invalid_request',
  });
  const notJson = (what: string, body: string): Malformed => ({
    what,
    bytes: post(body),
    status: 400,
    code: 'invalid_json',
  });
  const otherType = (what: string, headers: Record<string, string>): Malformed => ({
    what,
    bytes: post(PROMPT, { ...bearer, ...headers }),
    status: 415,
    code: 'unsupported_media_type',
  });
  return [
    notJson('a body that is not JSON', '{"prompt":'),
    notJson('an empty body', ''),
    notJson('a body of white space', ' \n'),
    notJson('two values', '{}{}'),
    notJson('a byte order mark alone', '\uFEFF'),
    notJson('__proto__', '{"__proto__":{"isAdmin":true},"prompt":"x","models":["sim-swift"]}'),
    notJson('constructor.prototype', '{"constructor":{"prototype":{"isAdmin":true}}}'),
    notJson('NaN', '{"prompt":"x","models":["sim-swift"],"options":{"temperature":NaN}}'),
    invalid('a list', '[]'),
    invalid('null', 'null'),
    invalid('a number', '1e999'),
    invalid('an unknown member', '{"prompt":"x","models":["sim-swift"],"toString":1}'),
    invalid('an escaped NUL', '{"prompt":"\\u0000","models":["sim-swift"]}'),
    invalid('half a surrogate pair', '{"prompt":"\\ud800","models":["sim-swift"]}'),
    invalid('half a surrogate pair in a model', '{"prompt":"x","models":["\\ud800\\u0000"]}'),
    invalid('1,000 levels', deep(1000)),
    invalid('100,000 levels', deep(100_000)),
    invalid('100,000 levels of lists', `{"prompt":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    {
      what: 'a body above the limit',
      bytes: post(`{"prompt":"${'x'.repeat(MAX_BODY_BYTES)}"}`),
      status: 413,
      code: 'body_too_large',
    },
    otherType('no content type', {}),
    otherType('plain text', { 'Content-Type': 'text/plain' }),
    otherType('a form', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    otherType('a content type that is none', { 'Content-Type': ';;;' }),
    otherType('an empty content type', { 'Content-Type': '' }),
    {
      what: 'an Idempotency-Key that is too long',
      bytes: post(PROMPT, { ...json, 'Idempotency-Key': 'k'.repeat(256) }),
      status: 400,
      code: 'invalid_request',
    },
    {
      what: 'an empty Idempotency-Key',
      bytes: post(PROMPT, { ...json, 'Idempotency-Key': '' }),
      status: 400,
      code: 'invalid_request',
    },
  ];
}

function addresses(get: (path: string) => string): Malformed[] {
  const missing = (what: string, path: string): Malformed => ({
    what,
    bytes: get(path),
    status: 404,
    code: 'not_found',
  });
  const invalid = (what: string, path: string): Malformed => ({
    what,
    bytes: get(path),
    status: 400,
    code: 'invalid_request',
  });
  return [
    missing('a percent sign alone', '/%'),
    missing('a wrong escape', '/%zz'),
    missing('a wrong escape in an id', '/api/v1/evals/%zz'),
    missing('bytes that are no UTF-8', '/api/v1/evals/%E0%A4%A'),
    missing('a NUL in an id', '/api/v1/evals/%00'),
    missing('an id of 99 characters', `/api/v1/evals/${'x'.repeat(99)}`),
    missing('an id of 8,000 characters', `/api/v1/evals/${'x'.repeat(8000)}`),
    missing('a slash in an id', '/api/v1/evals/a%2Fb'),
    missing('dots', '/api/v1/../v1/models'),
    missing('two slashes', '//api/v1/models'),
    missing('a slash at the end', '/api/v1/models/'),
    missing('other letter case', '/API/v1/models'),
    missing('an asterisk', '*'),
    missing('files', '/docs/../../package.json'),
    missing('escaped files', '/docs/%2e%2e/%2e%2e/package.json'),
    missing('a whole address of elsewhere', 'http://example.com/latest/meta-data'),
    invalid('a limit twice', '/api/v1/evals?limit=1&limit=2'),
    invalid('a month twice', '/api/v1/usage?month=2026-01&month=2026-02'),
    invalid('include twice', '/api/v1/models?include=details&include=details'),
    invalid('a limit of zero', '/api/v1/evals?limit=0'),
    invalid('a huge offset', '/api/v1/evals?offset=9007199254740993'),
    invalid('an offset with an exponent', '/api/v1/evals?offset=1e3'),
    invalid('a NUL in a query', '/api/v1/evals?cursor=%00'),
    invalid('a month that is none', '/api/v1/usage?month=2026-13'),
    invalid('a wrong escape in a query', '/api/v1/usage?month=%zz'),
  ];
}
