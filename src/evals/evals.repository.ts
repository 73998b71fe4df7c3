import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { Money } from '../common/money';
import { Eval } from './eval.entity';
import { Result } from './result.entity';

/** A row of the list. */
export type EvalSummary = Pick<Eval, 'id' | 'prompt' | 'models' | 'totalCost' | 'fastestModel' | 'createdAt'>;

/** Where a page begins: so many rows on, or after the eval that a cursor names. */
export interface PageStart {
  offset: number;
  after?: string | undefined;
}

/** Evals in Postgres. Every read takes the user first: another user's eval does not exist. */
@Injectable()
export class EvalsRepository {
  constructor(private readonly em: EntityManager) {}

  /** Parts of a statement that store an eval and its results for the one row of `gate`. */
  storing(record: Eval, results: readonly Result[], gate: RawBuilder<unknown>): RawBuilder<unknown> {
    // By hand: the ORM would take two statements, and write every text into the SQL.
    return sql`
      stored as (
        insert into evals (id, user_id, prompt, input, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms)
        select ${record.id}, ${record.userId}, ${record.prompt}, ${record.input}, ${record.models}, ${record.temperature}, ${record.maxTokens},
          ${record.totalCost.toString()}, ${record.charge.toString()}, ${record.isFree}, ${record.fastestModel}, ${record.cheapestModel}, ${record.createdAt}, ${record.durationMs}
        from ${gate}
      ),
      answered as (
        insert into results (eval_id, position, model, provider, output, latency_ms, cost, input_tokens, output_tokens, error, warnings, details)
        select answer.* from ${gate}, (values ${sql.join(results.map(resultValues))}) as answer
      )`;
  }

  /** One page, newest first. Ids sort by time, so one index serves order, offset and cursor. */
  async page(userId: string, limit: number, start: PageStart): Promise<EvalSummary[]> {
    const { rows } = await sql<SummaryRow>`
      select id, prompt, models, total_cost, fastest_model, created_at from evals
      where user_id = ${userId} ${start.after === undefined ? sql`` : sql`and id < ${start.after}`}
      order by id desc limit ${limit} offset ${start.offset}
    `.execute(this.em.getKysely());
    return rows.map((row) => ({
      id: row.id,
      prompt: row.prompt,
      models: row.models,
      totalCost: Money.of(row.total_cost),
      fastestModel: row.fastest_model,
      createdAt: new Date(row.created_at),
    }));
  }

  /** The eval and its results in request order; undefined when the user has none of that id. */
  async find(userId: string, id: string): Promise<{ record: Eval; results: Result[] } | undefined> {
    // One round trip; the cost as text, because JSON numbers would be read as floats.
    const { rows } = await sql<EvalRow>`
      select e.*, (
        select jsonb_agg(to_jsonb(r) || jsonb_build_object('cost', r.cost::text) order by r.position)
        from results r where r.eval_id = e.id
      ) as results
      from evals e where e.id = ${id} and e.user_id = ${userId}
    `.execute(this.em.getKysely());
    const [row] = rows;
    return row === undefined ? undefined : { record: evalFrom(row), results: (row.results ?? []).map(resultFrom) };
  }
}

function resultValues(result: Result) {
  return sql`(
    ${result.evalId}, ${result.position}::integer, ${result.model}, ${result.provider}, ${result.output}, ${result.latencyMs}::integer, ${result.cost.toString()}::numeric,
    ${result.inputTokens}::integer, ${result.outputTokens}::integer, ${result.error === null ? null : JSON.stringify(result.error)}::jsonb,
    ${JSON.stringify(result.warnings)}::jsonb, ${JSON.stringify(result.details)}::jsonb)`;
}

interface SummaryRow {
  id: string;
  prompt: string;
  models: string[];
  total_cost: string;
  fastest_model: string;
  created_at: Date | string;
}

interface EvalRow extends SummaryRow {
  user_id: string;
  input: string | null;
  temperature: number;
  max_tokens: number;
  charge: string;
  is_free: boolean;
  cheapest_model: string;
  duration_ms: number;
  results: ResultRow[] | null;
}

interface ResultRow extends Pick<Result, 'position' | 'model' | 'provider' | 'output' | 'error' | 'warnings' | 'details'> {
  eval_id: string;
  latency_ms: number;
  cost: string;
  input_tokens: number;
  output_tokens: number;
}

function evalFrom(row: EvalRow): Eval {
  return Object.assign(new Eval(), {
    id: row.id,
    userId: row.user_id,
    prompt: row.prompt,
    input: row.input,
    models: row.models,
    temperature: row.temperature,
    maxTokens: row.max_tokens,
    totalCost: Money.of(row.total_cost),
    charge: Money.of(row.charge),
    isFree: row.is_free,
    fastestModel: row.fastest_model,
    cheapestModel: row.cheapest_model,
    createdAt: new Date(row.created_at),
    durationMs: row.duration_ms,
  });
}

function resultFrom(row: ResultRow): Result {
  return Object.assign(new Result(), {
    evalId: row.eval_id,
    position: row.position,
    model: row.model,
    provider: row.provider,
    output: row.output,
    latencyMs: row.latency_ms,
    cost: Money.of(row.cost),
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    error: row.error,
    warnings: row.warnings,
    details: row.details,
  });
}
