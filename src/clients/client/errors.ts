import type { ErrorCode, ResultError } from './api.gen';

/** Codes of the client itself, for what the service did not say. */
export type ClientErrorCode =
  | 'connection_failed'
  | 'connection_lost'
  | 'no_answer_in_time'
  | 'unexpected_answer'
  | 'eval_not_stored'
  | 'run_canceled'
  | 'invalid_api_key'
  | 'invalid_base_url'
  | 'invalid_import';

/** A code of the service or of the client, or a code that a newer service has added. */
export type AnyErrorCode = ErrorCode | ClientErrorCode | (string & Record<never, never>);

/** Details of an error beyond its message. */
interface ErrorFacts {
  code: AnyErrorCode;
  status?: number | undefined;
  param?: string | undefined;
  details?: unknown;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Every error that the client throws, except the reason of an aborted signal, which is thrown unchanged. */
export class CompareError extends Error {
  override readonly name: string = 'CompareError';
  /** Stable, for programs to branch on. */
  readonly code: AnyErrorCode;
  /** The status of the answer; undefined where there was none, and for the `error` event of a stream. */
  readonly status: number | undefined;
  /** The field at fault, such as `models[1]`. */
  readonly param: string | undefined;
  /** Facts whose shape depends on the code. */
  readonly details: unknown;
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.param = facts.param;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }

  /** For logs; the message of an error is no part of its JSON otherwise. */
  toJSON(): object {
    const { name, message, code, status, param, details, requestId, retryAfter } = this;
    return { name, message, code, status, param, details, requestId, retryAfter };
  }
}

/** 401 and 403: no valid key, or a key that may not do this. */
export class AuthenticationError extends CompareError {
  override readonly name: string = 'AuthenticationError';
}

/** 402: no payment method, or a limit of the user, the key or the request. */
export class PaymentError extends CompareError {
  override readonly name: string = 'PaymentError';
}

/** The other 4xx: the request itself is at fault. */
export class InvalidRequestError extends CompareError {
  override readonly name: string = 'InvalidRequestError';
}

/** 429 after the last try; `retryAfter` says how long to wait. */
export class RateLimitError extends CompareError {
  override readonly name: string = 'RateLimitError';
}

/** 5xx after the last try, the `error` event of a stream, and answers that are not the API's. */
export class ServiceError extends CompareError {
  override readonly name: string = 'ServiceError';
}

/** Of one model of a compare in which every model failed. */
export interface CompareFailure {
  model: string;
  error: ResultError;
}

/** Every model of a compare failed; nothing was stored or charged. */
export class AllModelsFailedError extends ServiceError {
  override readonly name: string = 'AllModelsFailedError';
  declare readonly details: { models: CompareFailure[] };
}

/** No connection, or it broke, or stayed silent, on the last try too. */
export class ConnectionError extends CompareError {
  override readonly name: string = 'ConnectionError';
}

// For errors that end a run, which have no HTTP status.
const STATUS_OF: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: 400,
  unknown_model: 400,
  unauthorized: 401,
  payment_required: 402,
  spend_limit_reached: 402,
  key_spend_limit_reached: 402,
  max_cost_exceeded: 402,
  model_not_allowed: 403,
  insufficient_scope: 403,
  forbidden: 403,
};

/**
 * The class of errors with that status and code; without a status, of the `error` event of a stream or the end of a
 * run.
 */
export function errorClass(status: number | undefined, code: AnyErrorCode): typeof CompareError {
  return code === 'all_models_failed'
    ? AllModelsFailedError
    : classOf(status ?? (Object.hasOwn(STATUS_OF, code) ? STATUS_OF[code as ErrorCode] : undefined));
}

function classOf(status: number | undefined): typeof CompareError {
  if (status === undefined || status >= 500 || status < 400) return ServiceError;
  if (status === 401 || status === 403) return AuthenticationError;
  if (status === 402) return PaymentError;
  return status === 429 ? RateLimitError : InvalidRequestError;
}

/** Data of a response beside its body. */
interface AnswerFacts {
  status?: number;
  retryAfter?: number | undefined;
  requestId?: string | undefined;
}

/** An error body of the API, wherever it came from. */
export function errorFromBody(body: unknown, { status, retryAfter, requestId }: AnswerFacts = {}): CompareError {
  const error = (body as { error?: Record<string, unknown> } | null)?.error ?? {};
  const code = textOf(error['code']) ?? 'unexpected_answer';
  const message = textOf(error['message']) ?? `The service answered ${status ?? 'an error'} without an error message.`;
  return new (errorClass(status, code))(message, {
    code,
    status,
    retryAfter,
    param: textOf(error['param']),
    details: error['details'],
    requestId: textOf(error['request_id']) ?? requestId,
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
