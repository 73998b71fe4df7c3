import type { ErrorCode } from '../../common/errors';

/** The stored error of a background run: the error body without the id of a request. */
export interface RunError {
  code: ErrorCode;
  message: string;
  param?: string;
  details?: unknown;
}

/** A run that this process has claimed. Its fence says which claim this is: a process that lost its lease has an older one. */
export interface RunClaim {
  runId: string;
  evalId: string;
  /** When the run was queued, which is when its eval was created. */
  createdAt: Date;
  fence: number;
}

/** The request of a run, stored until it ends: the members of a body of POST /compare, and the eval that it runs again, if any. */
export interface RunOrder {
  request: object;
  rerunOf?: string;
}

/** A claimed run with all that is needed to run it. */
export interface ClaimedRun extends RunClaim {
  userId: string;
  keyId: string;
  order: RunOrder;
  /** The number of restarts because a lease expired or the service could not complete it. */
  retries: number;
}

/** Thrown if a run may no longer be changed, because another process has claimed it since or it was requeued. */
export class LeaseLostError extends Error {
  constructor({ runId, fence }: RunClaim) {
    super(`The lease ${fence} of ${runId} is lost.`);
    this.name = 'LeaseLostError';
  }
}
