import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { changesOf, facts } from '../audit/changes';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { ApiError } from '../../common/errors';
import { newId } from '../../common/ids';
import type { Money } from '../../common/money';
import { ApiKeyCacheService } from './api-key-cache.service';
import { ApiKey, isLive } from './api-key.entity';
import { hashOf, newSecret, visiblePrefix } from './api-key.format';
import { AuthRepository, type UsersQuery } from './auth.repository';
import type { Scope } from './scopes';
import { User } from './user.entity';

/** The settings of a user; absent members keep their value or take the default. */
export interface UserSettings {
  freeQuota?: number | null;
  hasPaymentMethod?: boolean;
  monthlySpendLimit?: Money | null;
}

/** The settings of a key; absent members keep their value or take the default. */
export interface KeySettings {
  expiresAt?: Date | null;
  monthlySpendLimit?: Money | null;
  /** null for all models. */
  allowedModels?: string[] | null;
  /** null for all. */
  scopes?: Scope[] | null;
}

/** A key just issued; the only time its secret is known. */
export interface IssuedKey {
  key: ApiKey;
  secret: string;
}

export interface Rotation {
  userId: string;
  from: string;
  to: string;
}

/** Hands what a key pays for over to its successor, in the transaction of the rotation. */
type RotationListener = (tx: EntityManager, rotation: Rotation) => Promise<void>;

const USER_SETTINGS = ['freeQuota', 'hasPaymentMethod', 'monthlySpendLimit'] as const;
const KEY_SETTINGS = ['expiresAt', 'monthlySpendLimit', 'allowedModels', 'scopes'] as const;

/**
 * Users and their keys, as the operator keeps them: create, issue, change, rotate, revoke. Each change leaves an entry
 * in the audit log.
 */
@Injectable()
export class AccountsService {
  private readonly rotationListeners: RotationListener[] = [];

  constructor(
    private readonly repository: AuthRepository,
    private readonly cache: ApiKeyCacheService,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError conflict when the e-mail address is taken. */
  async createUser(actor: Actor, email: string, settings: UserSettings): Promise<User> {
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
      return await this.audit.change(actor, async (tx) => {
        await this.repository.insertUser(tx, user);
        return {
          value: user,
          note: {
            action: 'user.created',
            targetType: 'user',
            targetId: user.id,
            changes: changesOf<User>(undefined, user, ['email', ...USER_SETTINGS]),
          },
        };
      });
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      throw new ApiError('conflict', { message: 'There is a user with this e-mail address already.', param: 'email' });
    }
  }

  /** @throws ApiError not_found */
  async getUser(id: string): Promise<User> {
    return orNotFound('user', await this.repository.findUser(id));
  }

  /** @throws ApiError not_found */
  async updateUser(actor: Actor, id: string, settings: UserSettings): Promise<User> {
    const user = await this.audit.change(actor, async (tx) => {
      const stored = orNotFound('user', await this.repository.lockUser(tx, id));
      const changes = changesOf(stored, settings, USER_SETTINGS);
      return {
        value: Object.assign(stored, withoutAbsent(settings)),
        note: { action: 'user.updated', targetType: 'user', targetId: id, changes },
      };
    });
    this.cache.forgetUser(id);
    return user;
  }

  /**
   * Locks a user until the transaction ends, so that no charge of theirs is written meanwhile. @throws ApiError
   * not_found
   */
  async lockUser(tx: EntityManager, id: string): Promise<User> {
    return orNotFound('user', await this.repository.lockUser(tx, id));
  }

  /**
   * Notes what the payment provider says of a user's payment methods; `forgetUser` is to be called once the transaction
   * is committed.
   */
  async setPaymentMethod(tx: EntityManager, userId: string, hasPaymentMethod: boolean): Promise<void> {
    await this.repository.setPaymentMethod(tx, userId, hasPaymentMethod);
  }

  forgetUser(id: string): void {
    this.cache.forgetUser(id);
  }

  /** Oldest first. */
  async listUsers(query: UsersQuery): Promise<User[]> {
    return this.repository.listUsers(query);
  }

  /** @throws ApiError not_found when there is no such user, invalid_request when it would be expired already */
  async issueKey(actor: Actor, userId: string, name: string, settings: KeySettings = {}): Promise<IssuedKey> {
    this.refuseExpired(settings);
    const issued = this.newKey(await this.getUser(userId), name, settings);
    const changes = { ...facts({ userId }), ...changesOf<ApiKey>(undefined, issued.key, ['name', ...KEY_SETTINGS]) };
    return this.audit.change(actor, async (tx) => {
      await this.repository.insertKey(tx, issued.key);
      return { value: issued, note: { action: 'key.issued', targetType: 'key', targetId: issued.key.id, changes } };
    });
  }

