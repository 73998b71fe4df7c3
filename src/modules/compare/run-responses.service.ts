import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { EvalStatisticsService } from '../analysis/eval-statistics.service';
import { ApiError } from '../../common/errors';
import { AdmissionService } from '../execution/admission.service';
import type { CompareCommand } from '../execution/compare.types';
import { preferenceApplied, type Preferences } from '../../platform/http/prefer';
import { ConcurrencyLimiterService } from '../../platform/rate-limiting/concurrency-limiter.service';
import { JobWorkerService } from '../runs/job-worker.service';
import { isUnfinished } from '../runs/job.entity';
import type { JobError, JobRecord } from '../runs/job.types';
import { AcceptedRunDto } from '../runs/runs.dto';
import { RunsService } from '../runs/runs.service';
import type { CompareExchange } from './compare-exchange';

const RETRY_AFTER_SECONDS = 2;

/** Answers requests for background compares. */
@Injectable()
export class RunResponsesService {
  constructor(
    private readonly runs: RunsService,
    private readonly worker: JobWorkerService,
    private readonly admission: AdmissionService,
    private readonly concurrency: ConcurrencyLimiterService,
    private readonly evals: EvalStatisticsService,
  ) {}

  /**
   * Queues a compare and answers 202 with its run. If the run ends within the time that the caller waits, the answer is
   * that of a compare without a queue.
   */
  async respond(command: CompareCommand, preferences: Preferences, exchange: CompareExchange): Promise<void> {
    // A waiting request counts like a running compare.
    await using _slot =
      preferences.waitSeconds > 0 ? await this.concurrency.acquire(exchange.request.caller.keyId) : undefined;
    const {
      request: {
        caller,
        raw: { socket },
      },
      reply,
      include,
    } = exchange;
    const queued = await this.runs.enqueue(caller, command);
    if ('stored' in queued) {
      reply.header('idempotency-replayed', 'true').header('location', `/api/v1/evals/${queued.stored.record.id}`);
      return void reply.send(await this.evals.present(queued.stored, include));
    }
    if (queued.isReplay) reply.header('idempotency-replayed', 'true');
    reply.header('preference-applied', preferenceApplied(preferences));
    // A client that has closed its sending half may still read, or be gone; only a write shows which. It gets the
    // current run, so that it does not keep a slot of its key.
    const run = await this.worker.waitFor(
      caller,
      queued.run,
      preferences.waitSeconds,
      () => !reply.raw.destroyed && !socket.readableEnded,
    );
    if (preferences.waitSeconds === 0 || isUnfinished(run)) return accept(run, reply);
    return await this.respondAsEnded(run, exchange);
  }

  private async respondAsEnded(
    run: JobRecord,
    { request: { caller }, reply, include }: CompareExchange,
  ): Promise<void> {
    if (run.error !== null) throw errorOf(run.error as JobError);
    if (run.state !== 'succeeded') return accept(run, reply);
    const stored = await this.admission.getReplay(caller, run.evalId);
    reply.header('location', `/api/v1/evals/${run.evalId}`);
    void reply.send(await this.evals.present(stored, include));
  }
}

function accept(run: JobRecord, reply: FastifyReply): void {
  reply.status(202).header('location', `/api/v1/runs/${run.id}`);
  if (isUnfinished(run)) reply.header('retry-after', RETRY_AFTER_SECONDS);
  void reply.send(AcceptedRunDto.from(run));
}

function errorOf({ code, message, param, details }: JobError): ApiError {
  return new ApiError(code, { message, ...(param !== undefined && { param }), details });
}
