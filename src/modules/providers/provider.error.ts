import { toStorable } from '../../common/postgres-text';
import { redact } from '../../platform/observability/redaction';
import type { ResultErrorCode } from '../../common/result-codes';

/** Why a model gave no answer; these are the codes of a Result's `error`. */
export const FAILURES = {
  authentication_failed: {
    retryable: false,
    message: 'The vendor refused our credentials; the operator has to look at it.',
  },
  quota_exhausted: { retryable: false, message: 'Our quota at the vendor is used up; the operator has to look at it.' },
  rate_limited: { retryable: true, message: 'The vendor is limiting our rate.' },
  overloaded: { retryable: true, message: 'The vendor is overloaded.' },
  unavailable: { retryable: true, message: 'The vendor had an error of its own.' },
  connection_failed: { retryable: true, message: 'The connection to the vendor failed.' },
  timeout: { retryable: true, message: 'The model did not finish in time.' },
  invalid_answer: { retryable: true, message: 'The vendor did not send a complete answer.' },
  content_refused: { retryable: false, message: 'The model or its vendor refused this content.' },
  context_too_long: { retryable: false, message: "The prompt is longer than the model's context." },
  model_unavailable: { retryable: false, message: 'The vendor does not offer this model to us.' },
  model_substituted: { retryable: false, message: 'Another model than the one that was asked for answered.' },
  invalid_request: { retryable: false, message: 'The vendor rejected an option of the request.' },
  rejected: { retryable: false, message: 'The vendor rejected the request.' },
  not_called: { retryable: true, message: 'The model was not called: the service was stopping before this sample.' },
  internal_error: { retryable: true, message: 'Calling this model failed on our side.' },
} as const satisfies Record<ResultErrorCode, { retryable: boolean; message: string }>;

export type FailureCode = keyof typeof FAILURES;

export interface ProviderErrorOptions {
  /** Replaces the code's own sentence. */
  message?: string;
  /** The vendor's message; only its redacted form leaves the service. */
  vendorMessage?: string | undefined;
  retryAfterMs?: number | undefined;
  /** True if a part of the answer had already arrived; then a new attempt would be billed twice. */
  afterFirstByte?: boolean;
  cause?: unknown;
}

/** A call to a vendor failed. It becomes an outcome of the run, never an answer of ours. */
export class ProviderError extends Error {
  readonly retryAfterMs: number | undefined;
  readonly afterFirstByte: boolean;

  constructor(
    readonly code: FailureCode,
    options: ProviderErrorOptions = {},
  ) {
    const vendorText = QUOTABLE.has(code) ? redactVendorText(options.vendorMessage ?? '') : '';
    const message = options.message ?? FAILURES[code].message;
    super(vendorText === '' ? message : `${message} It says: ${vendorText}`, { cause: options.cause });
    this.name = 'ProviderError';
    this.retryAfterMs = options.retryAfterMs;
    this.afterFirstByte = options.afterFirstByte ?? false;
  }

  /** True if a later attempt may succeed. */
  get retryable(): boolean {
    return FAILURES[this.code].retryable;
  }
}

// Only these are about the caller's request; the others are about our account with the vendor.
const QUOTABLE: ReadonlySet<FailureCode> = new Set([
  'rejected',
  'invalid_request',
  'context_too_long',
  'content_refused',
]);
const MAX_LENGTH = 300;
// Nothing beyond this is read: the patterns below are for sentences.
const MAX_INPUT_LENGTH = 2000;

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+/gi, '[address]'],
  [/\[[0-9a-f:]{2,}\](?::\d+)?/gi, '[address]'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '[address]'],
  [/\b(?:[a-z0-9-]{1,63}\.){1,8}(?:com|net|org|io|ai|dev|local|internal)\b\S*/gi, '[address]'],
  [/\b[a-z0-9-]{1,63}:\d{2,5}\b/gi, '[address]'],
  [/(?:\/[\w.-]+){2,}/g, '[file]'],
  [/\b[\w-]{1,60}\.(?:py|js|ts|go|rs|java|cc?|cpp|rb|json|ya?ml)\b/gi, '[file]'],
  [/\b(?:sk|pk|xai|gsk|key|org|proj|req|user)[-_][\w*.-]{4,}/gi, '[redacted]'],
  [/\bBearer\s+\S+/gi, '[redacted]'],
  [/\b(?=[\w*-]*\d)[\w*-]{24,}/g, '[redacted]'],
];

/**
 * Takes addresses, host and file names and everything that looks like a credential or an account id out of a vendor's
 * text.
 */
export function redactVendorText(text: string): string {
  const redacted = SECRETS.reduce(
    (rest, [pattern, replacement]) => rest.replace(pattern, replacement),
    redact(text).slice(0, MAX_INPUT_LENGTH),
  );
  return toStorable(toStorable(redacted).replace(/\s+/g, ' ').trim().slice(0, MAX_LENGTH));
}
