import { Injectable, Logger } from '@nestjs/common';
import { AuthService } from '../auth/auth.service';
import type { Caller } from '../auth/caller';
import { hasScope } from '../auth/scopes';
import { BillingService } from '../billing/billing.service';
import { ApiError, ERRORS } from '../../common/errors';
import { urgently } from '../../platform/database/urgency';
import { CompareService } from '../execution/compare.service';
import { LockLostError } from '../execution/job-lock';
import { toApiError } from '../../common/to-api-error';
import { Metrics } from '../../platform/observability/metrics';
import type { ClaimedJob } from './claimed-job';
import { readCommand } from './job-command';
import type { JobError } from './job.types';
import { JobsRepository } from './jobs.repository';

/** A job that was started this often without an end is not started again: it may be the cause of the crashes. */
const MAX_RETRIES = 10;
const MAX_BACKOFF_SECONDS = 60;
/** The job can be tried again. */
const TRANSIENT: ReadonlySet<string> = new Set(['unavailable', 'overloaded']);

/** Runs one attempt of a claimed job. It ends with an eval, with an error, or back in the queue. */
@Injectable()
export class JobAttemptService {
  private readonly log = new Logger(JobAttemptService.name);

  constructor(
    private readonly jobs: JobsRepository,
    private readonly billing: BillingService,
    private readonly compare: CompareService,
    private readonly auth: AuthService,
    private readonly metrics: Metrics,
  ) {}

  /** Runs a claimed job. Never throws: if its end cannot be stored, its lease expires. */
  async run(job: ClaimedJob, isStopping: () => boolean): Promise<void> {
    try {
      this.metrics.runs.inc({ outcome: await this.attempt(job, isStopping) });
    } catch (error) {
      if (error instanceof LockLostError) this.metrics.runs.inc({ outcome: 'lost' });
      else
        this.log.warn(
          `The result of ${job.runId} cannot be stored now; the run repeats when its lease expires: ${String(error)}`,
        );
    }
  }

  private async attempt(job: ClaimedJob, isStopping: () => boolean): Promise<string> {
    try {
      if (job.retries > MAX_RETRIES)
        throw new ApiError('internal_error', {
          message: `The run was begun ${MAX_RETRIES} times and never came to an end; nothing was charged.`,
        });
      await this.compare.run(await this.callerOf(job), readCommand(job.body), { lock: job, isStreamed: true });
      return 'succeeded';
    } catch (thrown) {
      if (thrown instanceof LockLostError) throw thrown;
      const error = toApiError(thrown);
      if (!TRANSIENT.has(error.code) || job.retries === MAX_RETRIES) return this.fail(job, error, thrown);
      const isStopped = isStopping();
      await this.jobs.requeue([job], isStopped ? 0 : Math.min(2 ** job.retries, MAX_BACKOFF_SECONDS), !isStopped);
      return 'given_back';
    }
  }

  /** Ends a job without an eval; its Idempotency-Key stands for no eval any more. @throws LockLostError */
  private async fail(job: ClaimedJob, error: ApiError, thrown: unknown): Promise<string> {
    if (error.status >= 500 && error.code !== 'all_models_failed')
      this.log.error({ runId: job.runId, err: error.cause ?? thrown, msg: 'run failed' });
    await urgently(() =>
      this.jobs.inTransaction(async (tx) => {
        const failed = await this.jobs.fail(tx, job, storedError(error));
        if (failed === undefined) throw new LockLostError(job);
        if (failed.idempotencyKey !== null)
          await this.billing.revokeAnnouncement(tx, failed.userId, failed.idempotencyKey, failed.evalId);
      }),
    );
    return 'failed';
  }

  /**
   * The current state of the caller: the scopes of a key can have changed since. @throws ApiError unauthorized,
   * insufficient_scope
   */
  private async callerOf({ keyId }: ClaimedJob): Promise<Caller> {
    const caller = await this.auth.findCaller(keyId);
    if (caller === undefined)
      throw new ApiError('unauthorized', {
        message: 'The API key of this run was revoked or has expired before it began; nothing was charged.',
      });
    if (!hasScope(caller.scopes, 'compare'))
      throw new ApiError('insufficient_scope', {
        message: 'The API key of this run lost the scope `compare` before it began; nothing was charged.',
      });
    return caller;
  }
}

function storedError({ code, message, param, details }: ApiError): JobError {
  // The sentence asks for the id of a request, and there is none.
  const sentence =
    message === ERRORS.internal_error.message
      ? 'Internal error; nothing was charged. Include the run_id when you report it.'
      : message;
  return { code, message: sentence, ...(param !== undefined && { param }), ...(details !== undefined && { details }) };
}
