import { EntityManager, LockMode, raw } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SqlService } from '../../platform/database/sql.service';
import { ApiKey } from './api-key.entity';
import { User } from './user.entity';
import { named } from '../../platform/database/statement-names';

/** The users to list: those with an e-mail address, or all. */
export interface UsersQuery {
  email?: string;
  limit: number;
  offset: number;
}

@Injectable()
export class AuthRepository {
  constructor(
    private readonly em: EntityManager,
    private readonly sql: SqlService,
  ) {}

  /** The key with one of those hashes together with its user, whatever its state. */
  async findKeyByHash(hashes: readonly string[]): Promise<ApiKey | undefined> {
    const row = await this.sql.queryOne<KeyWithUser>(FIND_KEY, [hashes]);
    if (row === undefined) return undefined;
    const { userId, email, freeQuota, hasPaymentMethod, userSpendLimit, userCreatedAt, ...key } = row;
    return {
      ...key,
      user: {
        id: userId,
        email,
        freeQuota,
        hasPaymentMethod,
        monthlySpendLimit: userSpendLimit,
        createdAt: userCreatedAt,
      },
    };
  }

  /** The key with its user, whatever its state. */
  async findKey(id: string): Promise<ApiKey | null> {
    return this.em.fork().findOne(ApiKey, { id }, { populate: ['user'] });
  }

  /** Those of these keys that were revoked or have expired at an instant. */
  async findEndedKeys(ids: readonly string[], at: Date): Promise<string[]> {
    const rows = await this.sql.query<{ id: string }>(
      'select id from api_keys where id = any($1) and (revoked_at is not null or expires_at <= $2)',
      [ids, at],
    );
    return rows.map(({ id }) => id);
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
    await this.em
      .fork()
      .nativeUpdate(
        ApiKey,
        { id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: unlessAfter } }] },
        { lastUsedAt: at },
      );
  }

  /** Stores another hash for a key unless somebody else has done so. */
  async rehashKey(id: string, from: string, to: string): Promise<void> {
    await this.em.fork().nativeUpdate(ApiKey, { id, hash: from }, { hash: to });
  }

  async findUser(id: string): Promise<User | null> {
    return this.em.fork().findOne(User, { id });
  }

  /** Oldest first. */
  async listUsers({ email, limit, offset }: UsersQuery): Promise<User[]> {
    return this.em.fork().find(User, email === undefined ? {} : { [raw('lower(email)')]: email.toLowerCase() }, {
      orderBy: { id: 'asc' },
      limit,
      offset,
    });
  }

  async lockUser(tx: EntityManager, id: string): Promise<User | null> {
    return tx.findOne(User, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Sets if the user has a payment method. A plain update, which does not wait for a charge that is being written. */
  async setPaymentMethod(tx: EntityManager, id: string, hasPaymentMethod: boolean): Promise<void> {
    await tx.nativeUpdate(User, { id }, { hasPaymentMethod });
  }

  async insertUser(tx: EntityManager, user: User): Promise<void> {
    await tx.insert(User, user);
  }
}

type KeyWithUser = Omit<ApiKey, 'user'> &
  Pick<User, 'email' | 'freeQuota' | 'hasPaymentMethod'> & {
    userId: User['id'];
    userSpendLimit: User['monthlySpendLimit'];
    userCreatedAt: User['createdAt'];
  };

// By hand, because the ORM takes eight times as long to make the two of one row. Arrays as JSON, which is read many
// times faster than Postgres' own notation.
const FIND_KEY = named(
  'find_key',
  `
  select k.id, k.name, k.prefix, k.hash, k.monthly_spend_limit as "monthlySpendLimit", array_to_json(k.allowed_models) as "allowedModels", array_to_json(k.scopes) as scopes,
    k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt",
    u.id as "userId", u.email, u.free_quota as "freeQuota", u.has_payment_method as "hasPaymentMethod", u.monthly_spend_limit as "userSpendLimit", u.created_at as "userCreatedAt"
  from api_keys k join users u on u.id = k.user_id where k.hash = any($1)`,
);
