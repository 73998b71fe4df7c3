import { createSecretKey, hash as digestOf, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { briefly } from '../../platform/database/urgency';
import { ApiKeyCacheService } from './api-key-cache.service';
import { isLive, type ApiKey } from './api-key.entity';
import { hashOf, isWellFormed } from './api-key.format';
import { AuthRepository } from './auth.repository';
import { accountOf, type Caller } from './caller';

const MINUTE_MS = 60_000;
const MAX_HASHES = 10_000;

/** A key's hashes under API_KEY_PEPPER and API_KEY_PEPPER_PREVIOUS. */
interface Hashes {
  hash: string;
  previous: string | undefined;
}

@Injectable()
export class AuthService {
  /** By the SHA-256 digest of the key, which takes a fifth of the time of the HMAC; keys themselves are not kept. */
  private readonly hashes = new LRUCache<string, Hashes>({ max: MAX_HASHES });
  private readonly pepper: KeyObject;
  private readonly previousPepper: KeyObject | undefined;

  constructor(
    private readonly repository: AuthRepository,
    private readonly cache: ApiKeyCacheService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    // Created once: creating a key object takes longer than hashing with it.
    this.pepper = createSecretKey(config.API_KEY_PEPPER, 'utf8');
    this.previousPepper =
      config.API_KEY_PEPPER_PREVIOUS === undefined
        ? undefined
        : createSecretKey(config.API_KEY_PEPPER_PREVIOUS, 'utf8');
  }

  /** The caller behind a key; undefined for a malformed, unknown, expired or revoked one. */
  async authenticate(secret: string): Promise<Caller | undefined> {
    const hashes = this.hashesOf(secret);
    if (hashes === undefined) return undefined;
    const { hash, previous } = hashes;
    const key = await this.cache.find(hash, previous);
    if (key === undefined || !isLive(key, this.clock.now())) return undefined;
    await this.noteUse(key);
    if (key.hash !== hash) await this.rehash(key, hash);
    return this.callerOf(key);
  }

  /**
   * The current caller of the key with that id, for work that continues later; undefined if the key is expired or
   * revoked.
   */
  async findCaller(keyId: string): Promise<Caller | undefined> {
    const key = await this.repository.findKey(keyId);
    return key === null || !isLive(key, this.clock.now()) ? undefined : this.callerOf(key);
  }

  /** Those of the keys with these ids that are expired or revoked by now, which may be from another process. */
  async findEnded(keyIds: readonly string[]): Promise<Set<string>> {
    return new Set(await this.repository.findEndedKeys(keyIds, this.clock.now()));
  }

  /** True if this is the admin key, compared in constant time. */
  isAdminKey(secret: string): boolean {
    return isSame(hashOf(secret, this.pepper), hashOf(this.config.ADMIN_API_KEY, this.pepper));
  }

  /** The admin key's name in the audit log. It distinguishes admin keys without helping to guess one. */
  get adminKeyFingerprint(): string {
    return `admin_${hashOf(this.config.ADMIN_API_KEY, this.pepper).slice(0, 8)}`;
  }

  /** The hashes of a key under both peppers; undefined for a malformed key. */
  private hashesOf(secret: string): Hashes | undefined {
    const digest = digestOf('sha256', secret, 'base64');
    const cached = this.hashes.get(digest);
    if (cached !== undefined) return cached;
    if (!isWellFormed(secret)) return undefined;
    const hashes = {
      hash: hashOf(secret, this.pepper),
      previous: this.previousPepper && hashOf(secret, this.previousPepper),
    };
    this.hashes.set(digest, hashes);
    return hashes;
  }

  private async noteUse(key: ApiKey): Promise<void> {
    const now = this.clock.now();
    if (wasUsedRecently(key, now)) return;
    const oneMinuteAgo = new Date(now.getTime() - MINUTE_MS);
    // Set before the write, so that concurrent requests that share the cached key do not all write.
    key.lastUsedAt = now;
    await briefly(() => this.repository.touchKey(key.id, now, oneMinuteAgo));
  }

  /** Moves a key from the previous pepper to the current one, once. */
  private async rehash(key: ApiKey, hash: string): Promise<void> {
    const previous = key.hash;
    // Set before the write, for the same reason.
    key.hash = hash;
    await this.repository.rehashKey(key.id, previous, hash);
  }

  private callerOf(key: ApiKey): Caller {
    return {
      ...accountOf(key.user, this.config),
      keyId: key.id,
      keySpendLimit: key.monthlySpendLimit,
      allowedModels: key.allowedModels,
      scopes: key.scopes,
    };
  }
}

function wasUsedRecently({ lastUsedAt }: ApiKey, now: Date): boolean {
  return lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < MINUTE_MS;
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
