import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
// The package itself loads the stores of a dozen databases.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import { RedisService } from './redis.service';

type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The throttler's counters in rate-limiter-flexible: fixed windows, constant time and memory per counted key. */
// The throttler's own store keeps every hit of the window and walks through them at each request.
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  private readonly counters = new Map<number, RateLimiterAbstract>();

  constructor(private readonly redis: RedisService) {}

  /** Counts one request; while a shared store is unreachable, nothing is counted and no request is blocked. */
  async increment(key: string, ttl: number, limit: number): Promise<StorageRecord> {
    const counter = this.counterFor(ttl);
    const counted =
      counter instanceof RateLimiterMemory
        ? await counter.penalty(key)
        : await this.redis.breaker.execute(() => counter.penalty(key));
    return counted === undefined ? uncounted(ttl) : storageRecord(counted.consumedPoints, counted.msBeforeNext, limit);
  }

  private counterFor(windowMs: number): RateLimiterAbstract {
    const existing = this.counters.get(windowMs);
    if (existing !== undefined) return existing;
    const counter = this.newCounter(windowMs / 1000);
    this.counters.set(windowMs, counter);
    return counter;
  }

  private newCounter(duration: number): RateLimiterAbstract {
    const options = { points: Number.MAX_SAFE_INTEGER, duration, keyPrefix: `mcs:rate:${duration}` };
    return this.redis.redis === undefined
      ? new RateLimiterMemory(options)
      : new RateLimiterRedis({ ...options, storeClient: this.redis.redis, rejectIfRedisNotReady: true });
  }
}

function storageRecord(totalHits: number, msLeft: number, limit: number): StorageRecord {
  const seconds = Math.max(1, Math.ceil(msLeft / 1000));
  const isBlocked = totalHits > limit;
  return { totalHits, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
}

function uncounted(ttl: number): StorageRecord {
  return { totalHits: 0, timeToExpire: Math.ceil(ttl / 1000), isBlocked: false, timeToBlockExpire: 0 };
}
