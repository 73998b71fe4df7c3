import { ProviderError, type FailureCode, type ProviderErrorOptions } from './provider.error';

/** What both SDKs tell about a failed call. */
export interface HttpFailure {
  status: number | undefined;
  headers: Headers | undefined;
  /** The vendor's machine-readable words: type and code of its error object. */
  kind: string;
  message: string | undefined;
  afterFirstByte?: boolean;
  cause: unknown;
}

/** Turns a vendor's status and error kind into our failure; the kinds are those the vendors document. */
export function failureOf(failure: HttpFailure): ProviderError {
  const options: ProviderErrorOptions = {
    vendorMessage: failure.message,
    retryAfterMs: retryAfterMs(failure.headers),
    afterFirstByte: failure.afterFirstByte ?? false,
    cause: failure.cause,
  };
  return new ProviderError(codeOf(failure), options);
}

function codeOf({ status, kind, message }: HttpFailure): FailureCode {
  return kindCode(kind, message ?? '') ?? statusCode(status);
}

const KINDS: readonly (readonly [RegExp, FailureCode])[] = [
  [/insufficient_quota|billing|insufficient_balance|payment/, 'quota_exhausted'],
  [/context_length|context_window|request_too_large/, 'context_too_long'],
  [/content_filter|content_policy|moderation|refusal|safety/, 'content_refused'],
  [/authentication|invalid_api_key|permission/, 'authentication_failed'],
  [/rate_limit/, 'rate_limited'],
  [/overloaded/, 'overloaded'],
  [/model_not_found|not_found/, 'model_unavailable'],
  [/timeout/, 'timeout'],
];

function kindCode(kind: string, message: string): FailureCode | undefined {
  const known = KINDS.find(([pattern]) => pattern.test(kind))?.[1];
  if (known !== undefined) return known;
  return /maximum context length|prompt is too long|context (?:length|window)/i.test(message) ? 'context_too_long' : undefined;
}

const STATUSES: Readonly<Record<number, FailureCode>> = {
  401: 'authentication_failed', 402: 'quota_exhausted', 403: 'authentication_failed', 404: 'model_unavailable', 408: 'unavailable',
  409: 'unavailable', 413: 'context_too_long', 429: 'rate_limited', 503: 'overloaded', 529: 'overloaded',
};

function statusCode(status: number | undefined): FailureCode {
  if (status === undefined) return 'unavailable';
  return STATUSES[status] ?? (status >= 500 ? 'unavailable' : 'rejected');
}

/** Reads `retry-after-ms` or Retry-After, in seconds or as a date; undefined when absent or unreadable. */
export function retryAfterMs(headers: Headers | undefined): number | undefined {
  if (headers === undefined) return undefined;
  const exact = Number.parseInt(headers.get('retry-after-ms') ?? '', 10);
  if (exact >= 0) return exact;
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // A date is read against the vendor's own clock, which may differ from ours.
  const waitMs = Date.parse(text) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Failure for a successful status whose body is not the protocol: HTML, an empty body, a cut stream. */
export function invalidAnswer(cause?: unknown): ProviderError {
  return new ProviderError('invalid_answer', { afterFirstByte: true, cause });
}

/** Failure of the transport itself; before any byte it is safe to try again. */
export function connectionFailed(afterFirstByte: boolean, cause: unknown): ProviderError {
  return new ProviderError('connection_failed', { afterFirstByte, cause });
}
