import { createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { isLive, type ApiKey } from './api-key.entity';
import { AuthRepository } from './auth.repository';
import type { Caller } from './caller';
import { KeyCache } from './key-cache.service';
import { hashOf, isWellFormed } from './key-format';

const MINUTE_MS = 60_000;

/** Who is calling: verifies keys. */
@Injectable()
export class AuthService {
  private readonly pepper: KeyObject;
  private readonly formerPepper: KeyObject | undefined;

  constructor(
    private readonly repository: AuthRepository,
    private readonly cache: KeyCache,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    // Made once: each takes longer than the hash itself.
    this.pepper = createSecretKey(config.API_KEY_PEPPER, 'utf8');
    this.formerPepper = config.API_KEY_PEPPER_PREVIOUS === undefined ? undefined : createSecretKey(config.API_KEY_PEPPER_PREVIOUS, 'utf8');
  }

  /** The caller behind a key; undefined for a malformed, unknown, expired or revoked one. */
  async verify(secret: string): Promise<Caller | undefined> {
    if (!isWellFormed(secret)) return undefined;
    const hash = hashOf(secret, this.pepper);
    const former = this.formerPepper && hashOf(secret, this.formerPepper);
    const key = await this.cache.find(hash, former);
    const isOurs = key !== undefined && (isSame(key.hash, hash) || (former !== undefined && isSame(key.hash, former)));
    if (!isOurs || !isLive(key, this.clock.now())) return undefined;
    await this.noteUse(key);
    if (key.hash !== hash) await this.rehash(key, hash);
    return this.callerOf(key);
  }

  /** Whether this is the operator's key, compared in constant time. */
  isOperator(secret: string): boolean {
    return isSame(hashOf(secret, this.pepper), hashOf(this.config.ADMIN_API_KEY, this.pepper));
  }

  /** What the audit log calls the operator's key: tells keys apart and helps nobody to guess one. */
  get operatorFingerprint(): string {
    return `operator_${hashOf(this.config.ADMIN_API_KEY, this.pepper).slice(0, 8)}`;
  }

  /** A room that keeps a fact about users up to date has just changed one. */
  userChanged(): void {
    this.cache.forget();
  }

  private async noteUse(key: ApiKey): Promise<void> {
    const now = this.clock.now();
    const aMinuteAgo = new Date(now.getTime() - MINUTE_MS);
    if (key.lastUsedAt !== null && key.lastUsedAt > aMinuteAgo) return;
    // Set first, so that requests that share the cached key do not all write.
    key.lastUsedAt = now;
    await this.repository.touchKey(key.id, now, aMinuteAgo);
  }

  /** Moves a key from the pepper before to the one of now, once. */
  private async rehash(key: ApiKey, hash: string): Promise<void> {
    const former = key.hash;
    // Set first, for the same reason.
    key.hash = hash;
    await this.repository.rehashKey(key.id, former, hash);
  }

  private callerOf(key: ApiKey): Caller {
    const { user } = key;
    return {
      userId: user.id,
      keyId: key.id,
      email: user.email,
      hasPaymentMethod: user.hasPaymentMethod,
      freeQuota: user.freeQuota ?? this.config.FREE_QUOTA,
      monthlySpendLimit: user.monthlySpendLimit,
      keySpendLimit: key.monthlySpendLimit,
      allowedModels: key.allowedModels,
      scopes: key.scopes,
    };
  }
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
