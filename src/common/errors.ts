/** Every error a caller can meet: code → HTTP status and default sentence. docs/errors.md and the API document are checked against it. */
export const ERRORS = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  invalid_json: { status: 400, message: 'The body is not valid JSON.' },
  unknown_model: { status: 400, message: 'A requested model is unknown or cannot be called now; GET /api/v1/models lists the ones that can.' },
  unauthorized: { status: 401, message: 'A valid API key is needed: Authorization: Bearer <API_KEY>.' },
  payment_required: { status: 402, message: 'This eval is not free and no payment method is on file.' },
  spend_limit_reached: { status: 402, message: "The user's monthly spend limit does not leave room for the most this eval can cost." },
  key_spend_limit_reached: { status: 402, message: "The key's monthly spend limit does not leave room for the most this eval can cost." },
  max_cost_exceeded: { status: 402, message: 'The most this eval can cost is above options.max_cost_usd; nothing was sent.' },
  model_not_allowed: { status: 403, message: 'This key may not call that model.' },
  insufficient_scope: { status: 403, message: 'This key lacks the scope that this address asks for.' },
  forbidden: { status: 403, message: 'This key may not do that.' },
  not_found: { status: 404, message: 'There is nothing here under this address.' },
  method_not_allowed: { status: 405, message: 'This address does not take that method.' },
  timeout: { status: 408, message: 'The request did not arrive in time.' },
  conflict: { status: 409, message: 'This conflicts with something that exists already.' },
  idempotency_key_in_use: { status: 409, message: 'The first request with this Idempotency-Key is still running; try again after Retry-After seconds.' },
  payment_provider_not_configured: { status: 409, message: 'This service takes no payment methods itself; ask its operator to note yours.' },
  eval_erased: { status: 410, message: 'The eval of this Idempotency-Key was erased; it is neither kept nor run again. Use a new key for a new run.' },
  body_too_large: { status: 413, message: 'The body is larger than this service takes.' },
  uri_too_long: { status: 414, message: 'The address is longer than this service takes.' },
  unsupported_media_type: { status: 415, message: 'The body must be sent as Content-Type: application/json.' },
  expectation_failed: { status: 417, message: 'This service does not meet the expectation of the Expect header.' },
  headers_too_large: { status: 431, message: 'The headers are larger than this service takes.' },
  idempotency_key_reused: { status: 422, message: 'This Idempotency-Key came with another body before; use a new key for a new request.' },
  rate_limited: { status: 429, message: 'Too many requests; wait as long as Retry-After says.' },
  internal_error: { status: 500, message: 'Something went wrong on our side; nothing was charged. Give the request_id when you report it.' },
  all_models_failed: { status: 502, message: 'Every model failed; nothing was stored or charged. The details say why, model by model.' },
  overloaded: { status: 503, message: 'The service is running as many compares as it can; try again after Retry-After seconds.' },
  unavailable: { status: 503, message: 'The service cannot answer right now; try again after Retry-After seconds.' },
} as const satisfies Record<string, { status: number; message: string }>;

/** A stable code of an error, for programs to branch on. */
export type ErrorCode = keyof typeof ERRORS;

/** What an `ApiError` may say beyond its code. */
export interface ApiErrorOptions {
  /** A better sentence than the code's own; must not contain secrets or addresses. */
  message?: string;
  /** The offending field, such as `models[1]` or `options.temperature`. */
  param?: string;
  /** Structured facts for the caller. */
  details?: unknown;
  /** Seconds after which a new try makes sense; becomes Retry-After. */
  retryAfterSeconds?: number;
  /** What led to it; goes to the log, never to the caller. */
  cause?: unknown;
}

/** The only error that services throw at callers; its status and default text come from `ERRORS`. */
export class ApiError extends Error {
  readonly param: string | undefined;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(readonly code: ErrorCode, options: ApiErrorOptions = {}) {
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
  error: { code: ErrorCode; message: string; param?: string; details?: unknown; request_id: string };
}

/** Puts an error into the one body; absent members stay out. */
export function errorBody(error: ApiError, requestId: string): ErrorBody {
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.details !== undefined && { details: error.details }),
      request_id: requestId,
    },
  };
}
