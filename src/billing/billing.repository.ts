import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
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
    const { id, userId, month, wantsFree, freeQuota, seconds } = request;
    const freeEvalCount = await this.lockMonth(tx, userId, month);
    const [row] = await tx.execute<{ is_free: boolean }[]>(
      `with expired as (
         delete from reservations where user_id = ? and month = ? and expires_at <= clock_timestamp()
       )
       insert into reservations (id, user_id, month, is_free, expires_at)
       select ?, ?, ?, ? and ? + (
           select count(*) from reservations where user_id = ? and month = ? and is_free and expires_at > clock_timestamp()
         ) < ?,
         clock_timestamp() + make_interval(secs => ?)
       returning is_free`,
      [userId, `${month}`, id, userId, `${month}`, wantsFree, freeEvalCount, userId, `${month}`, freeQuota, seconds],
    );
    return row?.is_free ?? false;
  }

  /** Locks the month and takes the promise back; tells whether it was still good for a free eval. Needs a transaction. */
  async redeem(tx: EntityManager, request: ReservationRequest): Promise<boolean> {
    const [row] = await tx.execute<{ good: boolean }[]>(
      `with locked as (select 1 from month_totals where user_id = ? and month = ? for update)
       delete from reservations using locked where id = ? returning is_free and expires_at > clock_timestamp() as good`,
      [request.userId, `${request.month}`, request.id],
    );
    if (row?.good === true || !request.wantsFree) return row?.good ?? false;
    // The promise had run out (a long pause of this process): it may be renewed only while a free eval is left.
    const isFree = await this.reserve(tx, request);
    await tx.execute('delete from reservations where id = ?', [request.id]);
    return isFree;
  }

  /** Writes a charge and adds it to its month, in one statement. Needs a transaction that has locked the month. */
  async insertCharge(tx: EntityManager, userId: string, charge: Omit<Charge, 'user'>): Promise<void> {
    await tx.execute(
      `with charged as (
         insert into charges (id, user_id, eval_id, month, cost, margin, charge, is_free, created_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)
         returning user_id, month, cost, charge, is_free
       )
       update month_totals as total
       set eval_count = total.eval_count + 1,
           free_eval_count = total.free_eval_count + charged.is_free::integer,
           cost = total.cost + charged.cost,
           charge = total.charge + charged.charge
       from charged where total.user_id = charged.user_id and total.month = charged.month`,
      [charge.id, userId, charge.evalId, charge.month, charge.cost.toString(), charge.margin, charge.charge.toString(), charge.isFree, charge.createdAt],
    );
  }

  /** Gives promises back; those already redeemed are no longer there. */
  async release(ids: readonly string[]): Promise<void> {
    await this.em.execute('delete from reservations where id = any(?)', [ids]);
  }

  /** Lets promises last on from now. */
  async renew(ids: readonly string[], seconds: number): Promise<void> {
    await this.em.execute('update reservations set expires_at = clock_timestamp() + make_interval(secs => ?) where id = any(?)', [seconds, ids]);
  }

  /** The books of a user's month; null when nothing has happened in it. */
  async findMonth(userId: string, month: Month): Promise<MonthTotal | null> {
    const [row] = await this.em.execute<{ eval_count: number; free_eval_count: number; cost: string; charge: string }[]>(
      'select eval_count, free_eval_count, cost, charge from month_totals where user_id = ? and month = ?',
      [userId, `${month}`],
    );
    return row === undefined ? null : Object.assign(new MonthTotal(), {
      userId,
      month: `${month}`,
      evalCount: row.eval_count,
      freeEvalCount: row.free_eval_count,
      cost: Money.of(row.cost),
      charge: Money.of(row.charge),
    });
  }

  private async lockMonth(tx: EntityManager, userId: string, month: Month): Promise<number> {
    const [row] = await tx.execute<{ free_eval_count: number }[]>(
      `insert into month_totals (user_id, month) values (?, ?)
       on conflict (user_id, month) do update set month = excluded.month
       returning free_eval_count`,
      [userId, `${month}`],
    );
    return row?.free_eval_count ?? 0;
  }
}
