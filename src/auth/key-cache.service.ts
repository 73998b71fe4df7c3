import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ApiKey } from './api-key.entity';
import { AuthRepository } from './auth.repository';

/** A revoked key dies within this on every replica, without any of them telling the others. */
const FRESH_MS = 1000;
const MOST_KEYS = 10_000;

/** Keys seen within the last second, so that a busy key costs one look-up a second and not one a request. */
@Injectable()
export class KeyCache {
  private readonly keys: LRUCache<string, ApiKey>;

  constructor(repository: AuthRepository) {
    this.keys = new LRUCache({
      max: MOST_KEYS,
      ttl: FRESH_MS,
      // Requests that come at once share one look-up; unknown keys are not kept.
      fetchMethod: async (hash) => repository.findKeyByHash(hash),
    });
  }

  /** The key with that hash, at most a second old. */
  async find(hash: string): Promise<ApiKey | undefined> {
    return this.keys.get(hash) ?? this.keys.fetch(hash);
  }

  /** Forgets everything, because a key or a user has changed here. */
  forget(): void {
    this.keys.clear();
  }
}
