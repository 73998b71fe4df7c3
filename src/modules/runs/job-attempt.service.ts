import { Injectable } from '@nestjs/common';
import { ERRORS, type ApiError } from '../../common/errors';
import { urgently } from '../../platform/database/urgency';
import { Metrics } from '../../platform/observability/metrics';
import { AuthService } from '../auth/auth.service';
import { BillingService } from '../billing/billing.service';
import { CompareService } from '../execution/compare.service';
import { LockLostError } from '../execution/job-lock';
import { AttemptService, MAX_RETRIES, type Requeue } from './attempt.service';
import type { ClaimedJob } from './claimed-job';
import { readCommand } from './job-command';
import type { JobError } from './job.types';
import { JobsRepository } from './jobs.repository';

/** Attempts of claimed jobs. */
@Injectable()
export class JobAttemptService extends AttemptService<ClaimedJob> {
  constructor(
    private readonly jobs: JobsRepository,
    private readonly billing: BillingService,
    private readonly compares: CompareService,
    auth: AuthService,
    metrics: Metrics,
  ) {
    super(auth, metrics.runs, {
      kind: 'run',
      scope: 'compare',
      key: 'of this run',
      consequence: ' before it began; nothing was charged',
    });
  }

  protected async compare(job: ClaimedJob): Promise<string> {
    await this.compares.compare(await this.callerOf(job), readCommand(job.body), { lock: job, isStreamed: true });
    return 'succeeded';
  }

  protected async requeue(job: ClaimedJob, _: ApiError, requeue: Requeue | undefined): Promise<string | undefined> {
    if (requeue === undefined || job.retries === MAX_RETRIES) return undefined;
    await this.jobs.requeue([job], requeue.afterSeconds, requeue.countsAsRetry);
    return 'requeued';
  }

  /** The Idempotency-Key of the job stands for no eval any more. */
  protected async fail(job: ClaimedJob, error: ApiError): Promise<void> {
    await urgently(() =>
      this.jobs.inTransaction(async (tx) => {
        const failed = await this.jobs.fail(tx, job, storedError(error));
        if (failed === undefined) throw new LockLostError(job);
        if (failed.idempotencyKey !== null)
          await this.billing.revokeAnnouncement(tx, failed.userId, failed.idempotencyKey, failed.evalId);
      }),
    );
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
