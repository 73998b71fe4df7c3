import type { Clock } from '../../common/clock';
import { isDatabaseUnavailable } from '../../common/is-database-unavailable';
import { unlessRefused, type Connect } from './connect';

const PROBE_INTERVAL_MS = 100;

interface OutageOptions {
  /** How long an outage is waited for, and how long a request waits at most. */
  timeoutMs: number;
  /** Tries a connection for all that wait. */
  probe: Connect;
  /** True when the pool ends, so that nothing is waited for. */
  isEnding: () => boolean;
}

/**
 * While the database is unreachable, requests for a connection wait for its return, up to `timeoutMs` from the first
 * refusal on; one connection is tried meanwhile, not one for each waiting request. An outage that lasts longer refuses
 * at once.
 */
export class Outage {
  /** First and last refusal of this outage, on the monotonic clock. */
  private refusals: { firstMs: number; lastMs: number } | undefined;
  private probing: Promise<void> | undefined;
  private deferred = 0;

  constructor(
    private readonly options: OutageOptions,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  /** Requests that wait for the database to return. */
  get waiting(): number {
    return this.deferred;
  }

  /** True while the return of the database is awaited. */
  get isAwaited(): boolean {
    return this.probing !== undefined;
  }

  /** Ends this outage: the database was reached. */
  end(): void {
    this.refusals = undefined;
  }

  /** Connects, and again after an outage that is short. */
  waitedOut(connect: Connect): Connect {
    return async () => {
      const begunMs = this.clock.monotonicMs();
      try {
        return await connect();
      } catch (refusal) {
        if (!this.mayPass(refusal, begunMs)) throw refusal;
        const late = Promise.withResolvers<never>();
        const timer = setTimeout(() => late.reject(refusal), this.options.timeoutMs - this.msSince(begunMs));
        return await unlessRefused(this.reconnect(connect, refusal, begunMs), late.promise).finally(() =>
          clearTimeout(timer),
        );
      }
    };
  }

  private async reconnect(connect: Connect, refusal: unknown, begunMs: number): ReturnType<Connect> {
    await this.databaseReturns();
    if (this.msSince(begunMs) >= this.options.timeoutMs) throw refusal;
    try {
      return await connect();
    } catch (error) {
      if (!this.mayPass(error, begunMs)) throw error;
      return this.reconnect(connect, error, begunMs);
    }
  }

  /** True if waiting for the end of the cause of a refused connection is worthwhile. */
  private mayPass(refusal: unknown, begunMs: number): boolean {
    const { timeoutMs, isEnding } = this.options;
    if (isEnding() || this.msSince(begunMs) >= timeoutMs || !isDatabaseUnavailable(refusal)) return false;
    const nowMs = this.clock.monotonicMs();
    // Long after the last refusal, this one begins another outage.
    if (this.refusals === undefined || nowMs - this.refusals.lastMs >= timeoutMs)
      this.refusals = { firstMs: nowMs, lastMs: nowMs };
    this.refusals.lastMs = nowMs;
    return nowMs - this.refusals.firstMs < timeoutMs;
  }

  private msSince(instantMs: number): number {
    return this.clock.monotonicMs() - instantMs;
  }

  /** Done when the database answers again, or when it is no longer waited for. */
  private async databaseReturns(): Promise<void> {
    this.probing ??= this.probeUntilReached().finally(() => {
      this.probing = undefined;
    });
    this.deferred += 1;
    await this.probing;
    this.deferred -= 1;
  }

  private async probeUntilReached(): Promise<void> {
    const begunMs = this.clock.monotonicMs();
    do await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS));
    while (await this.isUnreachable(begunMs));
  }

  private async isUnreachable(begunMs: number): Promise<boolean> {
    try {
      (await this.options.probe()).release();
      return false;
    } catch (error) {
      return this.mayPass(error, begunMs);
    }
  }
}
