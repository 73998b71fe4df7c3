import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest } from '../../auth/auth.decorators';
import { ApiError } from '../../common/errors';
import { EvalStatisticsService } from '../../analysis/eval-statistics.service';
import type { Inclusions } from '../../http/include.dto';
import { preferenceApplied, type Preferences } from '../../http/prefer';
import { ConcurrencyLimiterService } from '../../rate-limiting/concurrency-limiter.service';
import type { CompareCommand } from '../compare.types';
import { ReplaysService } from './replays.service';
import { RunQueueService } from './run-queue.service';
import { RunWaitService } from './run-wait.service';
import { isUnfinished } from './run.entity';
import type { RunError, RunOrder } from './run.types';
import { AcceptedRunDto } from './runs.dto';
import type { RunRecord } from './runs.repository';

/** A request that a compare answers, and what of the eval it wants to see. */
export interface CompareExchange {
  request: AuthenticatedRequest;
  reply: FastifyReply;
  include: Inclusions;
}

/** A compare that is to be queued. */
export interface QueuedCompare {
  command: CompareCommand;
  order: RunOrder;
  preferences: Preferences;
}

const RETRY_AFTER_SECONDS = 2;

/** Answers requests for background compares. */
@Injectable()
export class RunResponsesService {
  constructor(
    private readonly queue: RunQueueService,
    private readonly waits: RunWaitService,
    private readonly replays: ReplaysService,
    private readonly concurrency: ConcurrencyLimiterService,
    private readonly evals: EvalStatisticsService,
  ) {}

  /** Queues a compare and answers 202 with its run; or, when it has ended within the time that the caller wants to wait, what it would have been answered without a queue. */
  async respond(compare: QueuedCompare, exchange: CompareExchange): Promise<void> {
    // A waiting request counts like a running compare.
    if (compare.preferences.waitSeconds === 0) return this.queueAndRespond(compare, exchange);
    return this.concurrency.run(exchange.request.caller.keyId, () => this.queueAndRespond(compare, exchange));
  }

  private async queueAndRespond({ command, order, preferences }: QueuedCompare, exchange: CompareExchange): Promise<void> {
    const { request: { caller, raw: { socket } }, reply, include } = exchange;
    const queued = await this.queue.enqueue(caller, command, order);
    if ('stored' in queued) {
      reply.header('idempotency-replayed', 'true').header('location', `/api/v1/evals/${queued.stored.record.id}`);
      return void reply.send(await this.evals.present(queued.stored, include));
    }
    if (queued.isReplay) reply.header('idempotency-replayed', 'true');
    reply.header('preference-applied', preferenceApplied(preferences));
    // A client that has closed its sending half may still read, or be gone; only a write shows which. It gets the current run, so that it does not keep a slot of its key.
    const run = await this.waits.waitFor(caller, queued.run, preferences.waitSeconds, () => !reply.raw.destroyed && !socket.readableEnded);
    if (preferences.waitSeconds === 0 || isUnfinished(run)) return accept(run, reply);
    return this.respondAsEnded(run, exchange);
  }

  private async respondAsEnded(run: RunRecord, { request: { caller }, reply, include }: CompareExchange): Promise<void> {
    if (run.error !== null) throw errorOf(run.error as RunError);
    if (run.state !== 'succeeded') return accept(run, reply);
    const stored = await this.replays.get(caller, run.evalId);
    reply.header('location', `/api/v1/evals/${run.evalId}`);
    void reply.send(await this.evals.present(stored, include));
  }
}

function accept(run: RunRecord, reply: FastifyReply): void {
  reply.status(202).header('location', `/api/v1/runs/${run.id}`);
  if (isUnfinished(run)) reply.header('retry-after', RETRY_AFTER_SECONDS);
  void reply.send(AcceptedRunDto.from(run));
}

function errorOf({ code, message, param, details }: RunError): ApiError {
  return new ApiError(code, { message, ...(param !== undefined && { param }), details });
}
