import { Injectable } from '@nestjs/common';
import { EvalStatisticsService } from '../analysis/eval-statistics.service';
import { prefers } from '../http/content-negotiation';
import { withLongSilence } from '../http/long-silence';
import { preferencesOf } from '../http/prefer';
import { factsOf } from '../http/request-facts';
import type { CompareRequest } from './compare.dto';
import type { OnRunEvent } from './compare.types';
import { LimitedCompareService } from './limited-compare.service';
import { orderOf } from './runs/run-order';
import { RunResponsesService, type CompareExchange } from './runs/run-responses.service';
import { ASYNC_SAMPLE_LIMITS, SAMPLE_LIMITS } from './sample-limits';
import { EventStreamsService } from './stream/event-streams.service';

/** Answers a request for a compare: with the eval, with its events as they happen, or with a run if that is preferred. */
@Injectable()
export class CompareResponsesService {
  constructor(
    private readonly compare: LimitedCompareService,
    private readonly streams: EventStreamsService,
    private readonly runs: RunResponsesService,
    private readonly evals: EvalStatisticsService,
  ) {}

  /** Runs or queues what a body asks for; `rerunOf` names the eval that it runs again. @throws ApiError as `CompareService.run` and `RunQueueService.enqueue` do, with nothing sent */
  async respond(body: CompareRequest, exchange: CompareExchange, rerunOf?: string): Promise<void> {
    const { request, reply, include } = exchange;
    const preferences = preferencesOf(request.headers);
    const isStream = prefers(request, 'text/event-stream');
    const isAsync = preferences.isAsync && !isStream;
    const command = { ...body.toCommand(joinHeader(request.headers['idempotency-key']), isAsync ? ASYNC_SAMPLE_LIMITS : SAMPLE_LIMITS), rerunOf };
    if (isAsync) return this.runs.respond({ command, order: orderOf(body, rerunOf), preferences }, exchange);
    const start = (onEvent?: OnRunEvent) => this.compare.run(request, command, onEvent);
    if (isStream) return this.streams.run(start, exchange);
    const { stored, isReplay } = await withLongSilence(request, command.samples, start);
    if (isReplay) reply.header('idempotency-replayed', 'true');
    factsOf(request).evalId = stored.record.id;
    reply.header('location', `/api/v1/evals/${stored.record.id}`);
    void reply.send(await this.evals.present(stored, include));
  }
}

function joinHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