  /** Registers what else a rotation changes; for modules that keep the ids of keys. */
  onRotation(listener: RotationListener): void {
    this.rotationListeners.push(listener);
  }

  /**
   * A new key of the same name for the same user; the old one goes on for `overlapSeconds`. @throws ApiError not_found,
   * conflict for a dead key
   */
  async rotateKey(actor: Actor, id: string, overlapSeconds: number): Promise<IssuedKey> {
    const issued = await this.audit.change(actor, async (tx) => {
      const old = orNotFound('key', await this.repository.lockKey(tx, id));
      const now = this.clock.now();
      if (!isLive(old, now))
        throw new ApiError('conflict', { message: 'This key is revoked or has expired; issue a new one.' });
      const successor = this.newKey(old.user, old.name, old);
      await this.repository.insertKey(tx, successor.key);
      for (const handOver of this.rotationListeners)
        await handOver(tx, { userId: old.user.id, from: id, to: successor.key.id });
      const endsAt = new Date(now.getTime() + overlapSeconds * 1000);
      const expiresAt = old.expiresAt !== null && old.expiresAt < endsAt ? old.expiresAt : endsAt;
      const changes = { ...changesOf(old, { expiresAt }, ['expiresAt']), ...facts({ successor: successor.key.id }) };
      Object.assign(old, { expiresAt });
      return { value: successor, note: { action: 'key.rotated', targetType: 'key', targetId: id, changes } };
    });
    this.cache.forgetUser(issued.key.user.id);
    return issued;
  }

  /** @throws ApiError not_found, invalid_request when it would be expired already (revoking is what ends a key) */
  async updateKey(actor: Actor, id: string, settings: KeySettings): Promise<ApiKey> {
    this.refuseExpired(settings);
    const key = await this.audit.change(actor, async (tx) => {
      const stored = orNotFound('key', await this.repository.lockKey(tx, id));
      const changes = changesOf(stored, settings, KEY_SETTINGS);
      return {
        value: Object.assign(stored, withoutAbsent(settings)),
        note: { action: 'key.updated', targetType: 'key', targetId: id, changes },
      };
    });
    this.cache.forgetUser(key.user.id);
    return key;
  }

  /** Revoking twice keeps the first time. @throws ApiError not_found */
  async revokeKey(actor: Actor, id: string): Promise<void> {
    const { user } = await this.audit.change(actor, async (tx) => {
      const key = orNotFound('key', await this.repository.lockKey(tx, id));
      const revokedAt = key.revokedAt ?? this.clock.now();
      const changes = changesOf(key, { revokedAt }, ['revokedAt']);
      return {
        value: Object.assign(key, { revokedAt }),
        note: { action: 'key.revoked', targetType: 'key', targetId: id, changes },
      };
    });
    this.cache.forgetUser(user.id);
  }

  /** The key with its user. @throws ApiError not_found */
  async getKey(id: string): Promise<ApiKey> {
    return orNotFound('key', await this.repository.findKey(id));
  }

  /** All keys, newest first. @throws ApiError not_found when there is no such user. */
  async listKeys(userId: string): Promise<ApiKey[]> {
    await this.getUser(userId);
    return this.repository.listKeys(userId);
  }

  private refuseExpired({ expiresAt }: KeySettings): void {
    if (expiresAt instanceof Date && expiresAt <= this.clock.now())
      throw new ApiError('invalid_request', { message: 'expires_at must lie in the future.', param: 'expires_at' });
  }

  private newKey(user: User, name: string, settings: KeySettings): IssuedKey {
    const now = this.clock.now();
    const secret = newSecret();
    const key = Object.assign(new ApiKey(), {
      id: newId('key', now),
      user,
      name,
      prefix: visiblePrefix(secret),
      hash: hashOf(secret, this.config.API_KEY_PEPPER),
      monthlySpendLimit: settings.monthlySpendLimit ?? null,
      allowedModels: settings.allowedModels ?? null,
      scopes: settings.scopes ?? null,
      createdAt: now,
      expiresAt: settings.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
    });
    return { key, secret };
  }
}

function withoutAbsent<T extends object>(settings: T): Partial<T> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function orNotFound<T>(what: string, thing: T | null): T {
  if (thing === null) throw new ApiError('not_found', { message: `There is no ${what} with this id.` });
  return thing;
}
