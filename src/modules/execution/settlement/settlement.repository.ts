import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CompiledQuery } from 'kysely';
import type { NewCharge } from '../../billing/charge';
import type { BreakdownLine } from '../../billing/charge-breakdown';
import type { ReservationHandle } from '../../billing/reservation.types';
import { summaryOf } from '../../evals/erased-eval.entity';
import type { StoredEval } from '../../evals/evals.service';
import type { Result } from '../../evals/result.entity';
import { named } from '../../../platform/database/statement-names';

/** The conditions under which the statement stores the eval as charged. */
export interface SettlementTerms extends Pick<ReservationHandle, 'idempotency'> {
  /** The reservation that it ends; null where there is none. */
  reservationId: string | null;
  /**
   * Free evals that have to be used up, because the eval wanted one and is charged without a reservation; null where
   * that is not asked.
   */
  usedUpQuota: number | null;
  /** False for an eval of which no text is stored. */
  isStored?: boolean | undefined;
}

/**
 * The one statement that writes an eval together with its money. It names the tables of evals and of billing: only one
 * statement can store all of it or nothing in one round trip.
 * Each of those tables is otherwise named by its own module alone.
 */
@Injectable()
export class SettlementRepository {
  constructor(private readonly em: EntityManager) {}

  /**
   * Stores an eval with its results, its charge, its Idempotency-Key and what it adds to the month's totals, and takes
   * its reservation back with what it holds: all of it, or nothing
   * and undefined where the terms do not hold. The rows for which other evals of the user wait are locked last: the
   * month's, then those of its breakdown.
   * @throws UniqueConstraintViolationException if another compare has settled the same Idempotency-Key, or an earlier
   * try this very eval
   */
  async settle(
    terms: SettlementTerms,
    stored: StoredEval,
    charge: NewCharge,
    em = this.em,
  ): Promise<StoredEval | undefined> {
    const { numAffectedRows = 0n } = await em
      .getKysely()
      .executeQuery(
        CompiledQuery.raw(terms.isStored === false ? SETTLE_WITHOUT_TEXTS : SETTLE, valuesOf(terms, stored, charge)),
      );
    return numAffectedRows > 0n ? stored : undefined;
  }

  /** Does some work in one transaction. */
  async inTransaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.em.fork().transactional(work);
  }

  /** Does some work in a transaction and takes it back. @throws what the work throws */
  async inVain(work: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    const tx = this.em.fork();
    await tx.begin();
    try {
      await work(tx);
    } finally {
      await tx.rollback();
    }
  }
}

/** The texts of an eval: its row and those of its results. */
const STORED = `
  stored_eval as (
    insert into evals (id, user_id, prompt, input, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms, samples, checks, rerun_of, max_cost, options, experiment_id)
    select $5, $6, $21, $22, $23, $24, $25, $26, $9, $10, $27, $28, $29, $30, $32, $33, $34, $35, $36, $37
    from gate returning 1
  ), stored_results as (
    insert into results (eval_id, position, model, provider, output, latency_ms, cost, input_tokens, output_tokens, error, warnings, details, checks)
    select $5, position, model, provider, output, "latencyMs", cost, "inputTokens", "outputTokens", error, warnings, details, checks
    from gate, json_to_recordset($31) as result (position integer, model text, provider text, output text, "latencyMs" integer,
      cost numeric, "inputTokens" integer, "outputTokens" integer, error jsonb, warnings jsonb, details jsonb, checks jsonb) returning 1
  )`;

/** Of an eval without stored texts, the rest that erasing leaves. */
const ERASED = `
  stored_eval as (
    insert into erased_evals (eval_id, user_id, erased_at, result_summaries) select $5, $6, $11, $21 from gate returning 1
  ), stored_results as (
    select from gate where false
  )`;

/**
 * A constant text: kysely's template would be compiled, and the text looked up by its prepared name, again for every
 * eval (decision 12).
 */
const SETTLE = settling(STORED);
const SETTLE_WITHOUT_TEXTS = settling(ERASED);

