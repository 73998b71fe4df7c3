import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ApiKey } from './api-key.entity';
import { User } from './user.entity';

/** Users and keys in Postgres. */
@Injectable()
export class AuthRepository {
  constructor(private readonly em: EntityManager) {}

  /** The key with that hash together with its user, whatever its state. */
  async findKeyByHash(hash: string): Promise<ApiKey | null> {
    return this.em.fork().findOne(ApiKey, { hash }, { populate: ['user'], strategy: 'joined' });
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
