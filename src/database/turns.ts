/** Takes turns: at most so many at a time, the others in the order in which they came. */
export class Turns {
  private readonly queue = new Set<() => void>();
  private taken = 0;

  constructor(private readonly limit: () => number) {}

  /** How many wait. */
  get waiting(): number {
    return this.queue.size;
  }

  /** Calls `begin` as soon as it is its turn; gives what takes it out of the queue again. */
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

  /** Begins as many of those that wait as the limit allows; to be called when it has changed. */
  next(): void {
    for (const begin of this.queue) {
      if (this.taken >= this.limit()) return;
      this.queue.delete(begin);
      this.taken += 1;
      begin();
    }
  }
}
