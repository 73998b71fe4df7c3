import { LRUCache } from 'lru-cache';
import type { Clock } from '../../common/clock';

const MAX_USERS = 10_000;
const TTL_MS = 5000;

/**
 * How many free evals users had settled in a month when last looked. Believed for a few seconds only, because a
 * restored backup or a failover can make them fewer again;
 * settling checks the month's row in any case.
 */
export class FreeEvalMemory {
  private readonly seen: LRUCache<string, { month: string; count: number }>;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.seen = new LRUCache({
      max: MAX_USERS,
      ttl: TTL_MS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    });
  }

  note(userId: string, month: string, count: number): void {
    this.seen.set(userId, { month, count });
  }

  /** True if the user certainly had no free eval left a moment ago. */
  isUsedUp(userId: string, month: string, quota: number): boolean {
    if (quota <= 0) return true;
    const seen = this.seen.get(userId);
    return seen?.month === month && seen.count >= quota;
  }
}
