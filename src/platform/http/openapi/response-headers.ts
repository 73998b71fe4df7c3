import type { HeaderObject, ReferenceObject } from '@nestjs/swagger';

type Headers = Record<string, ReferenceObject>;

/** Every header of a response that callers may read, once; responses refer to them. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request, the same as `request_id` in an error; the one that the caller sent, if it did.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'On requests that count under a policy: remaining requests (`r`) and seconds until all are back (`t`).',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'Comes with RateLimit. The policy: allowed requests (`q`) in a window of seconds (`w`).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds after which a new attempt makes sense.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'Which credentials are asked for: `Bearer`.', schema: { type: 'string' } },
  Link: {
    description: 'URL of the next page, as `<…>; rel="next"`; absent on the last page.',
    schema: { type: 'string' },
  },
  ETag: { description: 'Version of the response, for If-None-Match.', schema: { type: 'string' } },
  Location: { description: 'URL of the eval, or of the run with 202 (JSON only).', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: '`true` when the eval of an earlier request with the same Idempotency-Key was returned.',
    schema: { type: 'string' },
  },
  'Preference-Applied': {
    description: 'With `Prefer: respond-async`: what of it was done, such as `respond-async, wait=20`.',
    schema: { type: 'string' },
  },
  'Content-Disposition': { description: 'Name of the file (CSV only).', schema: { type: 'string' } },
} as const satisfies Record<string, HeaderObject>;

/** Name of a header that responses may have. */
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** References to headers, by name. */
export function headersOf(names: readonly ResponseHeader[]): Headers {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
