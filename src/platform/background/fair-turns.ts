import type { Clock } from '../../common/clock';

/** The share of work that somebody waits for and that cannot be asked for again: it is always next. */
export const URGENT_SHARE = 'urgent';

/** A piece of work did not get its turn: too much of its share waits already, or it waited too long. */
export class BusyError extends Error {}

interface Share {
  waiting: (() => void)[];
  isRunning: boolean;
  /** Milliseconds that count as used. */
  usedMs: number;
}

/**
 * Runs work of several shares, such as users: at most `maxRunning` pieces at the same time, and one of each share. Next
 * is the oldest piece of the share with the
 * least used time. A new share starts with the time of the last one served, so that it neither waits for the past nor
 * profits from it.
 */
export class FairTurns {
  private readonly shares = new Map<string, Share>();
  private running = 0;
  private servedMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly limits: { maxRunning: number; maxWaitingOfShare: number },
  ) {}

  /** Runs the work when it is its turn. @throws BusyError */
  async run<T>(key: string, work: () => Promise<T>, maxWaitMs?: number): Promise<T> {
    const share = this.shares.get(key) ?? {
      waiting: [],
      isRunning: false,
      usedMs: key === URGENT_SHARE ? -Infinity : this.servedMs,
    };
    this.shares.set(key, share);
    if (this.running < this.limits.maxRunning && !share.isRunning) this.begin(share);
    else await this.turnOf(share, maxWaitMs);
    const startedMs = this.clock.monotonicMs();
    try {
      return await work();
    } finally {
      share.usedMs += this.clock.monotonicMs() - startedMs;
      share.isRunning = false;
      this.running -= 1;
      this.beginNext();
    }
  }

  private async turnOf(share: Share, maxWaitMs: number | undefined): Promise<void> {
    if (share.waiting.length >= this.limits.maxWaitingOfShare)
      throw new BusyError('Too much of this share is waiting.');
    const turn = Promise.withResolvers<void>();
    share.waiting.push(turn.resolve);
    const timer =
      maxWaitMs === undefined
        ? undefined
        : setTimeout(() => {
            share.waiting = share.waiting.filter((resolve) => resolve !== turn.resolve);
            turn.reject(new BusyError('Its turn did not come in time.'));
          }, maxWaitMs);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  private begin(share: Share): void {
    this.running += 1;
    share.isRunning = true;
    this.servedMs = Math.max(this.servedMs, share.usedMs);
  }

  private beginNext(): void {
    const next = this.nextShare();
    const start = next?.waiting.shift();
    if (next !== undefined && start !== undefined) {
      this.begin(next);
      start();
    }
    this.forgetIdle();
  }

  private nextShare(): Share | undefined {
    let next: Share | undefined;
    for (const share of this.shares.values())
      if (share.waiting.length > 0 && !share.isRunning && (next === undefined || share.usedMs < next.usedMs))
        next = share;
    return next;
  }

  /** A share without work that is not ahead of the others starts over the next time. */
  private forgetIdle(): void {
    for (const [key, { waiting, isRunning, usedMs }] of this.shares) {
      if (waiting.length === 0 && !isRunning && (this.running === 0 || usedMs <= this.servedMs))
        this.shares.delete(key);
    }
  }
}
