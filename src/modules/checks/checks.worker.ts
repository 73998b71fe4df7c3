import { doTask } from './threaded-checks';

/** Does a task of the checks, in a thread: a pattern may take seconds. */
export const run = doTask;
