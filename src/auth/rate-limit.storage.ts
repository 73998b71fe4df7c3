import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterMemory, type RateLimiterAbstract } from 'rate-limiter-flexible';

type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The throttler's counters in rate-limiter-flexible: fixed windows, constant time and memory per counted key. */
// The throttler's own store keeps every hit of the window and walks through them at each request.
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  private readonly counters = new Map<number, RateLimiterAbstract>();

  async increment(key: string, ttl: number, limit: number): Promise<StorageRecord> {
    const { consumedPoints, msBeforeNext } = await this.counterFor(ttl).penalty(key);
    const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
    const isBlocked = consumedPoints > limit;
    return { totalHits: consumedPoints, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
  }

  private counterFor(windowMs: number): RateLimiterAbstract {
    const existing = this.counters.get(windowMs);
    if (existing !== undefined) return existing;
    const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: windowMs / 1000 });
    this.counters.set(windowMs, counter);
    return counter;
  }
}
