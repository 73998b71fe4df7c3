import { createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import type { Money } from '../common/money';
import { ApiKey } from './api-key.entity';
import { AuthRepository } from './auth.repository';
import type { Caller } from './caller';
import { KeyCache } from './key-cache.service';
import { hashOf, isWellFormed, newSecret, visiblePrefix } from './key-format';
import { User } from './user.entity';

const MINUTE_MS = 60_000;

/** What can be set on a user; absent members stay as they are or take the default. */
export interface UserSettings {
  freeQuota?: number | null;
  hasPaymentMethod?: boolean;
  monthlySpendLimit?: Money | null;
}

/** What can be set on a key; absent members stay as they are or take the default. */
export interface KeySettings {
  expiresAt?: Date | null;
  monthlySpendLimit?: Money | null;
  /** null for all models. */
  allowedModels?: string[] | null;
}

/** A key just issued; the only time its secret is known. */
export interface IssuedKey {
  key: ApiKey;
  secret: string;
}

/** Users and their keys: create, issue, verify, rotate, revoke. */
@Injectable()
export class AuthService {
  private readonly pepper: KeyObject;

  constructor(
    private readonly repository: AuthRepository,
    private readonly cache: KeyCache,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    // Made once: it takes longer than the hash itself.
    this.pepper = createSecretKey(config.API_KEY_PEPPER, 'utf8');
  }

  /** The caller behind a key; undefined for a malformed, unknown, expired or revoked one. */
  async verify(secret: string): Promise<Caller | undefined> {
    if (!isWellFormed(secret)) return undefined;
    const hash = hashOf(secret, this.pepper);
    const key = await this.cache.find(hash);
    if (key === undefined || !isSame(key.hash, hash) || !this.isLive(key)) return undefined;
    await this.noteUse(key);
    return this.callerOf(key);
  }

  /** Whether this is the operator's key, compared in constant time. */
  isOperator(secret: string): boolean {
    return isSame(hashOf(secret, this.pepper), hashOf(this.config.ADMIN_API_KEY, this.pepper));
  }

  /** @throws ApiError conflict when the e-mail address is taken. */
  async createUser(email: string, settings: UserSettings): Promise<User> {
    const now = this.clock.now();
    const user = Object.assign(new User(), {
      id: newId('user', now),
      email,
      freeQuota: settings.freeQuota ?? null,
      hasPaymentMethod: settings.hasPaymentMethod ?? false,
      monthlySpendLimit: settings.monthlySpendLimit ?? null,
      createdAt: now,
    });
    try {
      await this.repository.insertUser(user);
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      throw new ApiError('conflict', { message: 'There is a user with this e-mail address already.', param: 'email' });
    }
    return user;
  }

  /** @throws ApiError not_found */
  async getUser(id: string): Promise<User> {
    return found(await this.repository.findUser(id));
  }

  /** @throws ApiError not_found */
  async updateUser(id: string, settings: UserSettings): Promise<User> {
    const user = found(await this.repository.updateUser(id, withoutAbsent(settings)));
    this.cache.forget();
    return user;
  }

  /** A room that keeps a fact about users up to date has just changed one. */
  userChanged(): void {
    this.cache.forget();
  }

  /** Oldest first. */
  async listUsers(limit: number, offset: number): Promise<User[]> {
    return this.repository.listUsers(limit, offset);
  }

  /** @throws ApiError not_found when there is no such user. */
  async issueKey(userId: string, name: string, settings: KeySettings = {}): Promise<IssuedKey> {
    const issued = this.newKey(await this.getUser(userId), name, settings);
    await this.repository.insertKey(issued.key);
    return issued;
  }

  /** A new key of the same name for the same user; the old one goes on for `overlapSeconds`. @throws ApiError not_found, conflict for a dead key */
  async rotateKey(id: string, overlapSeconds: number): Promise<IssuedKey> {
    const old = found(await this.repository.findKey(id));
    if (!this.isLive(old)) throw new ApiError('conflict', { message: 'This key is revoked or has expired; issue a new one.' });
    const issued = this.newKey(old.user, old.name, old);
    await this.repository.replaceKey(id, new Date(this.clock.now().getTime() + overlapSeconds * 1000), issued.key);
    this.cache.forget();
    return issued;
  }

  /** @throws ApiError not_found */
  async updateKey(id: string, settings: KeySettings): Promise<ApiKey> {
    const key = found(await this.repository.updateKey(id, withoutAbsent(settings)));
    this.cache.forget();
    return key;
  }

  /** @throws ApiError not_found */
  async revokeKey(id: string): Promise<void> {
    if (!(await this.repository.revokeKey(id, this.clock.now()))) throw new ApiError('not_found');
    this.cache.forget();
  }

  /** Newest first. @throws ApiError not_found when there is no such user. */
  async listKeys(userId: string): Promise<ApiKey[]> {
    await this.getUser(userId);
    return this.repository.listKeys(userId);
  }

  private newKey(user: User, name: string, settings: KeySettings): IssuedKey {
    const now = this.clock.now();
    const secret = newSecret();
    const key = Object.assign(new ApiKey(), {
      id: newId('key', now),
      user,
      name,
      prefix: visiblePrefix(secret),
      hash: hashOf(secret, this.pepper),
      monthlySpendLimit: settings.monthlySpendLimit ?? null,
      allowedModels: settings.allowedModels ?? null,
      createdAt: now,
      expiresAt: settings.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
    });
    return { key, secret };
  }

  private isLive(key: ApiKey): boolean {
    return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > this.clock.now());
  }

  private async noteUse(key: ApiKey): Promise<void> {
    const now = this.clock.now();
    const aMinuteAgo = new Date(now.getTime() - MINUTE_MS);
    if (key.lastUsedAt !== null && key.lastUsedAt > aMinuteAgo) return;
    // Set first, so that requests that share the cached key do not all write.
    key.lastUsedAt = now;
    await this.repository.touchKey(key.id, now, aMinuteAgo);
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
    };
  }
}

function withoutAbsent<T extends object>(settings: T): Partial<T> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

function found<T>(thing: T | null): T {
  if (thing === null) throw new ApiError('not_found');
  return thing;
}
