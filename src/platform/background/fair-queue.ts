import { Clock } from '../../common/clock';

const TURN_MS = 1;

/**
 * Runs tasks for about a millisecond in each turn of the event loop. When a hundred responses arrive at the same
 * instant, they would otherwise all be read before anything
 * else runs: the first compare of a burst would wait for the events of the last, and then again for its own row in the
 * database.
 */
export class FairQueue {
  private readonly waiting: (() => void)[] = [];
  private isScheduled = false;

  constructor(private readonly clock = new Clock()) {}

  /** Runs the task after all that are queued already, at the earliest in the next turn of the event loop. */
  enqueue(task: () => void): void {
    this.waiting.push(task);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return;
    this.isScheduled = true;
    setImmediate(this.runTurn);
  }

  private readonly runTurn = (): void => {
    const endMs = this.clock.monotonicMs() + TURN_MS;
    try {
      do this.waiting.shift()?.();
      while (this.waiting.length > 0 && this.clock.monotonicMs() < endMs);
    } finally {
      this.isScheduled = false;
      this.schedule();
    }
  };
}
