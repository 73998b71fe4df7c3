import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { Money } from '../common/money';
import type { Month } from '../common/month';

/** An Idempotency-Key and the SHA-256 of the order it came with. */
export interface Idempotency {
  key: string;
  fingerprint: string;
}

/** What a promise is asked for. */
export interface ReservationRequest {
  id: string;
  userId: string;
  keyId: string;
  month: Month;
  /** Whether a free eval is wanted, if one is left. */
  wantsFree: boolean;
  /** Free evals a month. */
  freeQuota: number;
  /** The most the eval can be charged if it is not free. */
  maxCharge: Money;
  userLimit: Money | null;
  keyLimit: Money | null;
  /** Whether an eval that is not free may run. */
  mayBeCharged: boolean;
  idempotency: Idempotency | undefined;
  ttlSeconds: number;
}

/** What came of asking for a promise. */
export interface ReservationAnswer {
  isMade: boolean;
  isFree: boolean;
  /** Free evals settled so far this month. */
  freeEvalCount: number;
  /** Charged so far this month, and promised to running evals, by the user and by the key. */
  user: Committed;
  key: Committed;
}

/** Whether the transaction is safe on the disk when it is done. A promise need not be: an eval whose promise is gone is settled anew, and only that is waited for. */
type Durability = 'durable' | 'lost-in-a-crash';

/** After so many changes by others in between, waiting in line is the shorter way. */
const ATTEMPTS_AT_ONCE = 3;

/** Money that is gone or promised. */
export interface Committed {
  charged: Money;
  promised: Money;
}

/** What is known of an Idempotency-Key: its eval, or that it is in use right now. */
export type IdempotencyState = { evalId: string; fingerprint: string } | 'running' | undefined;

/** What a promise was worth when it was taken back. */
export interface Redeemed {
  isFree: boolean;
  /** Whether it had not run out. */
  isLive: boolean;
}

interface SumsRow {
  user_charged: string;
  user_promised: string;
  key_charged: string;
  key_promised: string;
}

/** Promises to running evals. Each write first locks the month's row, so that no two count the same free eval or the same dollar. */
@Injectable()
export class ReservationsRepository {
  constructor(private readonly em: EntityManager) {}

  /** Forgets the month's expired promises and makes a new one if the limits leave room. */
  async reserve(request: ReservationRequest): Promise<ReservationAnswer> {
    for (let attempt = 1; attempt <= ATTEMPTS_AT_ONCE; attempt += 1) {
      const answer = await this.reserveAtOnce(this.em, request, 'lost-in-a-crash');
      if (answer !== undefined) return answer;
    }
    return this.em.fork().transactional((tx) => this.reserveIn(tx, request, 'lost-in-a-crash'));
  }

  /** The same in a transaction, which keeps the month locked to its end. */
  async reserveIn(tx: EntityManager, request: ReservationRequest, durability: Durability): Promise<ReservationAnswer> {
    await this.lockMonth(tx, request);
    // A statement of its own, so that it sees what was committed while the lock was waited for.
    const answer = await this.reserveAtOnce(tx, request, durability);
    if (answer === undefined) throw new Error('A locked month has changed.');
    return answer;
  }

  /**
   * Locks the month and decides, in one statement. Undefined when the month is new or was changed while its lock was waited for, because a statement
   * sees promises as they were when it began: each promise touches the month's row, whose version (xmin) tells whether there are newer ones.
   */
  private async reserveAtOnce(em: EntityManager, request: ReservationRequest, durability: Durability): Promise<ReservationAnswer | undefined> {
    const { id, userId, keyId, idempotency, maxCharge } = request;
    const month = request.month.toString();
    const { rows } = await sql<SumsRow & { is_made: boolean; is_free: boolean; free_eval_count: number }>`
      with locked as (
        select free_eval_count, charge, xmin::text as version from month_totals where user_id = ${userId} and month = ${month} for update
      ), unchanged as (
        select * from locked where version = (select xmin::text from month_totals where user_id = ${userId} and month = ${month})
      ), expired as (
        delete from reservations using unchanged where user_id = ${userId} and expires_at <= clock_timestamp()
          and (month = ${month} or idempotency_key = ${idempotency?.key ?? null})
        returning id
      ), live as (
        select count(*) filter (where is_free)::integer as free_count,
          coalesce(sum(max_charge), 0) as user_promised, coalesce(sum(max_charge) filter (where key_id = ${keyId}), 0) as key_promised
        from reservations where user_id = ${userId} and month = ${month} and id not in (select id from expired)
      ), state as (
        select live.*, unchanged.free_eval_count, ${request.wantsFree}::boolean and unchanged.free_eval_count + live.free_count < ${request.freeQuota}::integer as is_free,
          unchanged.charge as user_charged, ${chargedByKey(userId, keyId, month)}
        from live, unchanged
      ), made as (
        insert into reservations (id, user_id, key_id, month, is_free, max_charge, idempotency_key, expires_at)
        select ${id}, ${userId}, ${keyId}, ${month}, is_free, case when is_free then 0 else ${maxCharge.toString()}::numeric end,
          ${idempotency?.key ?? null}, clock_timestamp() + make_interval(secs => ${request.ttlSeconds})
        from state
        where is_free or (${request.mayBeCharged}::boolean
          and ${withinLimit('user', request.userLimit, maxCharge)} and ${withinLimit('key', request.keyLimit, maxCharge)})
        returning id
      ), touched as (
        update month_totals as total set month = total.month from made where total.user_id = ${userId} and total.month = ${month}
      )
      select state.*, exists (select from made) as is_made ${durability === 'durable' ? sql`` : sql`, set_config('synchronous_commit', 'off', true)`} from state
    `.execute(em.getKysely());
    const [row] = rows;
    return row && { isMade: row.is_made, isFree: row.is_free, freeEvalCount: row.free_eval_count, ...committed(row) };
  }

