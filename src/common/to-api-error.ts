import { ApiError, type ErrorCode } from './errors';
import { isDatabaseUnusable } from './is-database-unavailable';

/** The error to answer for anything thrown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // Nest wraps Fastify's errors, whose codes say more than their status.
  const { code, statusCode } = (isOfNest(thrown) ? (thrown.cause ?? thrown) : thrown) as {
    code?: string;
    statusCode?: number;
  };
  const known = isAborted(thrown) ? 'invalid_request' : FASTIFY_CODES[code ?? ''];
  if (known !== undefined) return new ApiError(known, { cause: thrown });
  if (isOfNest(thrown)) return new ApiError(codeOfStatus(thrown.getStatus()), { cause: thrown });
  if (isDatabaseUnusable(thrown)) return new ApiError('unavailable', { retryAfterSeconds: 1, cause: thrown });
  return new ApiError(statusCode === undefined ? 'internal_error' : codeOfStatus(statusCode), { cause: thrown });
}

/** True for an HttpException, which this file does not import: the code of `common` runs without a framework. */
function isOfNest(thrown: unknown): thrown is Error & { getStatus: () => number } {
  return thrown instanceof Error && 'getStatus' in thrown;
}

/** True if the caller disconnected while sending its body; the answer is not read, and the service has not failed. */
function isAborted(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === 'aborted' && (thrown as { code?: string }).code === 'ECONNRESET';
}

const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

// Our own 403s are ApiErrors; the others come from the files of Swagger UI, whose existence must not be visible.
const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'not_found',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'timeout',
  409: 'conflict',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'unavailable',
};

function codeOfStatus(status: number): ErrorCode {
  return STATUS_CODES[status] ?? (status >= 500 ? 'internal_error' : 'invalid_request');
}
