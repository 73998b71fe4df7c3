const remaining: (() => unknown)[] = [];
let isOver = false;

/**
 * Registers how something that a test file has started is ended, should the test itself not get that far; must do no
 * harm a second time.
 */
export function endAfterTests(end: () => unknown): void {
  // A test whose time is over goes on by itself, and may start something yet.
  if (isOver) void Promise.resolve().then(end);
  else remaining.push(end);
}

/** Makes a function that does its work on the first call only, and registers it. */
export function endOnce(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  const once = () => (ended ??= end());
  endAfterTests(once);
  return once;
}

/** Ends everything that is left, what was started last first. */
export async function endAll(): Promise<void> {
  isOver = true;
  const failures: unknown[] = [];
  for (const end of remaining.splice(0).reverse()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be ended.');
}