  /** A part of a statement that locks the month and takes the promise back: one row, or none when it has run out or is worth something else by now. */
  redeeming({ id, userId, month }: ReservationRequest, isFree: boolean): RawBuilder<unknown> {
    return sql`
      delete from reservations using (select from month_totals where user_id = ${userId} and month = ${month.toString()} for update) as locked
      where id = ${id} and is_free = ${isFree} and expires_at > clock_timestamp() returning id`;
  }

  /** A part of a statement that locks the month: one row when its free evals are used up, else none. */
  quotaUsedUp({ userId, month, freeQuota }: ReservationRequest): RawBuilder<unknown> {
    if (freeQuota <= 0) return sql`select`;
    return sql`select from month_totals where user_id = ${userId} and month = ${month.toString()} and free_eval_count >= ${freeQuota}::integer for update`;
  }

  /** Locks the month and takes the promise back, whatever became of it. Needs a transaction. */
  async redeem(tx: EntityManager, { id, userId, month }: ReservationRequest): Promise<Redeemed> {
    const { rows } = await sql<{ is_free: boolean; is_live: boolean }>`
      with locked as (
        select from month_totals where user_id = ${userId} and month = ${month.toString()} for update
      )
      delete from reservations using locked where id = ${id} returning is_free, expires_at > clock_timestamp() as is_live
    `.execute(tx.getKysely());
    const [row] = rows;
    return { isFree: row?.is_free ?? false, isLive: row?.is_live ?? false };
  }

  /** What is charged and promised in the month of that promise, by its user and by its key. Needs a transaction that has locked the month. */
  async committed(tx: EntityManager, { userId, keyId, month }: ReservationRequest): Promise<{ user: Committed; key: Committed }> {
    const { rows } = await sql<SumsRow>`
      select coalesce(sum(max_charge), 0) as user_promised, coalesce(sum(max_charge) filter (where key_id = ${keyId}), 0) as key_promised,
        coalesce((select charge from month_totals where user_id = ${userId} and month = ${month.toString()}), 0) as user_charged,
        ${chargedByKey(userId, keyId, month.toString())}
      from reservations where user_id = ${userId} and month = ${month.toString()} and expires_at > clock_timestamp()
    `.execute(tx.getKysely());
    const [row] = rows;
    if (row === undefined) throw new Error('A sum without a row.');
    return committed(row);
  }

  /** What became of an Idempotency-Key within the last 24 hours. */
  async findIdempotency(userId: string, key: string, since: Date, em: EntityManager = this.em): Promise<IdempotencyState> {
    const { rows } = await sql<{ eval_id: string | null; fingerprint: string | null }>`
      select eval_id, fingerprint from idempotency_keys where user_id = ${userId} and key = ${key} and created_at > ${since}
      union all
      select null, null from reservations where user_id = ${userId} and idempotency_key = ${key} and expires_at > clock_timestamp()
    `.execute(em.getKysely());
    const settled = rows.find(({ eval_id: evalId }) => evalId !== null);
    if (settled?.eval_id && settled.fingerprint) return { evalId: settled.eval_id, fingerprint: settled.fingerprint };
    return rows.length > 0 ? 'running' : undefined;
  }

  /** Gives a promise back; one already redeemed is no longer there. */
  async release(id: string): Promise<void> {
    await sql`delete from reservations where id = ${id}`.execute(this.em.getKysely());
  }

  /** Lets promises last on from now. */
  async renew(ids: readonly string[], seconds: number): Promise<void> {
    await sql`
      update reservations set expires_at = clock_timestamp() + make_interval(secs => ${seconds}) where id = any(${ids})
    `.execute(this.em.getKysely());
  }

  private async lockMonth(tx: EntityManager, { userId, month }: ReservationRequest): Promise<void> {
    await sql`
      insert into month_totals (user_id, month) values (${userId}, ${month.toString()}) on conflict (user_id, month) do update set month = excluded.month
    `.execute(tx.getKysely());
  }
}

/** Charged so far this month by the key, as a column. */
function chargedByKey(userId: string, keyId: string, month: string) {
  return sql`
    coalesce((select charge from breakdown_totals where user_id = ${userId} and month = ${month} and dimension = 'key' and item = ${keyId}), 0) as key_charged`;
}

function withinLimit(whose: 'user' | 'key', limit: Money | null, worst: Money) {
  if (limit === null) return sql`true`;
  return sql`${sql.ref(`${whose}_charged`)} + ${sql.ref(`${whose}_promised`)} + ${worst.toString()}::numeric <= ${limit.toString()}::numeric`;
}

function committed(row: SumsRow): { user: Committed; key: Committed } {
  return {
    user: { charged: Money.of(row.user_charged), promised: Money.of(row.user_promised) },
    key: { charged: Money.of(row.key_charged), promised: Money.of(row.key_promised) },
  };
}
