import type { OutgoingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from '../../auth/auth.decorators';
import { AuthService } from '../../auth/auth.service';
import { ApiError, errorBody } from '../../../common/errors';
import { EvalStatisticsService } from '../../analysis/eval-statistics.service';
import { Metrics } from '../../../platform/observability/metrics';
import { loggedApiError } from '../../../platform/http/error.filter';
import { requestFactsOf, traceIdOf } from '../../../platform/http/request-facts';
import { ActiveComparesService } from '../../execution/active-compares.service';
import type { CompareCommand, CompareOutcome, OnCompareEvent } from '../../execution/compare.types';
import type { RunFeed } from '../../execution/run-feeds';
import type { CompareExchange } from '../compare-exchange';
import { EventStream } from './event-stream';
import { StreamTimers } from './stream-timers';

/** Runs compares as event streams. */
@Injectable()
export class EventStreamsService {
  private readonly timers = new StreamTimers(() => void this.cutRevoked());
  private readonly requests = new Map<EventStream, AuthenticatedRequest>();
  private isLooking = false;

  constructor(
    private readonly auth: AuthService,
    private readonly evals: EvalStatisticsService,
    private readonly metrics: Metrics,
    private readonly active: ActiveComparesService,
  ) {}

  /**
   * Runs a compare and writes its events to the reply; a failure after the first of them is the last. @throws the error
   * of a compare that failed before its first event, with nothing sent
   */
  async send(
    start: (onEvent: OnCompareEvent) => Promise<CompareOutcome | undefined>,
    options: CompareExchange,
  ): Promise<void> {
    let stream: EventStream | undefined;
    this.metrics.streamsOpen.inc();
    try {
      const outcome = await start((event) => {
        stream ??= this.open(options);
        stream.push(event);
      });
      // The reader has left; the run goes on.
      if (outcome === undefined) return;
      if (stream === undefined && outcome.isReplay) options.reply.header('idempotency-replayed', 'true');
      stream ??= this.open(options);
      requestFactsOf(options.request).evalId = outcome.stored.record.id;
      stream.end(await this.evals.present(outcome.stored, options.include));
    } catch (error) {
      if (stream === undefined) throw error;
      const failure = loggedApiError(error, options.request);
      requestFactsOf(options.request).errorCode = failure.code;
      stream.fail(errorBody(failure, options.request.id, traceIdOf(options.request)));
    } finally {
      if (stream !== undefined) this.requests.delete(stream);
      this.metrics.streamsOpen.dec();
    }
  }

  /**
   * Follows the run in flight in this process that the same command with the same Idempotency-Key has begun, for a
   * client that reconnects; undefined if there is none.
   */
  resume(command: CompareCommand, exchange: CompareExchange): Promise<void> | undefined {
    const { caller, headers } = exchange.request;
    const feed = headers['last-event-id'] === undefined ? undefined : this.active.feeds.findSame(caller, command);
    return feed && this.follow(feed, exchange);
  }

  /** Writes the events of a run in flight to the reply, from the first one on. @throws as `run` does */
  follow(feed: RunFeed, exchange: CompareExchange): Promise<void> {
    const left = new Promise<undefined>((resolve) => exchange.reply.raw.once('close', () => resolve(undefined)));
    return this.send((onEvent) => feed.follow(onEvent, left), exchange);
  }

  /**
   * Takes the response over from Fastify, which still calls its onResponse hooks, and sends the headers with the first
   * frame.
   */
  private open({ request, reply, include }: CompareExchange): EventStream {
    reply
      .type('text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .hijack();
    if (!reply.raw.destroyed) reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    const stream = new EventStream(reply.raw, this.timers, include);
    this.requests.set(stream, request);
    return stream;
  }

  /**
   * Ends the streams of keys that were revoked or have expired: one look-up for all streams of this process. Their
   * compares go on.
   */
  private async cutRevoked(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    // While the database cannot be asked, no key can be revoked either.
    const ended = await this.auth
      .findEnded([...new Set([...this.requests.values()].map(({ caller }) => caller.keyId))])
      .catch(() => new Set<string>());
    this.isLooking = false;
    for (const [stream, request] of this.requests) {
      if (!ended.has(request.caller.keyId)) continue;
      const error = new ApiError('unauthorized', {
        message: 'The API key was revoked or has expired. The run goes on: its eval is stored and charged.',
      });
      requestFactsOf(request).errorCode = error.code;
      stream.cut(errorBody(error, request.id, traceIdOf(request)));
      this.requests.delete(stream);
    }
  }
}
