import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../common/clock';
import { ApiError, errorBody, type ErrorBody, type ErrorCode } from '../../common/errors';
import { isDatabaseFull } from '../../common/is-database-unavailable';
import { toApiError } from '../../common/to-api-error';
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
  return errorBody(
    error,
    request.id,
    traceIdOf(request),
    error.status < 500 && !SAY_ALL.has(error.code) ? `/docs/guide/errors#${error.code}` : undefined,
  );
}

/** Errors of 4xx whose sentences leave nothing to explain. */
const SAY_ALL: ReadonlySet<ErrorCode> = new Set(['not_found', 'timeout', 'body_too_large']);

/** The error to answer for anything thrown; what is our own fault is logged with its cause. */
export function loggedApiError(thrown: unknown, request: FastifyRequest): ApiError {
  const error = toApiError(thrown);
  if (isDatabaseFull(error.cause)) logFull(error, request);
  else if (error.status >= 500 && error.code !== 'all_models_failed')
    request.log.error({ reqId: request.id, err: error.cause ?? thrown, code: error.code }, 'request failed');
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
  log.error(
    { reqId, code: error.code, requests: full.requests, reason: String(error.cause) },
    'no connection to the database is free',
  );
  Object.assign(full, { requests: 0, loggedMs: now });
}