/** The statement that writes an eval in one of both ways, and its money. */
function settling(writing: string): string {
  return named(
    'settle',
    `
  with claimed as (
    delete from reservations where id = $1 and is_free = $10 returning is_free, max_charge, is_key_limited
  ), month as (
    select free_eval_count from month_totals where $2::integer is not null and user_id = $6 and month = $7 for update
  ), gate as (
    select coalesce(is_free, false)::integer as free_held, coalesce(max_charge, 0) as held, case when is_key_limited then max_charge else 0 end as held_by_key
    from (select) as one left join claimed on true
    where ($1::text is null or is_free is not null) and ($2::integer is null or exists (select from month where free_eval_count >= $2::integer))
  ), ${writing.trim()}, stored_charge as (
    insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
    select $12, $6, $5, $13, $7, $14, $15, $16, $8, $17, $9, $10, $18, $19, $11
    from gate returning 1
  ), stored_key as (
    insert into idempotency_keys (user_id, key, fingerprint, eval_id, created_at)
    select $6, $3, $4, $5, $11
    from gate where $3::text is not null returning 1
  ), written as (
    select count(*) as row_count from (select from stored_eval union all select from stored_results union all select from stored_charge union all select from stored_key) as every_row
  ), month_total as (
    insert into month_totals as total (user_id, month, eval_count, free_eval_count, cost, charge)
    select $6, $7, 1, $10::boolean::integer, $8, $9 from gate, written where row_count > 0
    on conflict (user_id, month) do update
    set eval_count = total.eval_count + 1, free_eval_count = total.free_eval_count + excluded.free_eval_count, cost = total.cost + excluded.cost, charge = total.charge + excluded.charge,
        free_held = total.free_held - (select free_held from gate), held = total.held - (select held from gate)
    returning user_id, month
  )
  insert into breakdown_totals as part (user_id, month, dimension, item, eval_count, input_tokens, output_tokens, cost, charge)
  select user_id, month, line.dimension, line.item, 1, line."inputTokens", line."outputTokens", line.cost, line.charge
  from month_total, json_to_recordset($20) as line (dimension text, item text, "inputTokens" bigint, "outputTokens" bigint, cost numeric, charge numeric)
  on conflict (user_id, month, dimension, item) do update
  set eval_count = part.eval_count + 1, input_tokens = part.input_tokens + excluded.input_tokens, output_tokens = part.output_tokens + excluded.output_tokens,
      cost = part.cost + excluded.cost, charge = part.charge + excluded.charge, held = part.held - case part.dimension when 'key' then (select held_by_key from gate) else 0 end`,
  );
}

/** The values of a settling statement, in the order of its parameters. */
function valuesOf(
  { reservationId, usedUpQuota, idempotency, isStored }: SettlementTerms,
  { record, results }: StoredEval,
  { charge, breakdown }: NewCharge,
): unknown[] {
  const values = [
    // $1 to $4: what it needs to find, and the Idempotency-Key
    reservationId,
    usedUpQuota,
    idempotency?.key ?? null,
    idempotency?.fingerprint ?? null,
    // $5 to $11: values of several tables
    record.id,
    charge.userId,
    charge.month,
    charge.cost.toString(),
    charge.charge.toString(),
    charge.isFree,
    charge.createdAt,
    // $12 to $20: the charge and what it adds to the breakdown
    charge.id,
    charge.keyId,
    charge.models,
    charge.inputTokens,
    charge.outputTokens,
    charge.margin,
    charge.reason,
    charge.occurredAt,
    jsonOfLines(breakdown),
  ];
  // $21
  if (isStored === false) return [...values, JSON.stringify(results.map(summaryOf))];
  values.push(
    // $21 to $31: the eval and its results
    record.prompt,
    record.input,
    record.models,
    record.temperature,
    record.maxTokens,
    record.totalCost.toString(),
    record.fastestModel,
    record.cheapestModel,
    record.createdAt,
    record.durationMs,
    jsonOfResults(results),
    // $32 to $37: what only some evals have
    record.samples,
    record.checks && JSON.stringify(record.checks),
    record.rerunOf,
    record.maxCost?.toString() ?? null,
    record.options && JSON.stringify(record.options),
    record.experimentId,
  );
  return values;
}

/**
 * Results as one JSON parameter, however many there are; amounts as text, because JSON numbers would be read as floats.
 */
function jsonOfResults(results: readonly Result[]): string {
  return JSON.stringify(results.map((result) => ({ ...result, cost: result.cost.toString() })));
}

function jsonOfLines(lines: readonly BreakdownLine[]): string {
  return JSON.stringify(lines.map((line) => ({ ...line, cost: line.cost.toString(), charge: line.charge.toString() })));
}
