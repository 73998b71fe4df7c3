import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Money } from '../common/money';
import type { Month } from '../common/month';
import type { Charge } from './charge.entity';
import { MonthTotal } from './month-total.entity';

/** What a promise is asked for. */
export interface ReservationRequest {
  id: string;
  userId: string;
  month: Month;
  /** Whether a free eval is wanted, if one is left. */
  wantsFree: boolean;
  /** Free evals a month. */
  freeQuota: number;
  seconds: number;
}

/** Promises, charges and the month's totals. Every write to a month first locks its row, so that two never count the same free eval. */
@Injectable()
export class BillingRepository {
  constructor(private readonly em: EntityManager) {}

  /** Locks the month, forgets its expired promises and makes a new one; tells whether it holds a free eval. Needs a transaction. */
  async reserve(tx: EntityManager, request: ReservationRequest): Promise<boolean> {
    const { id, userId, wantsFree, freeQuota, seconds } = request;
    const month = request.month.toString();
    const freeEvalCount = await this.lockMonth(tx, userId, month);
    // A statement of its own, so that it sees what was committed while the lock was waited for.
    const { rows } = await sql<{ is_free: boolean }>`
      with expired as (
        delete from reservations where user_id = ${userId} and month = ${month} and expires_at <= clock_timestamp()
      ), live as (
        select count(*)::integer as free_count from reservations
        where user_id = ${userId} and month = ${month} and is_free and expires_at > clock_timestamp()
      )
      insert into reservations (id, user_id, month, is_free, expires_at)
      select ${id}, ${userId}, ${month},
        ${wantsFree}::boolean and ${freeEvalCount}::integer + live.free_count < ${freeQuota}::integer,
        clock_timestamp() + make_interval(secs => ${seconds})
      from live
      returning is_free
    `.execute(tx.getKysely());
    return rows[0]?.is_free ?? false;
  }

  /** Locks the month and takes the promise back; tells whether it was still good for a free eval. Needs a transaction. */
  async redeem(tx: EntityManager, request: ReservationRequest): Promise<boolean> {
    const { rows } = await sql<{ is_free: boolean; is_live: boolean }>`
      with locked as (
        select from month_totals where user_id = ${request.userId} and month = ${request.month.toString()} for update
      )
      delete from reservations using locked where id = ${request.id}
      returning is_free, expires_at > clock_timestamp() as is_live
    `.execute(tx.getKysely());
    const promise = rows[0];
    if (promise?.is_live === true || !request.wantsFree) return promise?.is_free ?? false;
    // The promise had run out (a long pause of this process): it is made anew, and free only while a free eval is left.
    const isFree = await this.reserve(tx, request);
    await sql`delete from reservations where id = ${request.id}`.execute(tx.getKysely());
    return isFree;
  }

  /** Writes a charge and adds it to its month, in one statement. Needs a transaction that has locked the month. */
  async insertCharge(tx: EntityManager, charge: Charge): Promise<void> {
    const { id, userId, evalId, month, margin, isFree, createdAt } = charge;
    await sql`
      with charged as (
        insert into charges (id, user_id, eval_id, month, cost, margin, charge, is_free, created_at)
        values (${id}, ${userId}, ${evalId}, ${month}, ${charge.cost.toString()}, ${margin}, ${charge.charge.toString()}, ${isFree}, ${createdAt})
        returning user_id, month, cost, charge, is_free
      )
      update month_totals as total
      set eval_count = total.eval_count + 1,
          free_eval_count = total.free_eval_count + charged.is_free::integer,
          cost = total.cost + charged.cost,
          charge = total.charge + charged.charge
      from charged where total.user_id = charged.user_id and total.month = charged.month
    `.execute(tx.getKysely());
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

  /** The books of a user's month; undefined when nothing has happened in it. */
  async findMonth(userId: string, month: Month): Promise<Omit<MonthTotal, 'userId' | 'month'> | undefined> {
    const { rows } = await sql<{ eval_count: number; free_eval_count: number; cost: string; charge: string }>`
      select eval_count, free_eval_count, cost, charge from month_totals where user_id = ${userId} and month = ${month.toString()}
    `.execute(this.em.getKysely());
    const [row] = rows;
    return row && { evalCount: row.eval_count, freeEvalCount: row.free_eval_count, cost: Money.of(row.cost), charge: Money.of(row.charge) };
  }

  private async lockMonth(tx: EntityManager, userId: string, month: string): Promise<number> {
    const { rows } = await sql<{ free_eval_count: number }>`
      insert into month_totals (user_id, month) values (${userId}, ${month})
      on conflict (user_id, month) do update set month = excluded.month
      returning free_eval_count
    `.execute(tx.getKysely());
    return rows[0]?.free_eval_count ?? 0;
  }
}
