import type { Connect } from './connect';

/** How long a database that had no connection left is not asked for one more. */
const FULL_MS = 1000;
/** SQLSTATE too_many_connections. */
const FULL = '53300';

interface CapacityOptions {
  /** The most connections that the process may have. */
  max: number;
  /** False if a request has no deadline: it could wait forever for a connection that the same work holds. */
  mayWait: boolean;
  /** Called when `size` may have changed. */
  onChange: () => void;
}

/**
 * How many connections may be in use. While the database has none left, a process shares its existing connections, as
 * if `max` were their number, and tries one more every second.
 */
export class Capacity {
  /** Connections that were given up and still work. */
  private aside = 0;
  /** The number of open connections. */
  private established = 0;
  /** How many connections the database lets this process have, as far as it knows. */
  private available = Infinity;
  private growth: NodeJS.Timeout | undefined;

  constructor(private readonly options: CapacityOptions) {}

  /** How many connections may be in use now. */
  get size(): number {
    return Math.max(0, Math.min(this.options.max - this.aside, this.available));
  }

  /** Counts a new connection: the database has some left. */
  opened(): void {
    this.established += 1;
    this.setAvailable(Infinity);
  }

  /** Counts a connection that has ended. */
  closed(): void {
    this.established -= 1;
  }

  /** Reduces the pool by `count` connections. */
  setAside(count: number): void {
    this.aside = count;
    this.options.onChange();
  }

  /** Connects, or shares the connections that there are if the database has none left. */
  shared(connect: Connect): Connect {
    return async () => {
      try {
        return await connect();
      } catch (error) {
        if (!this.isReached(error)) throw error;
      }
      return connect();
    };
  }

  /** True if the existing connections are all that this process shares from now on. */
  private isReached(error: unknown): boolean {
    if ((error as { code?: unknown }).code !== FULL || this.established === 0 || !this.options.mayWait) return false;
    this.setAvailable(this.established);
    clearTimeout(this.growth);
    this.growth = setTimeout(() => this.setAvailable(this.established + 1), FULL_MS).unref();
    return true;
  }

  private setAvailable(available: number): void {
    this.available = available;
    this.options.onChange();
  }
}
