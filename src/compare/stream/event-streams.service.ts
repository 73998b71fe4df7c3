import type { OutgoingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody } from '../../common/errors';
import { EvalStatisticsService } from '../../evals/eval-statistics.service';
import { Metrics } from '../../common/metrics';
import { loggedApiError } from '../../http/error.filter';
import { factsOf, traceIdOf } from '../../http/request-facts';
import type { CompareOutcome, OnRunEvent } from '../compare.types';
import type { Inclusions } from '../../http/include.dto';
import { EventStream } from './event-stream';
import { StreamTimers } from './stream-timers';

/** What an event stream depends on in its request. */
export interface StreamOptions {
  request: FastifyRequest;
  reply: FastifyReply;
  include: Inclusions;
}

/** Runs compares as event streams. */
@Injectable()
export class EventStreamsService {
  private readonly timers = new StreamTimers();

  constructor(
    private readonly evals: EvalStatisticsService,
    private readonly metrics: Metrics,
  ) {}

  /** Runs a compare and writes its events to the reply; a failure after the first of them is the last. @throws the error of a run that failed before its first event, with nothing sent */
  async run(start: (onEvent: OnRunEvent) => Promise<CompareOutcome>, options: StreamOptions): Promise<void> {
    let stream: EventStream | undefined;
    this.metrics.streamsOpen.inc();
    try {
      const outcome = await start((event) => {
        stream ??= this.open(options);
        stream.push(event);
      });
      if (stream === undefined && outcome.isReplay) options.reply.header('idempotency-replayed', 'true');
      stream ??= this.open(options);
      factsOf(options.request).evalId = outcome.stored.record.id;
      stream.end(await this.evals.present(outcome.stored, options.include));
    } catch (error) {
      if (stream === undefined) throw error;
      const failure = loggedApiError(error, options.request);
      factsOf(options.request).errorCode = failure.code;
      stream.fail(errorBody(failure, options.request.id, traceIdOf(options.request)));
    } finally {
      this.metrics.streamsOpen.dec();
    }
  }

  /** Takes the response over from Fastify, which still calls its onResponse hooks, and sends the headers with the first frame. */
  private open({ reply, include }: StreamOptions): EventStream {
    reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-store').header('x-accel-buffering', 'no').hijack();
    if (!reply.raw.destroyed) reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    return new EventStream(reply.raw, this.timers, include);
  }
}
