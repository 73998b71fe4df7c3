import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCode } from '../../common/errors';
import type { RequestLine } from '../observability/logger';
import { ERROR_TYPE, HTTP_METHOD, HTTP_ROUTE, HTTP_STATUS, MCS } from '../observability/semantic-conventions';
import { foreignName, tracer } from '../observability/spans';
import { requestFactsOf } from './request-facts';

/** Asked again and again by machines: their spans would be most of the traces. */
const UNTRACED = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Every request is a span, which continues the caller's trace where it names one; what is done for it belongs to the
 * same trace.
 */
export function traceRequests(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  server.addHook('onRequest', (request, _reply, done) => {
    if (UNTRACED.has(request.routeOptions.url ?? '')) return done();
    // Also for what follows the body, whose events belong to the connection: Fastify keeps the context.
    context.with(beginTrace(request), done);
  });
}

/** Begins the span of a request. */
export function beginTrace(request: FastifyRequest): Context {
  const begun = beginSpanOf(request);
  requestFactsOf(request).trace = begun;
  return begun;
}

/**
 * Ends the span of a request with what its line in the log says. The path and the query are left out: they can hold the
 * token of a share, and anything else.
 */
export function endSpanOf(request: FastifyRequest, { reqId, status, code, userId, keyId, evalId }: RequestLine): void {
  const span = spanIn(requestFactsOf(request).trace);
  if (span === undefined) return;
  const error = code ?? (status >= 500 ? String(status) : undefined);
  span.setAttributes({
    [HTTP_STATUS]: status,
    [ERROR_TYPE]: error,
    [MCS.requestId]: foreignName(reqId),
    [MCS.userId]: userId,
    [MCS.keyId]: keyId,
    [MCS.evalId]: evalId,
  });
  if (status >= 500 || isFailure(code)) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** The status of a stream that fails stays 200. */
function isFailure(code: string | undefined): boolean {
  return code !== undefined && ERRORS[code as ErrorCode].status >= 500;
}

function beginSpanOf(request: FastifyRequest): Context {
  const parent = propagation.extract(ROOT_CONTEXT, request.headers);
  const {
    method,
    routeOptions: { url: route },
  } = request;
  const span = tracer().startSpan(
    route === undefined ? method : `${method} ${route}`,
    { kind: SpanKind.SERVER, attributes: { [HTTP_METHOD]: method, [HTTP_ROUTE]: route } },
    parent,
  );
  return trace.setSpan(parent, span);
}

function spanIn(traced: Context | undefined) {
  return traced === undefined ? undefined : trace.getSpan(traced);
}
