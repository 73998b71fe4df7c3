import { createSecretKey, hash as digestOf, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { isLive, type ApiKey } from './api-key.entity';
import { AuthRepository } from './auth.repository';
import type { Caller } from './caller';
import { ApiKeyCacheService } from './api-key-cache.service';
import { hashOf, isWellFormed } from './api-key.format';

const MINUTE_MS = 60_000;
const MAX_HASHES = 10_000;

/** A key's hash under the pepper of now, and under the one before. */
interface Hashes {
  hash: string;
  previous: string | undefined;
}

/** Who is calling: verifies keys. */
@Injectable()
export class AuthService {
  /** Of the key that came last over a connection, which is mostly the one that comes next. */
  private readonly lastOver = new WeakMap<object, { secret: string; hashes: Hashes }>();
  /** By the bare SHA-256 of the key, which is made in a fifth of the time. */
  private readonly hashes = new LRUCache<string, Hashes>({ max: MAX_HASHES });
  private readonly pepper: KeyObject;
  private readonly previousPepper: KeyObject | undefined;

  constructor(
    private readonly repository: AuthRepository,
    private readonly cache: ApiKeyCacheService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    // Made once: each takes longer than the hash itself.
    this.pepper = createSecretKey(config.API_KEY_PEPPER, 'utf8');
    this.previousPepper = config.API_KEY_PEPPER_PREVIOUS === undefined ? undefined : createSecretKey(config.API_KEY_PEPPER_PREVIOUS, 'utf8');
  }

  /** The caller behind a key that is in use just now, without a wait; undefined where there is something to look up or to write down, which `verify` does. */
  verifyAtOnce(secret: string, connection: object): Caller | undefined {
    const hash = this.hashesOver(connection, secret)?.hash;
    const key = hash === undefined ? undefined : this.cache.peek(hash);
    const now = this.clock.now();
    return key !== undefined && key.hash === hash && isLive(key, now) && isNoted(key, now) ? this.callerOf(key) : undefined;
  }

  /** The caller behind a key; undefined for a malformed, unknown, expired or revoked one. */
  async verify(secret: string): Promise<Caller | undefined> {
    const hashes = this.hashesOf(secret);
    if (hashes === undefined) return undefined;
    const { hash, previous } = hashes;
    const key = await this.cache.find(hash, previous);
    if (key === undefined || !isLive(key, this.clock.now())) return undefined;
    await this.noteUse(key);
    if (key.hash !== hash) await this.rehash(key, hash);
    return this.callerOf(key);
  }

  /** Whether this is the operator's key, compared in constant time. */
  isAdminKey(secret: string): boolean {
    return isSame(hashOf(secret, this.pepper), hashOf(this.config.ADMIN_API_KEY, this.pepper));
  }

  /** What the audit log calls the operator's key: tells keys apart and helps nobody to guess one. */
  get adminKeyFingerprint(): string {
    return `operator_${hashOf(this.config.ADMIN_API_KEY, this.pepper).slice(0, 8)}`;
  }

  /** A room that keeps a fact about users up to date has just changed one. */
  onUserChanged(): void {
    this.cache.clear();
  }

  private hashesOver(connection: object, secret: string): Hashes | undefined {
    const last = this.lastOver.get(connection);
    if (last?.secret === secret) return last.hashes;
    const hashes = this.hashesOf(secret);
    if (hashes !== undefined) this.lastOver.set(connection, { secret, hashes });
    return hashes;
  }

  /** Under both peppers; undefined for a malformed key. */
  private hashesOf(secret: string): Hashes | undefined {
    const digest = digestOf('sha256', secret, 'base64');
    const known = this.hashes.get(digest);
    if (known !== undefined || !isWellFormed(secret)) return known;
    const hashes = { hash: hashOf(secret, this.pepper), previous: this.previousPepper && hashOf(secret, this.previousPepper) };
    this.hashes.set(digest, hashes);
    return hashes;
  }

  private async noteUse(key: ApiKey): Promise<void> {
    const now = this.clock.now();
    if (isNoted(key, now)) return;
    const aMinuteAgo = new Date(now.getTime() - MINUTE_MS);
    // Set first, so that requests that share the cached key do not all write.
    key.lastUsedAt = now;
    await this.repository.touchKey(key.id, now, aMinuteAgo);
  }

  /** Moves a key from the pepper before to the one of now, once. */
  private async rehash(key: ApiKey, hash: string): Promise<void> {
    const previous = key.hash;
    // Set first, for the same reason.
    key.hash = hash;
    await this.repository.rehashKey(key.id, previous, hash);
  }

  private callerOf(key: ApiKey): Caller {
    const { user } = key;
    return {
      userId: user.id,
      keyId: key.id,
      email: user.email,
      hasPaymentMethod: user.hasPaymentMethod,
      freeQuota: user.freeQuota ?? this.config.FREE_EVALS_PER_MONTH,
      monthlySpendLimit: user.monthlySpendLimit,
      keySpendLimit: key.monthlySpendLimit,
      allowedModels: key.allowedModels,
      scopes: key.scopes,
    };
  }
}

/** Whether it stands written that the key was used within the last minute. */
function isNoted({ lastUsedAt }: ApiKey, now: Date): boolean {
  return lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < MINUTE_MS;
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
