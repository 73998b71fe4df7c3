/** A queue of work that begins in its order, up to a limit at the same time. */
export class Turns {
  private readonly queue = new Set<() => void>();
  private taken = 0;

  constructor(private readonly limit: () => number) {}

  /** How many wait. */
  get waiting(): number {
    return this.queue.size;
  }

  /** Calls `begin` when its turn comes; the result takes it out of the queue. */
  take(begin: () => void): () => void {
    this.queue.add(begin);
    this.next();
    return () => void this.queue.delete(begin);
  }

  /** Ends a turn that has begun. */
  end(): void {
    this.taken -= 1;
    this.next();
  }

  /** Begins waiting work up to the limit; to be called when the limit has changed. */
  next(): void {
    for (const begin of this.queue) {
      if (this.taken >= this.limit()) return;
      this.queue.delete(begin);
      this.taken += 1;
      begin();
    }
  }
}
