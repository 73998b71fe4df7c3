import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { withRetries } from '../database/is-database-unavailable';
import { SqlService } from '../database/sql.service';
import { Money } from '../common/money';
import type { Month } from '../common/month';
import type { BreakdownTotal, Dimension } from './breakdown-total.entity';
import { Charge } from './charge.entity';
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
  constructor(private readonly em: EntityManager, private readonly database: SqlService) {}

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

  /** The books of a user's month; undefined when nothing has happened in it. */
  async findMonth(userId: string, month: Month): Promise<Omit<MonthTotal, 'userId' | 'month' | symbol> | undefined> {
    const row = await this.database.queryOne<[number, number, string, string]>(FIND_MONTH, [userId, month.toString()]);
    if (row === undefined) return undefined;
    const [evalCount, freeEvalCount, cost, charge] = row;
    return { evalCount, freeEvalCount, cost: Money.of(cost), charge: Money.of(charge) };
  }

  /** A month's parts along one dimension, ordered by item. */
  async breakdown(userId: string, month: Month, dimension: Dimension): Promise<Omit<BreakdownTotal, 'userId' | 'month' | symbol>[]> {
    const { rows } = await withRetries(() => sql<{ item: string; eval_count: number; input_tokens: string; output_tokens: string; cost: string; charge: string }>`
      select item, eval_count, input_tokens, output_tokens, cost, charge from breakdown_totals
      where user_id = ${userId} and month = ${month.toString()} and dimension = ${dimension} order by item
    `.execute(this.em.getKysely()));
    return rows.map((row) => ({
      dimension,
      item: row.item,
      evalCount: row.eval_count,
      inputTokens: BigInt(row.input_tokens),
      outputTokens: BigInt(row.output_tokens),
      cost: Money.of(row.cost),
      charge: Money.of(row.charge),
    }));
  }

  /** A month's charges and corrections in the order in which they were written, after the one with that id. */
  async page(userId: string, month: Month, after: string, limit: number): Promise<Charge[]> {
    const { rows } = await withRetries(() => sql<ChargeRow>`
      select id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at
      from charges where user_id = ${userId} and month = ${month.toString()} and id collate "C" > ${after} order by id collate "C" limit ${limit}
    `.execute(this.em.getKysely()));
    return rows.map(chargeFrom);
  }
}

const FIND_MONTH = 'select eval_count, free_eval_count, cost, charge from month_totals where user_id = $1 and month = $2';

function insertion(charge: Charge, from: Part) {
  return sql`
    insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
    select ${charge.id}, ${charge.userId}, ${charge.evalId}, ${charge.keyId}, ${charge.month}, ${charge.models}, ${charge.inputTokens}, ${charge.outputTokens},
      ${charge.cost.toString()}, ${charge.margin}, ${charge.charge.toString()}, ${charge.isFree}, ${charge.reason}, ${charge.occurredAt}, ${charge.createdAt} ${from}
    returning cost, charge`;
}

interface ChargeRow {
  id: string;
  user_id: string;
  eval_id: string | null;
  key_id: string | null;
  month: string;
  models: string[];
  input_tokens: number;
  output_tokens: number;
  cost: string;
  margin: string;
  charge: string;
  is_free: boolean;
  reason: string | null;
  occurred_at: Date | string;
  created_at: Date | string;
}

function chargeFrom(row: ChargeRow): Charge {
  return Object.assign(new Charge(), {
    id: row.id,
    userId: row.user_id,
    evalId: row.eval_id,
    keyId: row.key_id,
    month: row.month,
    models: row.models,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cost: Money.of(row.cost),
    margin: row.margin,
    charge: Money.of(row.charge),
    isFree: row.is_free,
    reason: row.reason,
    occurredAt: new Date(row.occurred_at),
    createdAt: new Date(row.created_at),
  });
}
