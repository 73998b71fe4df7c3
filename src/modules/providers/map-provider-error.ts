import { parseErrorBody } from './parse-error-body';
import { rejectedOption } from './rejected-option';
import { ProviderError, type FailureCode, type ProviderErrorOptions } from './provider.error';
import { headerOf, type ResponseHeaders } from './transport/vendor-response';

export interface HttpErrorFacts {
  status: number | undefined;
  headers?: ResponseHeaders;
  /** The machine-readable types and codes of the vendor's error, joined by spaces. */
  codes: string;
  message: string | undefined;
  /** The member of the request that the error names. */
  param?: string | undefined;
  afterFirstByte?: boolean;
  cause?: unknown;
}

/** Maps a vendor's status and error codes to one of our failures; the codes are those the vendors document. */
export function mapProviderError(failure: HttpErrorFacts): ProviderError {
  const options: ProviderErrorOptions = {
    vendorMessage: failure.message,
    retryAfterMs: retryAfterMs(failure.headers),
    afterFirstByte: failure.afterFirstByte ?? false,
    cause: failure.cause,
  };
  const code = codeOf(failure);
  const option = code === 'rejected' ? rejectedOption(failure) : undefined;
  if (option === undefined) return new ProviderError(code, options);
  return new ProviderError('invalid_request', {
    ...options,
    message: `The vendor rejected the option ${option}, and the model was not called without it.`,
  });
}

// Codes and sentences come before the status: a bad key may be a 400 (Google, xAI), an empty account a 429 (OpenAI) or
// a 403 (xAI).
function codeOf({ status, codes, message }: HttpErrorFacts): FailureCode {
  // A request above the whole allowance of a minute is called a rate limit (Groq with 413, OpenAI with 429), but
  // waiting does not help.
  if (status === 413 || /^request too large/i.test(message ?? '')) return 'context_too_long';
  const byCode = BY_CODE.find(([pattern]) => pattern.test(codes));
  const known = byCode ?? BY_MESSAGE.find(([pattern]) => pattern.test(message ?? ''));
  return known?.[1] ?? statusCode(status);
}

const BY_CODE: readonly (readonly [RegExp, FailureCode])[] = [
  [/insufficient_quota|credit_balance|billing|insufficient_balance|payment_required|spend_limit/i, 'quota_exhausted'],
  [/context_length|context_window|context_size|request_too_large/i, 'context_too_long'],
  [/content_filter|content_policy|moderation|refusal|safety|invalid_prompt|prohibited_content/i, 'content_refused'],
  [/authentication|invalid_api_key|api_key_invalid|permission_denied|permission_error/i, 'authentication_failed'],
  [/overloaded|capacity|slow_down|service_unavailable/i, 'overloaded'],
  [/rate_limit/i, 'rate_limited'],
  [/model_not_found|not_found|model_decommissioned/i, 'model_unavailable'],
  [/timeout/i, 'unavailable'],
];

const BY_MESSAGE: readonly (readonly [RegExp, FailureCode])[] = [
  [
    /credit balance|insufficient balance|out of credits|used all available credits|spend(?:ing)? limit|^key limit exceeded/i,
    'quota_exhausted',
  ],
  [
    /content (?:filter|exists risk)|prohibited.content|content was blocked|usage guidelines|content policy|flagged as/i,
    'content_refused',
  ],
  [
    /(?:incorrect|invalid|wrong).{0,20}api.?key|api.?key.{0,20}(?:incorrect|invalid|not valid)|unauthorized/i,
    'authentication_failed',
  ],
  [
    /maximum (?:context|prompt) length|prompt is too long|context (?:length|window|size)|input token count/i,
    'context_too_long',
  ],
  [/capacity exceeded/i, 'overloaded'],
  [/invalid model|model not exist|unknown model/i, 'model_unavailable'],
];

const BY_STATUS: Readonly<Record<number, FailureCode>> = {
  401: 'authentication_failed',
  402: 'quota_exhausted',
  403: 'authentication_failed',
  404: 'model_unavailable',
  408: 'unavailable',
  409: 'unavailable',
  429: 'rate_limited',
  498: 'overloaded',
  503: 'overloaded',
  529: 'overloaded',
};

function statusCode(status: number | undefined): FailureCode {
  if (status === undefined) return 'unavailable';
  return BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'rejected');
}

/** Reads `retry-after-ms` or Retry-After, in seconds or as a date; undefined when absent or unreadable. */
export function retryAfterMs(headers: ResponseHeaders = {}): number | undefined {
  const exact = Number.parseInt(headerOf(headers, 'retry-after-ms') ?? '', 10);
  if (exact >= 0) return exact;
  const text = headerOf(headers, 'retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // A date is read against the vendor's own clock, which may differ from ours; anything without a month's name is none.
  if (!/[a-z]{3}/i.test(text)) return undefined;
  const waitMs = Date.parse(text) - Date.parse(headerOf(headers, 'date') ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** The same event or body where it is an object. @throws ProviderError invalid_answer */
export function assertObject<T extends object>(value: T): T {
  // JSON allows null and plain values where the SDKs' types say object.
  if (typeof (value as unknown) !== 'object' || (value as unknown) === null) throw invalidResponse();
  return value;
}

/**
 * Failure for a successful status whose body does not follow the protocol: HTML, an empty body, a stream that ends
 * early.
 */
export function invalidResponse(cause?: unknown): ProviderError {
  return new ProviderError('invalid_answer', { afterFirstByte: true, cause });
}

/** Failure that is reported in a stream, after the answer has begun. */
export function errorFromEvent(error: unknown): ProviderError {
  return mapProviderError({ ...parseErrorBody(error), afterFirstByte: true, cause: error });
}

/**
 * Failure that is the body of a response whose status says success. It is safe to try again if there is nothing beside
 * it that the vendor may have charged.
 */
export function errorFromBody(error: unknown, answer: unknown): ProviderError {
  return mapProviderError({
    ...parseErrorBody(error),
    afterFirstByte: answer !== undefined && answer !== null,
    cause: error,
  });
}

/** Failure of the transport itself; before any byte it is safe to try again. */
export function connectionFailed(afterFirstByte: boolean, cause: unknown): ProviderError {
  return new ProviderError('connection_failed', { afterFirstByte, cause });
}
