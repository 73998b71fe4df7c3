import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PrimaryChannel } from '../cluster/primary-channel';
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

/**
 * Limits how many leases of a key all processes hold together. In Redis each lease is renewed while it is held, so that those of a dead process expire;
 * without Redis the primary process keeps the leases of its workers.
 */
@Injectable()
export class DistributedSemaphoreService implements OnApplicationShutdown {
  private readonly held = new Set<Lease>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly store: RedisService,
    private readonly primary: PrimaryChannel,
  ) {}

  /** True if the lease was granted; always true if nothing is shared or the store is unreachable. */
  async acquire(lease: Lease, limit: number): Promise<boolean> {
    const { redis, breaker } = this.store;
    if (redis === undefined) return !this.primary.isOpen || (await breaker.execute(() => this.primary.request({ type: 'acquire', leaseId: lease.id, keyId: lease.keyId, limit }))) !== false;
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
    if (redis === undefined) {
      // Not awaited: messages are read in order, also by a primary process that seems unresponsive.
      if (this.primary.isOpen) this.primary.send({ type: 'release', leaseId: lease.id, keyId: lease.keyId });
      return;
    }
    if (!this.held.delete(lease)) return;
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
