import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../common/single-flight';
import { currentUrgency } from '../../platform/database/urgency';
import type { ApiKey } from './api-key.entity';
import { AuthRepository } from './auth.repository';

/** A revoked key is refused within this time on every replica, without any communication between them. */
const TTL_MS = 1000;
const MAX_KEYS = 10_000;

/** Keys looked up within the last second, so that a busy key costs one look-up a second and not one a request. */
@Injectable()
export class ApiKeyCacheService {
  private readonly keys = new LRUCache<string, ApiKey>({ max: MAX_KEYS, ttl: TTL_MS });
  /** Hashes without a key, in a separate cache, so that invented keys evict no real ones. */
  private readonly unknown = new LRUCache<string, true>({ max: MAX_KEYS, ttl: TTL_MS });
  // Not LRUCache.fetch: an entry that is deleted or evicted there fails the requests that wait for it.
  private readonly lookUps = new SingleFlight<ApiKey | undefined>();

  constructor(private readonly repository: AuthRepository) {}

  /** The key with that hash, or with the hash under the previous pepper; at most a second old. */
  async find(hash: string, previous?: string): Promise<ApiKey | undefined> {
    const cached = this.keys.get(hash);
    if (cached !== undefined || this.unknown.has(hash)) return cached;
    // Shared by requests that wait equally long for a connection: while the pool is full, a read is refused and a
    // compare is not.
    return this.lookUps.run(
      `${currentUrgency() ?? ''} ${hash}`,
      () => this.repository.findKeyByHash(previous === undefined ? [hash] : [hash, previous]),
      (key) => {
        if (key === undefined) this.unknown.set(hash, true);
        else this.keys.set(hash, key);
      },
    );
  }

  /** Forgets the keys of a user, after a change to one of them or to the user in this process. */
  forgetUser(userId: string): void {
    for (const [hash, { user }] of this.keys.entries()) if (user.id === userId) this.keys.delete(hash);
    // A look-up under way may have read the old state. Its caller gets it, as if it had come before the change; later
    // ones do not.
    this.lookUps.forget();
  }
}
