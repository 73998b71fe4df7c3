import type { ReservationAttempt } from '../billing/reservation.types';
import type { Transaction } from '../../platform/database/transaction';
import type { StoredEval } from '../evals/evals.service';

/**
 * The lock of a background job, held by this process while it runs the job. The eval is stored only while the lock is
 * held.
 */
export interface JobLock {
  runId: string;
  /** The id that the eval has had since the job was queued. */
  evalId: string;
  /** When the job was queued, which is when its eval was created. */
  createdAt: Date;
  /**
   * The fencing token: the number of times the job was claimed. A process that lost the lock has a smaller one, and
   * every change of the job compares it.
   */
  fence: number;
  /** The reservation of this attempt, and reservations that earlier attempts may have left. */
  reservation: ReservationAttempt;
  /** Marks the job as succeeded in the transaction that stores its eval. @throws LockLostError */
  markSucceeded(tx: Transaction, stored: StoredEval): Promise<void>;
  /** Marks the job as succeeded if its eval is already stored. Does nothing if the lock is lost. */
  markStored(stored: StoredEval): Promise<void>;
}

/** Thrown if another process has claimed the job since, or it was requeued. */
export class LockLostError extends Error {
  constructor({ runId, fence }: Pick<JobLock, 'runId' | 'fence'>) {
    super(`The lease ${fence} of ${runId} is lost.`);
    this.name = 'LockLostError';
  }
}
