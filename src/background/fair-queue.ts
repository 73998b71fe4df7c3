/**
 * Runs one task in each turn of the event loop. When a hundred responses arrive at the same instant, they would otherwise all be read before anything
 * else runs: the first compare of a burst would wait for the events of the last, and then again for its own row in the database.
 */
export class FairQueue {
  private readonly waiting: (() => void)[] = [];

  /** Runs the task after all that are queued already; in the next turn of the event loop when none is. */
  enqueue(task: () => void): void {
    if (this.waiting.push(task) === 1) setImmediate(this.next);
  }

  private readonly next = (): void => {
    const task = this.waiting.shift();
    if (this.waiting.length > 0) setImmediate(this.next);
    task?.();
  };
}
