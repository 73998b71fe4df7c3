import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { isId } from '../../common/ids';
import { SqlService } from '../../platform/database/sql.service';
import { Share } from './share.entity';

/** Where a page of shares begins and what is on it. */
export interface SharePageStart {
  after: string | undefined;
  subject: string | undefined;
}

export type ViewedShare = Pick<
  Share,
  'id' | 'userId' | 'evalId' | 'experimentId' | 'redact' | 'votes' | 'seed' | 'expiresAt'
>;

@Injectable()
export class SharesRepository {
  constructor(
    private readonly em: EntityManager,
    private readonly sql: SqlService,
  ) {}

  /**
   * How many shares of a user are live at an instant or were made after another; no other process counts or creates
   * shares of this user until the transaction ends.
   */
  async countToLimit(tx: EntityManager, userId: string, at: Date, madeAfter: Date): Promise<number> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${userId}, 0))`.execute(tx.getKysely());
    const {
      rows: [row],
    } = await sql<{ count: number }>`
      select count(*)::int as count from shares where user_id = ${userId} and (created_at > ${madeAfter} or (revoked_at is null and expires_at > ${at}))
    `.execute(tx.getKysely());
    return row?.count ?? 0;
  }

  /** @throws ForeignKeyConstraintViolationException when the eval was erased meanwhile */
  async insert(tx: EntityManager, share: Share): Promise<void> {
    await tx.insert(Share, share);
  }

  /**
   * Revokes a share of a user unless it is revoked already. @returns whether the user has such a share, and whether it
   * was changed
   */
  async revoke(
    tx: EntityManager,
    userId: string,
    id: string,
    at: Date,
  ): Promise<{ exists: boolean; isRevoked: boolean }> {
    const {
      rows: [row],
    } = await sql<{ exists: boolean; revoked: boolean }>`
      with own as (select id from shares where id = ${id} and user_id = ${userId}),
        revoked as (update shares set revoked_at = ${at} from own where shares.id = own.id and revoked_at is null returning 1)
      select exists (select from own) as exists, exists (select from revoked) as revoked
    `.execute(tx.getKysely());
    return { exists: row?.exists ?? false, isRevoked: row?.revoked ?? false };
  }

  async page(userId: string, limit: number, { after, subject }: SharePageStart): Promise<Share[]> {
    const values: unknown[] = [userId, limit];
    const parameter = (value: unknown) => `$${values.push(value)}`;
    // Only what is asked for: with conditions that may be void, the planner would not read in the order of an index.
    const column = subject !== undefined && isId('exp', subject) ? 'experiment_id' : 'eval_id';
    const ofSubject = subject === undefined ? '' : `and ${column} = ${parameter(subject)}`;
    const older = after === undefined ? '' : `and id collate "C" < ${parameter(after)}`;
    return this.sql.query<Share>(
      `
      select id, user_id as "userId", eval_id as "evalId", experiment_id as "experimentId", array_to_json(redact) as redact, votes, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", views
      from shares where user_id = $1 ${ofSubject} ${older} order by id collate "C" desc limit $2`,
      values,
    );
  }

  /** The live share with one of those hashes, adding `views` views; from then on it has the first one. */
  async view(
    hashes: readonly [current: string, ...previous: string[]],
    at: Date,
    views: 0 | 1,
  ): Promise<ViewedShare | undefined> {
    const {
      rows: [row],
    } = await sql<Omit<ViewedShare, 'expiresAt'> & { expiresAt: string }>`
      update shares set views = views + ${views}, token_hash = ${hashes[0]} where token_hash = any(${hashes}) and revoked_at is null and expires_at > ${at}
      returning id, user_id as "userId", eval_id as "evalId", experiment_id as "experimentId", array_to_json(redact) as redact, votes, seed, expires_at as "expiresAt"
    `.execute(this.em.getKysely());
    return row && { ...row, expiresAt: new Date(row.expiresAt) };
  }
}
