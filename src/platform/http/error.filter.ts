import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../common/clock';
import { ApiError, errorBody, type ErrorBody, type ErrorCode } from '../../common/errors';
import { isDatabaseFull, isDatabaseUnusable } from '../database/is-database-unavailable';
import { requestFactsOf, traceIdOf } from './request-facts';

/** Answers every thrown error in the common error body. Foreign errors are logged with their cause and never shown. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendErrorResponse(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** Sends the error body; also for errors that Fastify meets before any route is found. */
export function sendErrorResponse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  void reply.send(prepareErrorResponse(thrown, request, reply));
}

/** The error body, with its status and headers set on the reply and nothing sent yet. */
export function prepareErrorResponse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): ErrorBody {
  return prepared(loggedApiError(thrown, request), request, reply);
}

/** Sends the error body of something that is no failure and leaves no line. */
export function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  void reply.send(prepared(error, request, reply));
}

function prepared(error: ApiError, request: FastifyRequest, reply: FastifyReply): ErrorBody {
  if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds);
  requestFactsOf(request).errorCode = error.code;
  void reply.status(error.status).type('application/json; charset=utf-8');
  return errorBody(error, request.id, traceIdOf(request), error.status < 500 && !SAY_ALL.has(error.code) ? `/docs/guide/errors#${error.code}` : undefined);
}

/** Errors of 4xx whose sentences leave nothing to explain. */
const SAY_ALL: ReadonlySet<ErrorCode> = new Set(['not_found', 'timeout', 'body_too_large']);

/** The error to answer for anything thrown; what is our own fault is logged with its cause. */
export function loggedApiError(thrown: unknown, request: FastifyRequest): ApiError {
  const error = toApiError(thrown);
  if (isDatabaseFull(error.cause)) logFull(error, request);
  else if (error.status >= 500 && error.code !== 'all_models_failed') request.log.error({ reqId: request.id, err: error.cause ?? thrown, code: error.code }, 'request failed');
  return error;
}

const FULL_INTERVAL_MS = 1000;
const clock = new Clock();
/** Requests that found no connection since the last line that said so. */
const full = { requests: 0, loggedMs: -Infinity };

/** Logs one line a second, without a stack, however many requests find no connection. */
function logFull(error: ApiError, { id: reqId, log }: FastifyRequest): void {
  full.requests += 1;
  const now = clock.monotonicMs();
  if (now - full.loggedMs < FULL_INTERVAL_MS) return;
  log.error({ reqId, code: error.code, requests: full.requests, reason: String(error.cause) }, 'no connection to the database is free');
  Object.assign(full, { requests: 0, loggedMs: now });
}

/** The error to answer for anything thrown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // Nest wraps Fastify's errors, whose codes say more than their status.
  const { code, statusCode } = (thrown instanceof HttpException ? (thrown.cause ?? thrown) : thrown) as Partial<FastifyError>;
  const known = isAborted(thrown) ? 'invalid_request' : FASTIFY_CODES[code ?? ''];
  if (known !== undefined) return new ApiError(known, { cause: thrown });
  if (thrown instanceof HttpException) return new ApiError(codeOfStatus(thrown.getStatus()), { cause: thrown });
  if (isDatabaseUnusable(thrown)) return new ApiError('unavailable', { retryAfterSeconds: 1, cause: thrown });
  return new ApiError(statusCode === undefined ? 'internal_error' : codeOfStatus(statusCode), { cause: thrown });
}

/** True if the caller disconnected while sending its body; the answer is not read, and the service has not failed. */
function isAborted(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === 'aborted' && (thrown as FastifyError).code === 'ECONNRESET';
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
  400: 'invalid_request', 401: 'unauthorized', 403: 'not_found', 404: 'not_found', 405: 'method_not_allowed', 408: 'timeout',
  409: 'conflict', 413: 'body_too_large', 414: 'uri_too_long', 415: 'unsupported_media_type', 429: 'rate_limited', 431: 'headers_too_large', 503: 'unavailable',
};

function codeOfStatus(status: number): ErrorCode {
  return STATUS_CODES[status] ?? (status >= 500 ? 'internal_error' : 'invalid_request');
}
