import { Injectable } from '@nestjs/common';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { SqlService } from '../database/sql.service';
import { Money } from '../common/money';
import { ApiKey } from './api-key.entity';
import type { Scope } from './scopes';
import { User } from './user.entity';

/** Users and keys in Postgres. */
@Injectable()
export class AuthRepository {
  constructor(
    private readonly em: EntityManager,
    private readonly database: SqlService,
  ) {}

  /** The key with one of those hashes together with its user, whatever its state. */
  async findKeyByHash(hashes: readonly string[]): Promise<ApiKey | undefined> {
    const [row] = await this.database.query<KeyRow>(FIND_KEY, [hashes]);
    return row && keyFrom(row);
  }

  /** The key, locked until the transaction ends; what is changed on it is stored then. */
  async lockKey(tx: EntityManager, id: string): Promise<ApiKey | null> {
    return tx.findOne(ApiKey, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Newest first. */
  async listKeys(userId: string): Promise<ApiKey[]> {
    return this.em.fork().find(ApiKey, { user: userId }, { orderBy: { id: 'desc' } });
  }

  async insertKey(tx: EntityManager, key: ApiKey): Promise<void> {
    await tx.insert(ApiKey, key);
  }

  /** Notes a use unless one was noted after `unlessAfter`. */
  async touchKey(id: string, at: Date, unlessAfter: Date): Promise<void> {
    await sql`
      update api_keys set last_used_at = ${at} where id = ${id} and (last_used_at is null or last_used_at <= ${unlessAfter})
    `.execute(this.em.getKysely());
  }

  /** Stores another hash for a key unless somebody else has done so. */
  async rehashKey(id: string, from: string, to: string): Promise<void> {
    await sql`update api_keys set hash = ${to} where id = ${id} and hash = ${from}`.execute(this.em.getKysely());
  }

  async findUser(id: string): Promise<User | null> {
    return this.em.fork().findOne(User, { id });
  }

  /** Oldest first. */
  async listUsers(limit: number, offset: number): Promise<User[]> {
    return this.em.fork().find(User, {}, { orderBy: { id: 'asc' }, limit, offset });
  }

  /** The user, locked until the transaction ends; what is changed on it is stored then. */
  async lockUser(tx: EntityManager, id: string): Promise<User | null> {
    return tx.findOne(User, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  async insertUser(tx: EntityManager, user: User): Promise<void> {
    await tx.insert(User, user);
  }
}

const FIND_KEY = `
  select k.id, k.name, k.prefix, k.hash, k.monthly_spend_limit, array_to_json(k.allowed_models) as allowed_models, array_to_json(k.scopes) as scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
    u.id as user_id, u.email, u.free_quota, u.has_payment_method, u.monthly_spend_limit as user_spend_limit, u.created_at as user_created_at
  from api_keys k join users u on u.id = k.user_id where k.hash = any($1)`;

interface KeyRow extends Pick<ApiKey, 'id' | 'name' | 'prefix' | 'hash'> {
  monthly_spend_limit: string | null;
  allowed_models: string[] | null;
  scopes: Scope[] | null;
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
    scopes: row.scopes,
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
