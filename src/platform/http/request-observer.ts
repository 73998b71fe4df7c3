import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../common/clock';
import type { Drain } from '../background/drain';
import type { RequestLine } from '../observability/logger';
import type { Metrics } from '../observability/metrics';
import { requestFactsOf, traceIdOf } from './request-facts';
import { endSpanOf } from './trace-requests';

/** The facts about a request without a reply object, because it could not be parsed. */
type HandAnsweredLine = Pick<RequestLine, 'reqId' | 'status'> &
  Partial<Pick<RequestLine, 'method' | 'path'>> & { code: string };

/**
 * Sees to what every request leaves behind: its id in its answer, which is owed until it is written, one line in the
 * log, its counts in the metrics, and the end of its span.
 */
export class RequestObserver {
  constructor(
    private readonly drain: Drain,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly log: FastifyBaseLogger,
  ) {}

  /** Observes all requests that reach a route, or the handler of unmatched requests. */
  observeAll(adapter: FastifyAdapter): void {
    const server = adapter.getInstance();
    server.addHook('onRequest', (request, reply, done) => {
      this.begin(request, reply);
      done();
    });
    server.addHook('onResponse', (request, reply, done) => {
      this.end(request, reply, reply.elapsedTime);
      done();
    });
  }

  /** Observes a request for which no hook runs. */
  observe(request: FastifyRequest, reply: FastifyReply): void {
    const startMs = this.clock.monotonicMs();
    this.begin(request, reply);
    reply.raw.once('finish', () => this.end(request, reply, this.clock.monotonicMs() - startMs));
  }

  /** Records an error that was answered by hand. How long that took is not known. */
  answeredByHand({ reqId, method, path, status, code }: HandAnsweredLine): void {
    this.log.info({ reqId, method, path: path && withoutQuery(path), status, code }, 'request');
    this.metrics.errorSent(code);
  }

  private begin(request: FastifyRequest, reply: FastifyReply): void {
    this.drain.track(reply.raw);
    void reply.header('x-request-id', request.id);
  }

  private end(request: FastifyRequest, reply: FastifyReply, ms: number): void {
    const line = lineOf(request, reply, ms);
    endSpanOf(request, line);
    if (isProbe(line)) this.log.debug(line, 'request');
    else this.log.info(line, 'request');
    this.measure(line, ms);
  }

  /** Counts and times every answer under the pattern of its route, never under its address. */
  private measure({ route, method, status, code }: RequestLine, ms: number): void {
    // Of what no route serves, the method may be anything.
    const served =
      route === undefined ? { http_request_method: '_OTHER' } : { http_route: route, http_request_method: method };
    this.metrics.requestSeconds.observe({ ...served, http_response_status_code: status }, ms / 1000);
    if (code !== undefined) this.metrics.errorSent(code);
  }
}

function lineOf(request: FastifyRequest, reply: FastifyReply, ms: number): RequestLine {
  // Who sends it is set by the module `auth`, which this one does not know.
  const { caller } = request as { caller?: { userId: string; keyId: string } };
  const { errorCode: code, evalId } = requestFactsOf(request);
  return {
    reqId: request.id,
    method: request.method,
    path: withoutQuery(request.url),
    route: request.routeOptions.url,
    status: reply.statusCode,
    ms: Math.round(ms),
    code,
    userId: caller?.userId,
    keyId: caller?.keyId,
    evalId,
    traceId: traceIdOf(request),
  };
}

/** A query may hold anything. */
function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

/** Asked again and again by machines: their lines would be most of the log. */
function isProbe({ path, status }: RequestLine): boolean {
  return path === '/health/live' || path === '/health/ready' || (path === '/metrics' && status === 200);
}
