import { ApiError } from '../common/errors';

const MAX_RUNNING = 3;
const MAX_A_DAY = 100;

/** The numbers of a user's experiments that run, and that were started within 24 hours. */
export interface StartedExperiments {
  running: number;
  today: number;
}

/** Refuses a further running experiment of a user; with `goesOn`, it was started before. @throws ApiError rate_limited */
export function refuseTooMany({ running, today }: StartedExperiments, goesOn = false): void {
  if (running >= MAX_RUNNING) throw new ApiError('rate_limited', { message: `${MAX_RUNNING} experiments of this user run already; wait until one ends, or pause one.`, retryAfterSeconds: 60 });
  if (!goesOn && today >= MAX_A_DAY) throw new ApiError('rate_limited', { message: `This user has started ${MAX_A_DAY} experiments within 24 hours.`, retryAfterSeconds: 3600 });
}
