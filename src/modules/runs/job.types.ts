import type { ErrorCode } from '../../common/errors';
import type { Job } from './job.entity';

/** The stored error of a background run: the error body without the id of a request. */
export interface JobError {
  code: ErrorCode;
  message: string;
  param?: string;
  details?: unknown;
}

/** The public part of a job. */
export type JobRecord = Pick<
  Job,
  'id' | 'keyId' | 'evalId' | 'state' | 'error' | 'createdAt' | 'startedAt' | 'finishedAt'
>;

/** A job with this claim of it. */
export interface JobClaim {
  runId: string;
  fence: number;
}

/** The row of a job that this process has claimed. */
export interface ClaimedRun extends JobClaim {
  evalId: string;
  /** When the job was queued, which is when its eval was created. */
  createdAt: Date;
  userId: string;
  keyId: string;
  /** The column `body`; `readCommand` reads it. */
  body: unknown;
  /** The number of restarts because a lease expired or the service could not complete the job. */
  retries: number;
}
