/** A computation in steps of a few milliseconds, so that its caller can pause in between. */
export type Steps<T> = Generator<undefined, T>;

/** Takes all steps at once: for short computations. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
