import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../common/config';
import { PrimaryLine, type PrimaryQuestion } from '../common/primary-line';
import { SharedStore } from './shared-store.service';

/** One running compare of a key. */
export interface Place {
  readonly id: string;
  readonly keyId: string;
}

// A sorted set per key: place → the instant at which it runs out, by the store's own clock.
const NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
const TAKE = "redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1";
const ENTER = `${NOW} redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end ${TAKE}`;
const RENEW = `${NOW} ${TAKE}`;

/** When the primary is no longer expected to answer; the guard has let the compare pass long before. */
const PRIMARY_FORGETS_MS = 2000;

/**
 * The places of all processes. In the shared store each is a lease, renewed while it is held, so that a dead process gives its own back;
 * without a store the primary process keeps those of its workers.
 */
@Injectable()
export class SharedPlaces implements OnApplicationShutdown {
  private readonly held = new Set<Place>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly store: SharedStore,
    private readonly primary: PrimaryLine,
  ) {}

  /** Whether there was a place left; always true where nobody shares, or while nobody answers. */
  async enter(place: Place, limit: number): Promise<boolean> {
    const { redis, guard } = this.store;
    if (redis === undefined) return !this.primary.isOpen || (await guard.ask(() => this.askPrimary({ about: 'enter', placeId: place.id, keyId: place.keyId, limit }))) !== false;
    const answer = await guard.ask(() => redis.eval(ENTER, 1, keyOf(place), place.id, this.leaseMs, limit));
    if (answer === 0) return false;
    // Also when nothing was answered: the renewal then enters the place when the store is back.
    this.held.add(place);
    this.renewal ??= setInterval(() => void this.renew(), this.leaseMs / 3).unref();
    return true;
  }

  /** Gives a place back. */
  async leave(place: Place): Promise<void> {
    const { redis, guard } = this.store;
    if (redis === undefined) {
      if (this.primary.isOpen) await this.leaveAtPrimary(place);
      return;
    }
    if (!this.held.delete(place)) return;
    await guard.ask(() => redis.zrem(keyOf(place), place.id));
    if (this.held.size === 0) this.stopRenewing();
  }

  onApplicationShutdown(): void {
    this.stopRenewing();
  }

  private async leaveAtPrimary({ id, keyId }: Place): Promise<void> {
    // Sent even while the primary seems to be away: it reads it after whatever it has not read yet.
    const left = this.askPrimary({ about: 'leave', placeId: id, keyId });
    left.catch(() => undefined);
    await this.store.guard.ask(() => left);
  }

  private async askPrimary(question: PrimaryQuestion): Promise<unknown> {
    return this.primary.ask(question, PRIMARY_FORGETS_MS);
  }

  private get leaseMs(): number {
    return this.config.RESERVATION_SECONDS * 1000;
  }

  private async renew(): Promise<void> {
    const { redis, guard } = this.store;
    if (redis === undefined) return;
    await guard.check(() => Promise.all([...this.held].map((place) => redis.eval(RENEW, 1, keyOf(place), place.id, this.leaseMs))));
  }

  private stopRenewing(): void {
    clearInterval(this.renewal);
    this.renewal = undefined;
  }
}

function keyOf({ keyId }: Place): string {
  return `mcs:parallel:${keyId}`;
}
