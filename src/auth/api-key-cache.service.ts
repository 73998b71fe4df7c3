import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ApiKey } from './api-key.entity';
import { AuthRepository } from './auth.repository';

/** A revoked key is refused within this time on every replica, without any communication between them. */
const TTL_MS = 1000;
const MAX_KEYS = 10_000;

/** Keys looked up within the last second, so that a busy key costs one look-up a second and not one a request. */
@Injectable()
export class ApiKeyCacheService {
  private readonly keys: LRUCache<string, ApiKey, string | undefined>;
  /** Hashes without a key, in a separate cache, so that invented keys evict no real ones. */
  private readonly unknown = new LRUCache<string, true>({ max: MAX_KEYS, ttl: TTL_MS });

  constructor(repository: AuthRepository) {
    this.keys = new LRUCache<string, ApiKey, string | undefined>({
      max: MAX_KEYS,
      ttl: TTL_MS,
      // Concurrent requests share one look-up.
      fetchMethod: async (hash, _, { context: previous }) => {
        const key = await repository.findKeyByHash(previous === undefined ? [hash] : [hash, previous]);
        if (key === undefined) this.unknown.set(hash, true);
        return key;
      },
    });
  }

  /** The key with that hash, or with the hash under the previous pepper; at most a second old. */
  async find(hash: string, previous?: string): Promise<ApiKey | undefined> {
    return this.keys.get(hash) ?? (this.unknown.get(hash) ? undefined : this.keys.fetch(hash, { context: previous }));
  }

  /** Clears the cache, after a change to a key or a user in this process. */
  clear(): void {
    this.keys.clear();
    this.unknown.clear();
  }
}
