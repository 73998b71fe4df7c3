import type { ErrorCode } from '../../common/errors';

/** What is left of an error when nobody waits for the answer: the error body without the id of a request. */
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

/** What a run is to do, as it is kept until it ends: the members of a body of POST /compare, and the eval that it runs again, if any. */
export interface RunOrder {
  request: object;
  rerunOf?: string;
}

/** A claimed run with all that is needed to run it. */
export interface ClaimedRun extends RunClaim {
  userId: string;
  keyId: string;
  order: RunOrder;
  /** How often it was begun anew because a lease had run out or the service could not complete it. */
  retries: number;
}

/** Thrown where a run may no longer be changed, because another process has claimed it since or it was given back. */
export class LeaseLostError extends Error {
  constructor({ runId, fence }: RunClaim) {
    super(`The lease ${fence} of ${runId} is lost.`);
    this.name = 'LeaseLostError';
  }
}
