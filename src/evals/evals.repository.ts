import { Injectable } from '@nestjs/common';
import { Money } from '../common/money';
import { SqlService } from '../database/sql.service';
import { EVAL_AS_JSON } from './eval-json';
import type { Eval } from './eval.entity';
import type { Result } from './result.entity';
import { named } from '../database/statement-names';

/** The details of a row of the list. */
type SummaryDetails = Pick<Eval, 'charge' | 'isFree'> & { failedModels: string[] };

/** A row of the list. */
export type EvalSummary = Pick<Eval, 'id' | 'prompt' | 'models' | 'totalCost' | 'fastestModel' | 'createdAt'> & Partial<SummaryDetails>;

/** The start of a page: an offset, or the eval of a cursor. */
export interface PageStart {
  offset: number;
  after?: string | undefined;
  includeDetails?: boolean;
}

/** Evals in Postgres. Every read takes the user first: another user's eval does not exist. */
@Injectable()
export class EvalsRepository {
  constructor(private readonly sql: SqlService) {}

  /** One page, newest first. Ids sort by time, so one index serves order, offset and cursor. */
  async page(userId: string, limit: number, { after, offset, includeDetails = false }: PageStart): Promise<EvalSummary[]> {
    const bounds = [...(offset > 0 ? [offset] : []), ...(after === undefined ? [] : [after])];
    return this.sql.query<EvalSummary>(pageFrom(offset > 0, after !== undefined, includeDetails), [userId, limit, ...bounds]);
  }

  /** The eval and its results in request order; undefined when the user has none of that id. */
  async find(userId: string, id: string): Promise<{ record: Eval; results: Result[] } | undefined> {
    const row = await this.sql.queryOne<Eval & { results: Result[] }>(FIND, [id, userId]);
    if (row === undefined) return undefined;
    const { results, ...record } = row;
    return { record, results: results.map((result) => ({ ...result, cost: Money.of(String(result.cost)) })) };
  }

  /** True if the user has an eval with that id. */
  async exists(userId: string, id: string): Promise<boolean> {
    return (await this.sql.queryOne('select 1 from evals where id = $1 and user_id = $2', [id, userId])) !== undefined;
  }

  /** True if the user had an eval with that id, which was erased. */
  async isErased(userId: string, id: string): Promise<boolean> {
    return (await this.sql.queryOne('select 1 from erased_evals where eval_id = $1 and user_id = $2', [id, userId])) !== undefined;
  }

  /** The same without details, as the JSON text of the answer; undefined when the user has none of that id. */
  async findAsJson(userId: string, id: string): Promise<string | undefined> {
    const row = await this.sql.queryOne<{ json: string }>(EVAL_AS_JSON, [id, userId]);
    return row?.json;
  }
}

// Arrays as JSON, which is read many times faster than Postgres' own notation.
const SUMMARY = 'id, prompt, array_to_json(models) as models, total_cost as "totalCost", fastest_model as "fastestModel", created_at as "createdAt"';
const SUMMARY_DETAILS = `charge, is_free as "isFree", (
    select coalesce(json_agg(model order by position), '[]') from (
      select model, min(position) as position from results where eval_id = evals.id group by model having bool_and(error is not null)
    ) as failed
  ) as "failedModels"`;
// By byte, as in the index on users: the primary key, which sorts otherwise, would find one user's evals by walking through everybody's.
export const NEWEST_FIRST = 'order by id collate "C" desc';

/** The columns of a row of the list. */
export function summaryColumns(includeDetails: boolean): string {
  return includeDetails ? `${SUMMARY}, ${SUMMARY_DETAILS}` : SUMMARY;
}

/** A page of a user's evals ($1), at most $2 of them; then the values of offset and cursor, where they are asked for. */
function pageFrom(hasOffset: boolean, hasCursor: boolean, includeDetails: boolean): string {
  const after = hasCursor ? `and id collate "C" < $${hasOffset ? 4 : 3}` : '';
  // Skipped rows are only counted, in the index; a plain offset would read every row.
  const first = `and id collate "C" <= (select id from evals where user_id = $1 ${after} ${NEWEST_FIRST} limit 1 offset $3)`;
  return named('list_evals', `select ${summaryColumns(includeDetails)} from evals where user_id = $1 ${hasOffset ? first : after} ${NEWEST_FIRST} limit $2`);
}

// One round trip; the cost of a result as text, because JSON numbers would be read as floats.
const FIND = named('find_eval', `
  select id, user_id as "userId", prompt, input, array_to_json(models) as models, temperature, max_tokens as "maxTokens", total_cost as "totalCost", charge, is_free as "isFree",
    fastest_model as "fastestModel", cheapest_model as "cheapestModel", created_at as "createdAt", duration_ms as "durationMs", samples, checks, rerun_of as "rerunOf", max_cost as "maxCost", (
    select coalesce(json_agg(json_build_object(
      'evalId', eval_id, 'position', position, 'model', model, 'provider', provider, 'output', output, 'latencyMs', latency_ms, 'cost', cost::text,
      'inputTokens', input_tokens, 'outputTokens', output_tokens, 'error', error, 'warnings', warnings, 'details', details, 'checks', checks) order by position), '[]')
    from results where eval_id = evals.id
  ) as results
  from evals where id = $1 and user_id = $2`);