import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Money } from '../../common/money';
import type { Month } from '../../common/month';
import { SqlService } from '../../platform/database/sql.service';
import type { BreakdownPart, Dimension } from './breakdown-total.entity';
import { Charge, type BillableCharge } from './charge.entity';
import type { IdempotencyKey } from './idempotency-key.entity';
import type { MonthTotal } from './month-total.entity';
import { named } from '../../platform/database/statement-names';

/** Charges and the totals that are kept with them. */
@Injectable()
export class ChargesRepository {
  constructor(private readonly sql: SqlService) {}

  /** Writes a correction and adds it to its month, which need not have seen an eval. */
  async insertCorrection(tx: EntityManager, row: Charge): Promise<void> {
    await sql`
      with stored_charge as (
        insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
        values (${row.id}, ${row.userId}, ${row.evalId}, ${row.keyId}, ${row.month}, ${row.models}, ${row.inputTokens}, ${row.outputTokens},
          ${row.cost.toString()}, ${row.margin}, ${row.charge.toString()}, ${row.isFree}, ${row.reason}, ${row.occurredAt}, ${row.createdAt})
        returning user_id, month, charge
      )
      insert into month_totals as total (user_id, month, charge) select user_id, month, charge from stored_charge
      on conflict (user_id, month) do update set charge = total.charge + excluded.charge
    `.execute(tx.getKysely());
  }

  /** Deletes an Idempotency-Key that is older than that, so that it can be used again. */
  async deleteExpiredIdempotencyKey(tx: EntityManager, userId: string, key: string, before: Date): Promise<void> {
    await sql`delete from idempotency_keys where created_at <= ${before} and user_id = ${userId} and key = ${key}`.execute(
      tx.getKysely(),
    );
  }

  /**
   * Lets an Idempotency-Key stand for an eval. @throws UniqueConstraintViolationException when it stands for one
   * already
   */
  async insertIdempotencyKey(
    tx: EntityManager,
    { userId, key, fingerprint, evalId, createdAt }: IdempotencyKey,
  ): Promise<void> {
    await sql`insert into idempotency_keys (user_id, key, fingerprint, eval_id, created_at) values (${userId}, ${key}, ${fingerprint}, ${evalId}, ${createdAt})`.execute(
      tx.getKysely(),
    );
  }

  async deleteIdempotencyKey(tx: EntityManager, userId: string, key: string, evalId: string): Promise<void> {
    await sql`delete from idempotency_keys where user_id = ${userId} and key = ${key} and eval_id = ${evalId}`.execute(
      tx.getKysely(),
    );
  }

  /** A user's month in the ledger; undefined when nothing has happened in it. */
  async findMonth(
    userId: string,
    month: Month,
  ): Promise<Pick<MonthTotal, 'evalCount' | 'freeEvalCount' | 'cost' | 'charge'> | undefined> {
    return this.sql.queryOne(FIND_MONTH, [userId, month.toString()]);
  }

  async isOfKey(evalId: string, keyId: string): Promise<boolean> {
    return (
      (await this.sql.queryOne('select 1 from charges where eval_id = $1 and key_id = $2', [evalId, keyId])) !==
      undefined
    );
  }

  async wasFree(evalId: string): Promise<boolean | undefined> {
    return (
      await this.sql.queryOne<{ isFree: boolean }>('select is_free as "isFree" from charges where eval_id = $1', [
        evalId,
      ])
    )?.isFree;
  }

  /** The amounts charged to a user and a key in a month, or held by running evals; undefined without any activity. */
  async findTaken(
    userId: string,
    keyId: string,
    month: Month,
  ): Promise<{ freeEvals: number; byUser: Money; byKey: Money } | undefined> {
    return this.sql.queryOne(FIND_TAKEN, [userId, month.toString(), keyId]);
  }

  /** A month's parts along one dimension, ordered by item; without a key that has only ever reserved. */
  async breakdown(userId: string, month: Month, dimension: Dimension): Promise<BreakdownPart[]> {
    return this.sql.query(FIND_BREAKDOWN, [userId, month.toString(), dimension]);
  }

  /** A month's charges and corrections in the order in which they were written, after the one with that id. */
  async page(userId: string, month: Month, after: string, limit: number): Promise<Charge[]> {
    return this.sql.query(FIND_CHARGES, [userId, month.toString(), after, limit]);
  }

  /** A month's charges and corrections that come to something, as the transaction sees them. */
  async findBillable(tx: EntityManager, userId: string, month: Month): Promise<BillableCharge[]> {
    return tx.find(
      Charge,
      { userId, month: month.toString(), charge: { $ne: Money.zero } },
      { fields: ['id', 'charge', 'occurredAt'], disableIdentityMap: true },
    );
  }
}

const FIND_MONTH = named(
  'find_month',
  `
  select eval_count as "evalCount", free_eval_count as "freeEvalCount", cost, charge from month_totals where user_id = $1 and month = $2`,
);

const FIND_TAKEN = `
  select month.free_eval_count + month.free_held as "freeEvals", month.charge + month.held as "byUser", coalesce(key.charge + key.held, 0) as "byKey"
  from month_totals as month left join breakdown_totals as key on key.user_id = month.user_id and key.month = month.month and key.dimension = 'key' and key.item = $3
  where month.user_id = $1 and month.month = $2`;

const FIND_BREAKDOWN = named(
  'find_breakdown',
  `
  select dimension, item, eval_count as "evalCount", input_tokens as "inputTokens", output_tokens as "outputTokens", cost, charge
  from breakdown_totals where user_id = $1 and month = $2 and dimension = $3 and eval_count > 0 order by item`,
);

// Arrays as JSON, which is read many times faster than Postgres' own notation.
const FIND_CHARGES = named(
  'list_charges',
  `
  select id, user_id as "userId", eval_id as "evalId", key_id as "keyId", month, array_to_json(models) as models, input_tokens as "inputTokens", output_tokens as "outputTokens",
    cost, margin::text as margin, charge, is_free as "isFree", reason, occurred_at as "occurredAt", created_at as "createdAt"
  from charges where user_id = $1 and month = $2 and id collate "C" > $3 order by id collate "C" limit $4`,
);
