import { trace, type Context } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';

/** Facts about a request, collected while it is answered, for its log line and the metrics. */
interface RequestFacts {
  /** Code of the error that was answered, also as the last event of a stream. */
  errorCode: string | undefined;
  /** The eval that the request has made or replayed. */
  evalId: string | undefined;
  /** The trace that it belongs to, with its span; undefined where traces are off. */
  trace: Context | undefined;
}

/** The properties to declare on requests (see `declareRequestProperties`). */
export const REQUEST_FACTS: readonly (keyof RequestFacts)[] = ['errorCode', 'evalId', 'trace'];

/** The facts about a request so far. */
export function requestFactsOf(request: FastifyRequest): RequestFacts {
  return request as unknown as RequestFacts;
}

/** The id of a request's trace; undefined where traces are off. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  const { trace: traced } = requestFactsOf(request);
  return traced && trace.getSpan(traced)?.spanContext().traceId;
}
