import type { PoolClient } from 'pg';
import { NO_CONNECTION } from '../../common/is-database-unavailable';
import type { Connect } from './connect';

/** A queue of work that begins in its order, up to a limit at the same time. */
export class Turns {
  private readonly queue = new Set<() => void>();
  private readonly held = new Set<PoolClient>();
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

  /** Done when the turn has come. @throws Error NO_CONNECTION after `waitMs`; 0 is no limit */
  begin(waitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = () => {
      leave();
      reject(new Error(NO_CONNECTION));
    };
    const timer = waitMs > 0 ? setTimeout(refuse, waitMs) : undefined;
    const leave = this.take(() => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  }

  /** Connects in a turn that has begun, and ends with a failure or the release of the connection. */
  async hold(connect: Connect): Promise<PoolClient> {
    try {
      const client = await connect();
      this.held.add(client);
      return client;
    } catch (error) {
      // Later, when the refusal has changed the limit: the next one would be refused as well.
      setImmediate(() => this.end());
      throw error;
    }
  }

  /** Ends the turn of a connection, if it has one. */
  release(client: PoolClient): void {
    // Later, when the connection is free: the next one would make another.
    if (this.held.delete(client)) queueMicrotask(() => this.end());
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
