import { setImmediate } from 'node:timers/promises';

/** Runs a computation that yields between its steps, and lets other requests have their turn after each of them. @returns what the computation returns */
export async function inSteps<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await setImmediate();
  }
}
