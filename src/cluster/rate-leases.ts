import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/clock';

/** A lease is at most this part of a limit, so that limits below it are counted one by one. */
const MAX_SHARE = 1 / 50;

/** Asks the primary process for points of a key's window. */
export interface LeaseRequest {
  type: 'lease';
  key: string;
  /** Requests that the key may make in a window. */
  limit: number;
  windowMs: number;
  /** Requests that wait for a point now; granted in any case, as far as the limit goes. */
  wanted: number;
}

/** The grant of the primary process. */
export interface LeaseGrant {
  points: number;
  /** Points that no worker has, after this. */
  left: number;
  /** Milliseconds to the end of the window, where unused points lapse. */
  msLeft: number;
}

/** Sends the other workers the rest of a key's window, so that they never report more. */
export interface RateNotice {
  key: string;
  left: number;
}

/** One request, counted. */
export interface CountedRequest {
  isBlocked: boolean;
  /** Requests that may still follow in the window: never more than in truth, less by what other workers hold unused. */
  left: number;
  msLeft: number;
}

type Monotonic = Pick<Clock, 'monotonicMs'>;

/** Values under keys until the end of their window. */
function windowed<T extends object>(clock: Monotonic): LRUCache<string, T> {
  // The time of each is said with it.
  return new LRUCache<string, T>({ ttl: 1, ttlAutopurge: true, ttlResolution: 0, perf: { now: () => clock.monotonicMs() } });
}

/** In the primary process: the windows of all keys, and what of them was granted to workers. */
export class RateBudgets {
  private readonly windows: LRUCache<string, { granted: number }>;

  constructor(private readonly workers: number, clock: Monotonic) {
    this.windows = windowed(clock);
  }

  /** Grants what is wanted, more while much is left, and never more than is left; the first grant of a key begins its window. */
  grant({ key, limit, windowMs, wanted }: LeaseRequest): LeaseGrant {
    let window = this.windows.get(key);
    if (window === undefined || this.windows.getRemainingTTL(key) <= 0) {
      window = { granted: 0 };
      this.windows.set(key, window, { ttl: windowMs });
    }
    const left = limit - window.granted;
    // The less is left, the smaller the leases: an unused lease of another worker refuses a request too early.
    const lease = Math.floor(Math.min(limit * MAX_SHARE, left / (2 * this.workers)));
    const points = Math.min(left, Math.max(wanted, lease));
    window.granted += points;
    return { points, left: left - points, msLeft: this.windows.getRemainingTTL(key) };
  }
}

/** The line from a worker to the primary process. */
interface Primary {
  request(request: LeaseRequest): Promise<unknown>;
  onRateNotice(listener: (notice: RateNotice) => void): void;
}

/** In a worker: counts requests from points that it has leased, and asks the primary process only when they are used up. */
export class RateLeases {
  private readonly leases: LRUCache<string, { points: number; left: number }>;
  private readonly waiting = new Map<string, number>();
  private readonly renewals = new Map<string, Promise<void>>();

  constructor(private readonly primary: Primary, private readonly clock: Monotonic) {
    this.leases = windowed(clock);
    primary.onRateNotice(({ key, left }) => {
      const lease = this.leases.get(key);
      if (lease !== undefined) lease.left = Math.min(lease.left, left);
    });
  }

  /** Counts a request by what this worker knows; undefined when it has to ask. */
  countLocally(key: string): CountedRequest | undefined {
    const [lease, msLeft] = [this.leases.get(key), this.leases.getRemainingTTL(key)];
    if (lease === undefined || msLeft <= 0 || (lease.points === 0 && lease.left > 0)) return undefined;
    const isBlocked = lease.points === 0;
    if (!isBlocked) lease.points -= 1;
    return { isBlocked, left: lease.points + lease.left, msLeft };
  }

  /** Counts a request, after asking the primary process where that is needed. @throws Error when it does not reply */
  async count(key: string, limit: number, windowMs: number): Promise<CountedRequest> {
    this.waiting.set(key, (this.waiting.get(key) ?? 0) + 1);
    try {
      for (;;) {
        const counted = this.countLocally(key);
        if (counted !== undefined) return counted;
        await (this.renewals.get(key) ?? this.renew(key, limit, windowMs));
      }
    } finally {
      const others = (this.waiting.get(key) ?? 1) - 1;
      if (others > 0) this.waiting.set(key, others);
      else this.waiting.delete(key);
    }
  }

  /** One question for all requests of a key that wait. */
  private renew(key: string, limit: number, windowMs: number): Promise<void> {
    const renewal = this.lease({ type: 'lease', key, limit, windowMs, wanted: this.waiting.get(key) ?? 1 }).finally(() => this.renewals.delete(key));
    this.renewals.set(key, renewal);
    return renewal;
  }

  private async lease(request: LeaseRequest): Promise<void> {
    const sentMs = this.clock.monotonicMs();
    const { points, left, msLeft } = await this.primary.request(request) as LeaseGrant;
    // Counted from the question, so that no point outlives its window.
    const ttl = sentMs + msLeft - this.clock.monotonicMs();
    const lease = this.leases.get(request.key);
    if (lease !== undefined && this.leases.getRemainingTTL(request.key) > 0) {
      lease.points += points;
      lease.left = left;
    } else if (ttl > 0) {
      this.leases.set(request.key, { points, left }, { ttl });
    }
  }
}
