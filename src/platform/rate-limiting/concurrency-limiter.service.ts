import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { Config } from '../config/config';
import { outsideRequests } from '../observability/outside-requests';
import { RedisService } from './redis.service';

/** The kinds of work that are limited separately. */
type Work = 'compares' | 'estimates' | 'checks';

/** A slot in use. */
interface Lease {
  readonly id: string;
  readonly keyId: string;
}

// A sorted set per key: lease → the instant at which it expires, by the store's own clock.
const NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
const TAKE = "redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1";
const ACQUIRE = `${NOW} redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end ${TAKE}`;
const RENEW = `${NOW} ${TAKE}`;

/**
 * Limits concurrent compares, estimates and checks of one key: in each process, and with Redis in all processes
 * together. There each slot is a lease that is renewed while it is
 * held, so that the leases of a dead process expire.
 */
@Injectable()
export class ConcurrencyLimiterService implements OnApplicationShutdown {
  private readonly running = new Map<string, number>();
  /** The leases of this process in Redis. */
  private readonly held = new Set<Lease>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly store: RedisService,
  ) {}

  /**
   * Takes a slot of the key, until it is disposed of. The work goes on without its caller, and so does its slot.
   * @throws ApiError rate_limited
   */
  async acquire(keyId: string, kind: Work = 'compares'): Promise<AsyncDisposable> {
    const id = kind === 'compares' ? keyId : `${kind}:${keyId}`;
    const running = this.running.get(id) ?? 0;
    if (running >= this.config.MAX_CONCURRENT_COMPARES_PER_KEY) throw this.tooMany(kind);
    this.running.set(id, running + 1);
    const lease = { id: randomUUID(), keyId: id };
    if (await this.acquireShared(lease, this.config.MAX_CONCURRENT_COMPARES_PER_KEY))
      return { [Symbol.asyncDispose]: () => this.release(lease) };
    this.releaseLocal(id);
    throw this.tooMany(kind);
  }

  onApplicationShutdown(): void {
    this.stopRenewing();
  }

  private async release(lease: Lease): Promise<void> {
    this.releaseLocal(lease.keyId);
    const { redis, breaker } = this.store;
    if (redis === undefined || !this.held.delete(lease)) return;
    await breaker.execute(() => redis.zrem(keyOf(lease), lease.id));
    if (this.held.size === 0) this.stopRenewing();
  }

  /** True if the lease was granted; always true without Redis or while it is unreachable. */
  private async acquireShared(lease: Lease, limit: number): Promise<boolean> {
    const { redis, breaker } = this.store;
    if (redis === undefined) return true;
    const answer = await breaker.execute(() => redis.eval(ACQUIRE, 1, keyOf(lease), lease.id, this.leaseMs, limit));
    if (answer === 0) return false;
    // Also without a reply: the renewal then enters the lease when the store is reachable again.
    this.held.add(lease);
    this.renewal ??= outsideRequests(() => setInterval(() => void this.renew(), this.leaseMs / 3).unref());
    return true;
  }

  private get leaseMs(): number {
    return this.config.RESERVATION_TTL_SECONDS * 1000;
  }

  private async renew(): Promise<void> {
    const { redis, breaker } = this.store;
    if (redis === undefined) return;
    await breaker.check(() =>
      Promise.all([...this.held].map((lease) => redis.eval(RENEW, 1, keyOf(lease), lease.id, this.leaseMs))),
    );
  }

  private stopRenewing(): void {
    clearInterval(this.renewal);
    this.renewal = undefined;
  }

  private releaseLocal(keyId: string): void {
    const others = (this.running.get(keyId) ?? 1) - 1;
    if (others > 0) this.running.set(keyId, others);
    else this.running.delete(keyId);
  }

  private tooMany(kind: Work): ApiError {
    return new ApiError('rate_limited', {
      message: `At most ${this.config.MAX_CONCURRENT_COMPARES_PER_KEY} ${kind} of one key may run at the same time.`,
      retryAfterSeconds: 1,
    });
  }
}

function keyOf({ keyId }: Lease): string {
  return `mcs:parallel:${keyId}`;
}
