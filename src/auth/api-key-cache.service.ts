import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ApiKey } from './api-key.entity';
import { AuthRepository } from './auth.repository';

/** A revoked key dies within this on every replica, without any of them telling the others. */
const TTL_MS = 1000;
const MAX_KEYS = 10_000;

/** Keys seen within the last second, so that a busy key costs one look-up a second and not one a request. */
@Injectable()
export class ApiKeyCacheService {
  private readonly keys: LRUCache<string, ApiKey, string | undefined>;
  /** Hashes that no key had: apart, so that made-up keys drive no real one out. */
  private readonly unknown = new LRUCache<string, true>({ max: MAX_KEYS, ttl: TTL_MS });

  constructor(repository: AuthRepository) {
    this.keys = new LRUCache<string, ApiKey, string | undefined>({
      max: MAX_KEYS,
      ttl: TTL_MS,
      // Requests that come at once share one look-up.
      fetchMethod: async (hash, _, { context: former }) => {
        const key = await repository.findKeyByHash(former === undefined ? [hash] : [hash, former]);
        if (key === undefined) this.unknown.set(hash, true);
        return key;
      },
    });
  }

  /** The key with that hash, where it has been seen within the last second. */
  peek(hash: string): ApiKey | undefined {
    return this.keys.get(hash);
  }

  /** The key with that hash, or with the one it had under the pepper before; at most a second old. */
  async find(hash: string, former?: string): Promise<ApiKey | undefined> {
    return this.peek(hash) ?? (this.unknown.get(hash) ? undefined : this.keys.fetch(hash, { context: former }));
  }

  /** Forgets everything, because a key or a user has changed here. */
  clear(): void {
    this.keys.clear();
    this.unknown.clear();
  }
}
