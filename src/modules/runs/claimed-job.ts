import type { ReservationAttempt } from '../billing/reservation.types';
import { LockLostError, type JobLock } from '../execution/job-lock';
import type { Transaction } from '../../platform/database/transaction';
import { reservationOf } from './job-reservation';
import type { ClaimedRun } from './job.types';
import type { JobsRepository } from './jobs.repository';
import type { ClaimedWork } from './work-source';

/** A job that this process has claimed, and its lock. */
export class ClaimedJob implements JobLock, ClaimedWork {
  readonly runId: string;
  readonly evalId: string;
  readonly createdAt: Date;
  readonly userId: string;
  readonly keyId: string;
  readonly body: unknown;
  readonly retries: number;
  fence: number;

  constructor(
    row: ClaimedRun,
    private readonly jobs: Pick<JobsRepository, 'markSucceeded'>,
  ) {
    ({
      runId: this.runId,
      evalId: this.evalId,
      createdAt: this.createdAt,
      userId: this.userId,
      keyId: this.keyId,
      body: this.body,
      retries: this.retries,
      fence: this.fence,
    } = row);
  }

  get id(): string {
    return this.runId;
  }

  get reservation(): ReservationAttempt {
    return reservationOf(this);
  }

  async markSucceeded(tx: Transaction): Promise<void> {
    if (!(await this.jobs.markSucceeded(this, tx))) throw new LockLostError(this);
  }

  async markStored(): Promise<void> {
    await this.jobs.markSucceeded(this);
  }
}
