import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../common/config';
import { PrimaryChannel, type PrimaryRequest } from '../cluster/primary-channel';
import { RedisService } from './redis.service';

/** One running compare of a key. */
export interface Lease {
  readonly id: string;
  readonly keyId: string;
}

// A sorted set per key: place → the instant at which it runs out, by the store's own clock.
const NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
const TAKE = "redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1";
const ACQUIRE = `${NOW} redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end ${TAKE}`;
const RENEW = `${NOW} ${TAKE}`;

/** When the primary is no longer expected to answer; the guard has let the compare pass long before. */
const PRIMARY_TIMEOUT_MS = 2000;

/**
 * The places of all processes. In the shared store each is a lease, renewed while it is held, so that a dead process gives its own back;
 * without a store the primary process keeps those of its workers.
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

  /** Whether there was a place left; always true where nobody shares, or while nobody answers. */
  async acquire(place: Lease, limit: number): Promise<boolean> {
    const { redis, breaker } = this.store;
    if (redis === undefined) return !this.primary.isOpen || (await breaker.execute(() => this.askPrimary({ about: 'enter', placeId: place.id, keyId: place.keyId, limit }))) !== false;
    const answer = await breaker.execute(() => redis.eval(ACQUIRE, 1, keyOf(place), place.id, this.leaseMs, limit));
    if (answer === 0) return false;
    // Also when nothing was answered: the renewal then enters the place when the store is back.
    this.held.add(place);
    this.renewal ??= setInterval(() => void this.renew(), this.leaseMs / 3).unref();
    return true;
  }

  /** Gives a place back. */
  async release(place: Lease): Promise<void> {
    const { redis, breaker } = this.store;
    if (redis === undefined) {
      if (this.primary.isOpen) await this.releaseAtPrimary(place);
      return;
    }
    if (!this.held.delete(place)) return;
    await breaker.execute(() => redis.zrem(keyOf(place), place.id));
    if (this.held.size === 0) this.stopRenewing();
  }

  onApplicationShutdown(): void {
    this.stopRenewing();
  }

  private async releaseAtPrimary({ id, keyId }: Lease): Promise<void> {
    // Sent even while the primary seems to be away: it reads it after whatever it has not read yet.
    const left = this.askPrimary({ about: 'leave', placeId: id, keyId });
    left.catch(() => undefined);
    await this.store.breaker.execute(() => left);
  }

  private async askPrimary(question: PrimaryRequest): Promise<unknown> {
    return this.primary.request(question, PRIMARY_TIMEOUT_MS);
  }

  private get leaseMs(): number {
    return this.config.RESERVATION_TTL_SECONDS * 1000;
  }

  private async renew(): Promise<void> {
    const { redis, breaker } = this.store;
    if (redis === undefined) return;
    await breaker.check(() => Promise.all([...this.held].map((place) => redis.eval(RENEW, 1, keyOf(place), place.id, this.leaseMs))));
  }

  private stopRenewing(): void {
    clearInterval(this.renewal);
    this.renewal = undefined;
  }
}

function keyOf({ keyId }: Lease): string {
  return `mcs:parallel:${keyId}`;
}
