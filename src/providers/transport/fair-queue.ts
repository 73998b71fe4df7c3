/**
 * Work that is done one piece in each round of the event loop. When a hundred answers come at the same instant, they would otherwise all be read before anything
 * else is looked at: the first compare of a burst would wait for the events of the last, and then again for its own row in the database.
 */
export class FairQueue {
  private readonly waiting: (() => void)[] = [];

  /** Does the work when its turn comes, after all that waits already; in the next round when nothing does. */
  enqueue(work: () => void): void {
    if (this.waiting.push(work) === 1) setImmediate(this.next);
  }

  private readonly next = (): void => {
    const work = this.waiting.shift();
    if (this.waiting.length > 0) setImmediate(this.next);
    work?.();
  };
}
