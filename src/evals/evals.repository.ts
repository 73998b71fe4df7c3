import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { Money } from '../common/money';
import { SqlService } from '../database/sql.service';
import type { Eval } from './eval.entity';
import type { Result } from './result.entity';

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
  constructor(private readonly database: SqlService) {}

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
        select "evalId", position, model, provider, output, "latencyMs", cost, "inputTokens", "outputTokens", error, warnings, details
        from ${gate}, json_to_recordset(${rowsOf(results)}) as answer ("evalId" text, position integer, model text, provider text, output text, "latencyMs" integer,
          cost numeric, "inputTokens" integer, "outputTokens" integer, error jsonb, warnings jsonb, details jsonb)
      )`;
  }

  /** One page, newest first. Ids sort by time, so one index serves order, offset and cursor. */
  async page(userId: string, limit: number, { after, offset }: PageStart): Promise<EvalSummary[]> {
    const bounds = [...(offset > 0 ? [offset] : []), ...(after === undefined ? [] : [after])];
    const rows = await this.database.query<SummaryRow>(pageFrom(offset > 0, after !== undefined), [userId, limit, ...bounds]);
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
    const [row] = await this.database.query<EvalRow>(FIND, [id, userId]);
    return row === undefined ? undefined : { record: evalFrom(row), results: (row.results ?? []).map((result) => resultFrom(result, row.id)) };
  }
}

// Arrays as JSON, which is read many times faster than Postgres' own notation.
const SUMMARY = 'select id, prompt, array_to_json(models) as models, total_cost, fastest_model, created_at from evals where user_id = $1';
// By byte, as in the index on users: the primary key, which sorts otherwise, would find one user's evals by walking through everybody's.
const NEWEST_FIRST = 'order by id collate "C" desc';

/** A page of a user's evals ($1), at most $2 of them; then the values of offset and cursor, where they are asked for. */
function pageFrom(hasOffset: boolean, hasCursor: boolean): string {
  const after = hasCursor ? `and id collate "C" < $${hasOffset ? 4 : 3}` : '';
  // What is skipped is only counted, in the index; a plain offset would read every row of it.
  const first = `and id collate "C" <= (select id from evals where user_id = $1 ${after} ${NEWEST_FIRST} limit 1 offset $3)`;
  return `${SUMMARY} ${hasOffset ? first : after} ${NEWEST_FIRST} limit $2`;
}

// One round trip; the cost as text, because JSON numbers would be read as floats.
const FIND = `
  select id, user_id, prompt, input, array_to_json(models) as models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms, (
    select json_agg(json_build_object(
      'position', position, 'model', model, 'provider', provider, 'output', output, 'latency_ms', latency_ms, 'cost', cost::text,
      'input_tokens', input_tokens, 'output_tokens', output_tokens, 'error', error, 'warnings', warnings, 'details', details) order by position)
    from results where eval_id = evals.id
  ) as results
  from evals where id = $1 and user_id = $2`;

/** Results as a JSON parameter: one, however many there are, and amounts as text. */
function rowsOf(results: readonly Result[]): string {
  return JSON.stringify(results.map((result) => ({ ...result, cost: result.cost.toString() })));
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
  latency_ms: number;
  cost: string;
  input_tokens: number;
  output_tokens: number;
}

function evalFrom(row: EvalRow): Eval {
  return {
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
  };
}

function resultFrom(row: ResultRow, evalId: string): Result {
  return {
    evalId,
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
  };
}
