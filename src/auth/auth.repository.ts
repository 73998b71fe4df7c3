import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Database } from '../common/database.service';
import { Money } from '../common/money';
import { ApiKey } from './api-key.entity';
import { User } from './user.entity';

/** Users and keys in Postgres. */
@Injectable()
export class AuthRepository {
  constructor(
    private readonly em: EntityManager,
    private readonly database: Database,
  ) {}

  /** The key with that hash together with its user, whatever its state. */
  async findKeyByHash(hash: string): Promise<ApiKey | undefined> {
    const [row] = await this.database.rows<KeyRow>(FIND_KEY, [hash]);
    return row && keyFrom(row);
  }

  async findKey(id: string): Promise<ApiKey | null> {
    return this.em.fork().findOne(ApiKey, { id }, { populate: ['user'], strategy: 'joined' });
  }

  /** Newest first. */
  async listKeys(userId: string): Promise<ApiKey[]> {
    return this.em.fork().find(ApiKey, { user: userId }, { orderBy: { id: 'desc' } });
  }

  async insertKey(key: ApiKey): Promise<void> {
    await this.em.fork().insert(ApiKey, key);
  }

  /** Replaces a key by another in one step: the old one ends at `endsAt`, the new one is stored. */
  async replaceKey(id: string, endsAt: Date, successor: ApiKey): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      await sql`update api_keys set expires_at = least(expires_at, ${endsAt}::timestamptz) where id = ${id}`.execute(em.getKysely());
      await em.insert(ApiKey, successor);
    });
  }

  /** Changes the given columns; null when there is no such key. */
  async updateKey(id: string, changes: Partial<ApiKey>): Promise<ApiKey | null> {
    return this.update(ApiKey, id, changes);
  }

  /** True when there is such a key; revoking twice keeps the first time. */
  async revokeKey(id: string, at: Date): Promise<boolean> {
    const { rows } = await sql`update api_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id} returning id`.execute(this.em.getKysely());
    return rows.length > 0;
  }

  /** Notes a use unless one was noted after `unlessAfter`. */
  async touchKey(id: string, at: Date, unlessAfter: Date): Promise<void> {
    await sql`
      update api_keys set last_used_at = ${at} where id = ${id} and (last_used_at is null or last_used_at <= ${unlessAfter})
    `.execute(this.em.getKysely());
  }

  async findUser(id: string): Promise<User | null> {
    return this.em.fork().findOne(User, { id });
  }

  /** Oldest first. */
  async listUsers(limit: number, offset: number): Promise<User[]> {
    return this.em.fork().find(User, {}, { orderBy: { id: 'asc' }, limit, offset });
  }

  async insertUser(user: User): Promise<void> {
    await this.em.fork().insert(User, user);
  }

  /** Changes the given columns; null when there is no such user. */
  async updateUser(id: string, changes: Partial<User>): Promise<User | null> {
    return this.update(User, id, changes);
  }

  private async update<T extends User | ApiKey>(entity: new () => T, id: string, changes: Partial<T>): Promise<T | null> {
    const em = this.em.fork();
    const row = await em.findOne<User | ApiKey>(entity, { id });
    if (row === null) return null;
    Object.assign(row, changes);
    await em.flush();
    return row as T;
  }
}

const FIND_KEY = {
  name: 'key',
  text: `
    select k.id, k.name, k.prefix, k.hash, k.monthly_spend_limit, array_to_json(k.allowed_models) as allowed_models, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
      u.id as user_id, u.email, u.free_quota, u.has_payment_method, u.monthly_spend_limit as user_spend_limit, u.created_at as user_created_at
    from api_keys k join users u on u.id = k.user_id where k.hash = $1`,
};

interface KeyRow extends Pick<ApiKey, 'id' | 'name' | 'prefix' | 'hash'> {
  monthly_spend_limit: string | null;
  allowed_models: string[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  user_id: string;
  email: string;
  free_quota: number | null;
  has_payment_method: boolean;
  user_spend_limit: string | null;
  user_created_at: string;
}

function keyFrom(row: KeyRow): ApiKey {
  return {
    id: row.id,
    user: {
      id: row.user_id,
      email: row.email,
      freeQuota: row.free_quota,
      hasPaymentMethod: row.has_payment_method,
      monthlySpendLimit: moneyFrom(row.user_spend_limit),
      createdAt: new Date(row.user_created_at),
    },
    name: row.name,
    prefix: row.prefix,
    hash: row.hash,
    monthlySpendLimit: moneyFrom(row.monthly_spend_limit),
    allowedModels: row.allowed_models,
    createdAt: new Date(row.created_at),
    expiresAt: dateFrom(row.expires_at),
    revokedAt: dateFrom(row.revoked_at),
    lastUsedAt: dateFrom(row.last_used_at),
  };
}

function moneyFrom(text: string | null): Money | null {
  return text === null ? null : Money.of(text);
}

function dateFrom(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
