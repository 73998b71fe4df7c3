import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config';
import { outsideRequests } from '../observability/outside-requests';
import { RedisService } from './redis.service';

/** One running compare of a key. */
export interface Lease {
  readonly id: string;
  readonly keyId: string;
}

// A sorted set per key: lease → the instant at which it expires, by the store's own clock.
const NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
const TAKE = "redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1";
const ACQUIRE = `${NOW} redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end ${TAKE}`;
const RENEW = `${NOW} ${TAKE}`;

/** Limits how many leases of a key all processes hold together in Redis. Each lease is renewed while it is held, so that those of a dead process expire. */
@Injectable()
export class DistributedSemaphoreService implements OnApplicationShutdown {
  private readonly held = new Set<Lease>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly store: RedisService,
  ) {}

  /** True if the lease was granted; always true without Redis or while it is unreachable. */
  async acquire(lease: Lease, limit: number): Promise<boolean> {
    const { redis, breaker } = this.store;
    if (redis === undefined) return true;
    const answer = await breaker.execute(() => redis.eval(ACQUIRE, 1, keyOf(lease), lease.id, this.leaseMs, limit));
    if (answer === 0) return false;
    // Also without a reply: the renewal then enters the lease when the store is reachable again.
    this.held.add(lease);
    this.renewal ??= outsideRequests(() => setInterval(() => void this.renew(), this.leaseMs / 3).unref());
    return true;
  }

  /** Gives a lease back. */
  async release(lease: Lease): Promise<void> {
    const { redis, breaker } = this.store;
    if (redis === undefined || !this.held.delete(lease)) return;
    await breaker.execute(() => redis.zrem(keyOf(lease), lease.id));
    if (this.held.size === 0) this.stopRenewing();
  }

  onApplicationShutdown(): void {
    this.stopRenewing();
  }

  private get leaseMs(): number {
    return this.config.RESERVATION_TTL_SECONDS * 1000;
  }

  private async renew(): Promise<void> {
    const { redis, breaker } = this.store;
    if (redis === undefined) return;
    await breaker.check(() => Promise.all([...this.held].map((lease) => redis.eval(RENEW, 1, keyOf(lease), lease.id, this.leaseMs))));
  }

  private stopRenewing(): void {
    clearInterval(this.renewal);
    this.renewal = undefined;
  }
}

function keyOf({ keyId }: Lease): string {
  return `mcs:parallel:${keyId}`;
}
