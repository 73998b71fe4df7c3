import { Injectable } from '@nestjs/common';
import { EvalStatisticsService } from '../analysis/eval-statistics.service';
import type { AuthenticatedRequest } from '../auth/auth.decorators';
import { CompareService } from '../execution/compare.service';
import type { CompareCommand, CompareContext, CompareOutcome } from '../execution/compare.types';
import { prefers } from '../../platform/http/content-negotiation';
import { allowLongSilence } from '../../platform/http/long-silence';
import { preferencesOf } from '../../platform/http/prefer';
import { requestFactsOf } from '../../platform/http/request-facts';
import { ConcurrencyLimiterService } from '../../platform/rate-limiting/concurrency-limiter.service';
import type { CompareExchange } from './compare-exchange';
import type { CompareRequest } from './compare.dto';
import { RunResponsesService } from './run-responses.service';
import { ASYNC_SAMPLE_LIMITS, SAMPLE_LIMITS } from './sample-limits';
import { EventStreamsService } from './stream/event-streams.service';

/**
 * Answers a request for a compare: with the eval, with its events as they happen, or with a run if that is preferred.
 */
@Injectable()
export class CompareResponsesService {
  constructor(
    private readonly compares: CompareService,
    private readonly concurrency: ConcurrencyLimiterService,
    private readonly streams: EventStreamsService,
    private readonly runs: RunResponsesService,
    private readonly evals: EvalStatisticsService,
  ) {}

  /**
   * Runs or queues a compare; `rerunOf` is the eval that it runs again. @throws ApiError rate_limited, and as
   * `CompareService.compare` and `RunsService.enqueue` do, with nothing sent
   */
  async respond(body: CompareRequest, exchange: CompareExchange, rerunOf?: string): Promise<void> {
    const { request, reply, include } = exchange;
    const preferences = preferencesOf(request.headers);
    const isStream = prefers(request, 'text/event-stream');
    const isAsync = preferences.isAsync && !isStream;
    const command = {
      ...body.toCommand(joinHeader(request.headers['idempotency-key']), isAsync ? ASYNC_SAMPLE_LIMITS : SAMPLE_LIMITS),
      rerunOf,
    };
    if (isAsync) return this.runs.respond(command, preferences, exchange);
    if (isStream)
      return (
        this.streams.resume(command, exchange) ??
        this.streams.send((onEvent) => this.compareInSlot(request, command, { onEvent, isStreamed: true }), exchange)
      );
    const { stored, isReplay } = await this.compareInSlot(request, command, {
      isStreamed: include.details === true || include.statistics === true,
    });
    if (isReplay) reply.header('idempotency-replayed', 'true');
    requestFactsOf(request).evalId = stored.record.id;
    if (command.isStored !== false) reply.header('location', `/api/v1/evals/${stored.record.id}`);
    void reply.send(await this.evals.present(stored, include));
  }

  /**
   * Runs a compare in a slot of its key. The slot is free before the answer is sent, so that the next request of the
   * caller finds it.
   */
  private async compareInSlot(
    request: AuthenticatedRequest,
    command: CompareCommand,
    context: CompareContext,
  ): Promise<CompareOutcome> {
    await using _slot = await this.concurrency.acquire(request.caller.keyId);
    using _silence = context.onEvent === undefined ? allowLongSilence(request, command.samples) : undefined;
    return await this.compares.compare(request.caller, command, { ...context, requestId: request.id });
  }
}

function joinHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
