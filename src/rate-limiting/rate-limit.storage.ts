import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { PrimaryChannel } from '../cluster/primary-channel';
import { RedisService } from './redis.service';

type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** When the primary process is no longer expected to reply; the circuit breaker has let the request pass long before. */
const PRIMARY_TIMEOUT_MS = 2000;

/** The throttler's counters in rate-limiter-flexible: fixed windows, constant time and memory per counted key. */
// The throttler's own store keeps every hit of the window and walks through them at each request.
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  private readonly counters = new Map<number, RateLimiterAbstract>();

  constructor(
    private readonly redis: RedisService,
    private readonly primary: PrimaryChannel,
  ) {}

  /** Counts one request; while a shared store is unreachable, nothing is counted and nobody is blocked. */
  async increment(key: string, ttl: number, limit: number): Promise<StorageRecord> {
    const counter = this.counterFor(ttl);
    const counted = counter instanceof RateLimiterMemory ? await counter.penalty(key) : await this.redis.breaker.execute(() => counter.penalty(key));
    if (counted === undefined) return { totalHits: 0, timeToExpire: Math.ceil(ttl / 1000), isBlocked: false, timeToBlockExpire: 0 };
    const { consumedPoints, msBeforeNext } = counted;
    const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
    const isBlocked = consumedPoints > limit;
    return { totalHits: consumedPoints, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
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
    if (this.redis.redis !== undefined) return new RateLimiterRedis({ ...options, storeClient: this.redis.redis, rejectIfRedisNotReady: true });
    return this.primary.isOpen ? new RateLimiterCluster({ ...options, timeoutMs: PRIMARY_TIMEOUT_MS }) : new RateLimiterMemory(options);
  }
}
