import type { ReservationAttempt } from '../../billing/reservation.types';
import type { Transaction } from '../../../platform/database/transaction';
import type { StoredEval } from '../../evals/evals.service';
import { LockLostError, type JobLock } from '../../execution/job-lock';
import { reservationOf } from '../../runs/job-reservation';
import type { ClaimedWork } from '../../runs/work-source';
import type { Experiment } from '../experiment.entity';
import type { ScheduledRow, RowClaim, RowTexts } from '../experiment.types';

/** The experiment of a row at the time of the schedule. */
export type RowOwner = Pick<Experiment, 'userId' | 'keyId' | 'spec' | 'state' | 'parallel'>;

/** Ends a row with its eval; false if the lease is lost. */
export type EndRow = (row: ClaimedRow, stored: StoredEval, tx?: Transaction) => Promise<boolean>;

/** A row that this process has claimed, and the lock of its eval. */
export class ClaimedRow implements ClaimedWork, JobLock {
  readonly id: string;
  readonly userId: string;
  readonly keyId: string;
  readonly retries: number;
  /** Named like a run in logs and traces: the eval, which no other row has. */
  readonly runId: string;
  readonly evalId: string;
  readonly createdAt: Date;
  fence: number;
  /** True if its experiment has finished with it. */
  isLast = false;

  constructor(
    readonly row: ScheduledRow,
    readonly texts: RowTexts,
    readonly owner: RowOwner,
    private readonly end: EndRow,
  ) {
    this.id = `${row.experimentId}/${row.rowNo}/${row.attempt}`;
    ({ userId: this.userId, keyId: this.keyId } = owner);
    this.runId = this.evalId = row.evalId;
    ({ createdAt: this.createdAt, fence: this.fence, retries: this.retries } = row);
  }

  get claim(): RowClaim {
    const { experimentId, rowNo, attempt } = this.row;
    return { experimentId, rowNo, attempt, fence: this.fence };
  }

  get reservation(): ReservationAttempt {
    return reservationOf(this);
  }

  async markSucceeded(tx: Transaction, stored: StoredEval): Promise<void> {
    if (!(await this.end(this, stored, tx))) throw new LockLostError(this);
  }

  async markStored(stored: StoredEval): Promise<void> {
    await this.end(this, stored);
  }
}
