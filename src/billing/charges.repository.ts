import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { SqlService } from '../database/sql.service';
import { Money } from '../common/money';
import type { Month } from '../common/month';
import type { BreakdownTotal, Dimension } from './breakdown-total.entity';
import { Charge, type BillableCharge } from './charge.entity';
import type { MonthTotal } from './month-total.entity';
import type { Idempotency } from './reservations.repository';

/** What one charge adds to one line of the month's breakdown. */
export type BreakdownLine = Omit<BreakdownTotal, 'userId' | 'month' | 'evalCount' | 'inputTokens' | 'outputTokens' | symbol> & { inputTokens: number; outputTokens: number };

/** A part of a statement. */
export type Part = RawBuilder<unknown>;

/** A charge with all that is written together with it. */
export interface Posting {
  charge: Charge;
  shares: readonly BreakdownLine[];
  idempotency: Idempotency | undefined;
  /** What another room stores in the same statement, as `name as (…)`, for each row of the given table. */
  alongside: (gate: Part) => Part;
}

/** Charges and the totals that are kept with them. */
@Injectable()
export class ChargesRepository {
  constructor(private readonly em: EntityManager, private readonly sql: SqlService) {}

  /**
   * Writes a charge, adds it to its month and to the month's breakdown, keeps its Idempotency-Key and stores what comes along, in one statement:
   * all of it for the one row of `gate`, or nothing when there is none. The month is locked before the rest. Says whether anything was written.
   */
  async insert(em: EntityManager, { charge, shares, idempotency, alongside }: Posting, gate: Part): Promise<boolean> {
    const { userId, month } = charge;
    const parts = JSON.stringify(shares.map((share) => ({ ...share, cost: share.cost.toString(), charge: share.charge.toString() })));
    const { rows } = await sql`
      with gate as (${gate}),
      charged as (${insertion(charge, sql`from gate`)}),
      keyed as (
        insert into idempotency_keys (user_id, key, fingerprint, eval_id, created_at)
        select ${userId}, ${idempotency?.key ?? null}, ${idempotency?.fingerprint ?? null}, ${charge.evalId}, ${charge.createdAt}::timestamptz
        from gate where ${idempotency !== undefined}::boolean
      ),
      broken_down as (
        insert into breakdown_totals as part (user_id, month, dimension, item, eval_count, input_tokens, output_tokens, cost, charge)
        select ${userId}, ${month}, share.dimension, share.item, 1, share."inputTokens", share."outputTokens", share.cost, share.charge
        from gate, json_to_recordset(${parts}) as share (dimension text, item text, "inputTokens" bigint, "outputTokens" bigint, cost numeric, charge numeric)
        on conflict (user_id, month, dimension, item) do update
        set eval_count = part.eval_count + 1, input_tokens = part.input_tokens + excluded.input_tokens,
            output_tokens = part.output_tokens + excluded.output_tokens, cost = part.cost + excluded.cost, charge = part.charge + excluded.charge
      ),
      ${alongside(sql`gate`)}
      insert into month_totals as total (user_id, month, eval_count, free_eval_count, cost, charge)
      select ${userId}, ${month}, 1, ${charge.isFree}::boolean::integer, cost, charge from charged
      on conflict (user_id, month) do update
      set eval_count = total.eval_count + 1, free_eval_count = total.free_eval_count + excluded.free_eval_count,
          cost = total.cost + excluded.cost, charge = total.charge + excluded.charge
      returning user_id
    `.execute(em.getKysely());
    return rows.length > 0;
  }

  /** Writes a correction and adds it to its month, which need not have seen an eval. */
  async insertCorrection(tx: EntityManager, correction: Charge): Promise<void> {
    await sql`
      with charged as (${insertion(correction, sql``)})
      insert into month_totals as total (user_id, month, charge) select ${correction.userId}, ${correction.month}, charged.charge from charged
      on conflict (user_id, month) do update set charge = total.charge + excluded.charge
    `.execute(tx.getKysely());
  }

  /** Forgets an Idempotency-Key that is older than that, so that it can be used anew. */
  async forgetIdempotency(tx: EntityManager, userId: string, key: string, before: Date): Promise<void> {
    await sql`delete from idempotency_keys where created_at <= ${before} and user_id = ${userId} and key = ${key}`.execute(tx.getKysely());
  }

  /** Forgets the oldest Idempotency-Keys that are no younger than that, at most so many, and says how many; passes over those that somebody else is forgetting. */
  async forgetIdempotencyBefore(before: Date, most: number): Promise<number> {
    const { rows } = await sql`
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys where created_at <= ${before} order by created_at limit ${most} for update skip locked
      )) returning 1
    `.execute(this.em.getKysely());
    return rows.length;
  }

  /** A user's month in the ledger; undefined when nothing has happened in it. */
  async findMonth(userId: string, month: Month): Promise<Omit<MonthTotal, 'userId' | 'month' | symbol> | undefined> {
    return this.sql.queryOne(FIND_MONTH, [userId, month.toString()]);
  }

  /** A month's parts along one dimension, ordered by item. */
  async breakdown(userId: string, month: Month, dimension: Dimension): Promise<Omit<BreakdownTotal, 'userId' | 'month' | symbol>[]> {
    return this.sql.query(FIND_BREAKDOWN, [userId, month.toString(), dimension]);
  }

  /** A month's charges and corrections in the order in which they were written, after the one with that id. */
  async page(userId: string, month: Month, after: string, limit: number): Promise<Charge[]> {
    return this.sql.query(FIND_CHARGES, [userId, month.toString(), after, limit]);
  }

  /** A month's charges and corrections that come to something, as the transaction sees them. */
  async findBillable(tx: EntityManager, userId: string, month: Month): Promise<BillableCharge[]> {
    return tx.find(Charge, { userId, month: month.toString(), charge: { $ne: Money.zero } }, { fields: ['id', 'charge', 'occurredAt'], disableIdentityMap: true });
  }
}

const FIND_MONTH = `
  select eval_count as "evalCount", free_eval_count as "freeEvalCount", cost, charge from month_totals where user_id = $1 and month = $2`;

const FIND_BREAKDOWN = `
  select dimension, item, eval_count as "evalCount", input_tokens as "inputTokens", output_tokens as "outputTokens", cost, charge
  from breakdown_totals where user_id = $1 and month = $2 and dimension = $3 order by item`;

// Arrays as JSON, which is read many times faster than Postgres' own notation.
const FIND_CHARGES = `
  select id, user_id as "userId", eval_id as "evalId", key_id as "keyId", month, array_to_json(models) as models, input_tokens as "inputTokens", output_tokens as "outputTokens",
    cost, margin::text as margin, charge, is_free as "isFree", reason, occurred_at as "occurredAt", created_at as "createdAt"
  from charges where user_id = $1 and month = $2 and id collate "C" > $3 order by id collate "C" limit $4`;

function insertion(charge: Charge, from: Part) {
  return sql`
    insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
    select ${charge.id}, ${charge.userId}, ${charge.evalId}, ${charge.keyId}, ${charge.month}, ${charge.models}, ${charge.inputTokens}, ${charge.outputTokens},
      ${charge.cost.toString()}, ${charge.margin}, ${charge.charge.toString()}, ${charge.isFree}, ${charge.reason}, ${charge.occurredAt}, ${charge.createdAt} ${from}
    returning cost, charge`;
}
