import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { NewCharge } from '../../billing/charge';
import type { BreakdownLine } from '../../billing/charge-breakdown';
import type { ReservationHandle } from '../../billing/reservation.types';
import type { StoredEval } from '../../evals/evals.service';
import type { Result } from '../../evals/result.entity';

/** What the statement has to find so that the eval may be stored as it was charged. */
export interface SettlementTerms extends Pick<ReservationHandle, 'idempotency'> {
  /** The reservation that it ends; null where there is none. */
  reservationId: string | null;
  /** Free evals that have to be used up, because the eval wanted one and is charged without a reservation; null where that is not asked. */
  usedUpQuota: number | null;
}

/**
 * The one statement that writes an eval together with its money. It names the tables of evals and of billing: only one statement can store all of it or nothing in one round trip.
 * Each of those tables is otherwise named by its own module alone.
 */
@Injectable()
export class SettlementRepository {
  constructor(private readonly em: EntityManager) {}

  /**
   * Stores an eval with its results, its charge, its Idempotency-Key and what it adds to the month's totals, and takes its reservation back with what it holds: all of it, or nothing
   * and undefined where the terms do not hold. The rows for which other evals of the user wait are locked last: the month's, then those of its breakdown.
   * @throws UniqueConstraintViolationException when another run has settled the same Idempotency-Key, or an earlier try this very eval
   */
  // eslint-disable-next-line max-lines-per-function -- one statement, which nobody could read in parts
  async settle({ reservationId, usedUpQuota, idempotency }: SettlementTerms, stored: StoredEval, { charge, breakdown }: NewCharge, em = this.em): Promise<StoredEval | undefined> {
    const { record, results } = stored;
    const { rows } = await sql`
      with claimed as (
        delete from reservations where id = ${reservationId} and is_free = ${charge.isFree} returning is_free, max_charge, is_key_limited
      ), month as (
        select free_eval_count from month_totals where ${usedUpQuota}::integer is not null and user_id = ${charge.userId} and month = ${charge.month} for update
      ), gate as (
        select coalesce(is_free, false)::integer as free_held, coalesce(max_charge, 0) as held, case when is_key_limited then max_charge else 0 end as held_by_key
        from (select) as one left join claimed on true
        where (${reservationId}::text is null or is_free is not null) and (${usedUpQuota}::integer is null or exists (select from month where free_eval_count >= ${usedUpQuota}::integer))
      ), stored_eval as (
        insert into evals (id, user_id, prompt, input, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms)
        select ${record.id}, ${record.userId}, ${record.prompt}, ${record.input}, ${record.models}, ${record.temperature}, ${record.maxTokens},
          ${record.totalCost.toString()}, ${record.charge.toString()}, ${record.isFree}, ${record.fastestModel}, ${record.cheapestModel}, ${record.createdAt}, ${record.durationMs}
        from gate returning 1
      ), stored_results as (
        insert into results (eval_id, position, model, provider, output, latency_ms, cost, input_tokens, output_tokens, error, warnings, details)
        select "evalId", position, model, provider, output, "latencyMs", cost, "inputTokens", "outputTokens", error, warnings, details
        from gate, json_to_recordset(${jsonOfResults(results)}) as result ("evalId" text, position integer, model text, provider text, output text, "latencyMs" integer,
          cost numeric, "inputTokens" integer, "outputTokens" integer, error jsonb, warnings jsonb, details jsonb) returning 1
      ), stored_charge as (
        insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
        select ${charge.id}, ${charge.userId}, ${charge.evalId}, ${charge.keyId}, ${charge.month}, ${charge.models}, ${charge.inputTokens}, ${charge.outputTokens},
          ${charge.cost.toString()}, ${charge.margin}, ${charge.charge.toString()}, ${charge.isFree}, ${charge.reason}, ${charge.occurredAt}, ${charge.createdAt}
        from gate returning 1
      ), stored_key as (
        insert into idempotency_keys (user_id, key, fingerprint, eval_id, created_at)
        select ${charge.userId}, ${idempotency?.key ?? null}, ${idempotency?.fingerprint ?? null}, ${charge.evalId}, ${charge.createdAt}::timestamptz
        from gate where ${idempotency !== undefined}::boolean returning 1
      ), written as (
        select count(*) as row_count from (select from stored_eval union all select from stored_results union all select from stored_charge union all select from stored_key) as every_row
      ), month_total as (
        insert into month_totals as total (user_id, month, eval_count, free_eval_count, cost, charge)
        select ${charge.userId}, ${charge.month}, 1, ${charge.isFree}::boolean::integer, ${charge.cost.toString()}, ${charge.charge.toString()} from gate, written where row_count > 0
        on conflict (user_id, month) do update
        set eval_count = total.eval_count + 1, free_eval_count = total.free_eval_count + excluded.free_eval_count, cost = total.cost + excluded.cost, charge = total.charge + excluded.charge,
            free_held = total.free_held - (select free_held from gate), held = total.held - (select held from gate)
        returning user_id, month
      )
      insert into breakdown_totals as part (user_id, month, dimension, item, eval_count, input_tokens, output_tokens, cost, charge)
      select user_id, month, line.dimension, line.item, 1, line."inputTokens", line."outputTokens", line.cost, line.charge
      from month_total, json_to_recordset(${jsonOfLines(breakdown)}) as line (dimension text, item text, "inputTokens" bigint, "outputTokens" bigint, cost numeric, charge numeric)
      on conflict (user_id, month, dimension, item) do update
      set eval_count = part.eval_count + 1, input_tokens = part.input_tokens + excluded.input_tokens, output_tokens = part.output_tokens + excluded.output_tokens,
          cost = part.cost + excluded.cost, charge = part.charge + excluded.charge, held = part.held - case part.dimension when 'key' then (select held_by_key from gate) else 0 end
      returning 1
    `.execute(em.getKysely());
    return rows.length > 0 ? stored : undefined;
  }
}

/** Results as one JSON parameter, however many there are; amounts as text, because JSON numbers would be read as floats. */
function jsonOfResults(results: readonly Result[]): string {
  return JSON.stringify(results.map((result) => ({ ...result, cost: result.cost.toString() })));
}

function jsonOfLines(lines: readonly BreakdownLine[]): string {
  return JSON.stringify(lines.map((line) => ({ ...line, cost: line.cost.toString(), charge: line.charge.toString() })));
}
