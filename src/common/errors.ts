/**
 * Every error a caller can meet: code → HTTP status and default sentence. docs/errors.md and the API document are
 * checked against it.
 */
export const ERRORS = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  invalid_json: { status: 400, message: 'The body is not valid JSON.' },
  unknown_model: {
    status: 400,
    message: 'A requested model is unknown or unavailable; GET /api/v1/models lists the available ones.',
  },
  judge_not_neutral: { status: 400, message: 'A judge is among the judged models; choose another one.' },
  unauthorized: { status: 401, message: 'This key does not exist, was revoked or has expired.' },
  payment_required: { status: 402, message: 'This eval is not free and no payment method is on file.' },
  spend_limit_reached: {
    status: 402,
    message: "The maximum charge of this eval would exceed the user's monthly spend limit.",
  },
  key_spend_limit_reached: {
    status: 402,
    message: "The maximum charge of this eval would exceed the key's monthly spend limit.",
  },
  max_cost_exceeded: {
    status: 402,
    message: 'The maximum cost of this eval exceeds options.max_cost_usd; no vendor was called.',
  },
  model_not_allowed: { status: 403, message: 'This key may not call that model.' },
  insufficient_scope: { status: 403, message: 'This key lacks the scope that this endpoint requires.' },
  forbidden: { status: 403, message: 'This key may not do that.' },
  not_found: { status: 404, message: 'No such route or resource.' },
  method_not_allowed: { status: 405, message: 'This endpoint does not support that method.' },
  timeout: { status: 408, message: 'The request did not arrive in time.' },
  conflict: { status: 409, message: 'The resource exists already, or its state does not allow this.' },
  idempotency_key_in_use: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running; try again after Retry-After seconds.',
  },
  payment_provider_not_configured: {
    status: 409,
    message: 'No payment provider is configured; ask the operator of the service to record a payment method.',
  },
  not_comparable: {
    status: 409,
    message: 'The experiments have no row with the same id and content, or no model in common.',
  },
  eval_erased: {
    status: 410,
    message: 'The eval of this Idempotency-Key was erased and does not run again; use a new Idempotency-Key.',
  },
  body_too_large: { status: 413, message: 'The body is too large.' },
  uri_too_long: { status: 414, message: 'The URL is too long.' },
  unsupported_media_type: {
    status: 415,
    message:
      'The body must be sent as Content-Type: application/json; POST /datasets takes application/x-ndjson and text/csv as well.',
  },
  expectation_failed: { status: 417, message: 'The expectation of the Expect header cannot be met.' },
  headers_too_large: { status: 431, message: 'The headers are too large.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with a different body; use a new one for a new request.',
  },
  rate_limited: { status: 429, message: 'Too many requests; try again after Retry-After seconds.' },
  internal_error: {
    status: 500,
    message: 'Internal error; nothing was charged. Include the request_id when you report it.',
  },
  all_models_failed: {
    status: 502,
    message: 'All models failed; nothing was stored or charged. The details give the error of each model.',
  },
  overloaded: {
    status: 503,
    message: 'The service has as much to do as it takes at once; try again after Retry-After seconds.',
  },
  unavailable: { status: 503, message: 'The service is temporarily unavailable; try again after Retry-After seconds.' },
} as const satisfies Record<string, { status: number; message: string }>;

/** A stable code of an error, for programs to branch on. */
export type ErrorCode = keyof typeof ERRORS;

/** Options of an `ApiError` beyond its code. */
interface ApiErrorOptions {
  /** A better sentence than the code's own; must not contain secrets or addresses. */
  message?: string;
  /** The offending field, such as `models[1]` or `options.temperature`. */
  param?: string;
  /** Structured facts for the caller. */
  details?: unknown;
  /** Seconds after which a new try makes sense; becomes Retry-After. */
  retryAfterSeconds?: number;
  /** The cause; goes to the log, never to the caller. */
  cause?: unknown;
}

/** The only error that services throw at callers; its status and default text come from `ERRORS`. */
export class ApiError extends Error {
  readonly param: string | undefined;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    options: ApiErrorOptions = {},
  ) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.name = 'ApiError';
    this.param = options.param;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The HTTP status that goes with the code. */
  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** The one error body of the service. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; param?: string; details?: unknown; request_id: string; trace_id?: string };
}

/**
 * Puts an error into the one body; absent members stay out. With `docs`, the details also say where the error is
 * explained.
 */
export function errorBody(error: ApiError, requestId: string, traceId?: string, docs?: string): ErrorBody {
  const details = docs === undefined ? error.details : { ...(error.details as object | undefined), docs };
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(details !== undefined && { details }),
      request_id: requestId,
      ...(traceId !== undefined && { trace_id: traceId }),
    },
  };
}
