import { Injectable } from '@nestjs/common';
import { Money } from '../../common/money';
import { SqlService } from '../../platform/database/sql.service';
import type { AnswerLength, EvalAnswers } from './eval-answers';
import { EVAL_AS_JSON } from './eval-json';
import type { Eval } from './eval.entity';
import type { Result } from './result.entity';
import { named } from '../../platform/database/statement-names';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';

type SummaryDetails = Pick<Eval, 'charge' | 'isFree'> & { failedModels: string[] };

/** A row of the list. */
export type EvalSummary = Pick<Eval, 'id' | 'prompt' | 'models' | 'totalCost' | 'fastestModel' | 'createdAt'> &
  Partial<SummaryDetails>;

/** The start of a page: an offset, or the eval of a cursor. */
export interface PageStart {
  offset: number;
  after?: string | undefined;
  includeDetails?: boolean;
  /** The experiment whose evals are wanted; by default those of no experiment. */
  experimentId?: string | undefined;
}

/**
 * A request looks at no more evals than this, whether or not it finds any, and stops after as many bytes of prompts.
 */
const MAX_SEARCHED_EVALS = 5000;
const MAX_SEARCHED_BYTES = 4_000_000;

export interface EvalFilter {
  /** A part of the prompt, in upper or lower case. */
  text: string | undefined;
  model: string | undefined;
  isStarred: boolean;
}

/** Bytes of answers that are read at once. */
const MAX_ANSWER_BYTES = 4_000_000;

interface FoundEvals {
  evals: EvalSummary[];
  /** Id of the last eval that was looked at; undefined when there is none after it. */
  searchedTo: string | undefined;
}

type FoundRow = { [Column in keyof EvalSummary]: EvalSummary[Column] | null } & { searchedTo: string | null };

/** Evals in Postgres. Every read takes the user first: another user's eval does not exist. */
@Injectable()
export class EvalsRepository {
  constructor(private readonly sql: SqlService) {}

  /** One page, newest first. Ids sort by time, so one index serves order, offset and cursor. */
  async page(
    userId: string,
    limit: number,
    { after, offset, includeDetails = false, experimentId }: PageStart,
  ): Promise<EvalSummary[]> {
    const values: unknown[] = [userId, limit];
    const parameter = (value: unknown) => `$${values.push(value)}`;
    const skipped = offset > 0 ? parameter(offset) : undefined;
    const older = after === undefined ? '' : `and id collate "C" < ${parameter(after)}`;
    const mine = `where user_id = $1 and experiment_id ${experimentId === undefined ? 'is null' : `= ${parameter(experimentId)}`}`;
    // Skipped rows are only counted, in the index; a plain offset would read every row.
    const first = `and id collate "C" <= (select id from evals ${mine} ${older} ${NEWEST_FIRST} limit 1 offset ${skipped})`;
    const text = `select ${summaryColumns(includeDetails)} from evals ${mine} ${skipped === undefined ? older : first} ${NEWEST_FIRST} limit $2`;
    return this.sql.query<EvalSummary>(named('list_evals', text), values);
  }

  /**
   * Searches a user's evals, newest first. There is no index on texts, so the evals that a request reads are bounded;
   * returns at most `limit` of them.
   */
  async search(
    userId: string,
    limit: number,
    { text, model, isStarred }: EvalFilter,
    { after, includeDetails = false, experimentId }: Omit<PageStart, 'offset'>,
  ): Promise<FoundEvals> {
    const values = [
      userId,
      limit,
      MAX_SEARCHED_EVALS,
      text ?? null,
      model ?? null,
      after ?? null,
      MAX_SEARCHED_BYTES,
      ...(experimentId === undefined ? [] : [experimentId]),
    ];
    const rows = await this.sql.query<FoundRow>(
      findFrom({ includeDetails, isStarred, isOfExperiment: experimentId !== undefined }),
      values,
    );
    return {
      evals: rows.filter((row): row is FoundRow & EvalSummary => row.id !== null),
      searchedTo: rows[0]?.searchedTo ?? undefined,
    };
  }

  /** The eval and its results in request order; undefined when the user has none of that id. */
  async find(userId: string, id: string): Promise<{ record: Eval; results: Result[] } | undefined> {
    const row = await this.sql.queryOne<Eval & { results: Result[] }>(FIND, [id, userId]);
    if (row === undefined) return undefined;
    const { results, ...record } = row;
    return { record, results: withCosts(results) };
  }

  /**
   * The evals of as many of the first groups as have 4 MB of answers together, and at least of one. A group lacks evals
   * that the user does not have.
   */
  async answers(userId: string, groups: readonly (readonly string[])[]): Promise<EvalAnswers[][]> {
    const asked = groups.flatMap((ids, place) => ids.map((id) => ({ id, place })));
    const rows = await this.sql.query<{ place: number; id: string | null } & EvalAnswers>(ANSWERS, [
      userId,
      asked.map(({ place }) => place),
      asked.map(({ id }) => id),
      MAX_ANSWER_BYTES,
    ]);
    const byPlace = Map.groupBy(rows, ({ place }) => place);
    const end = groups.findIndex((ids, place) => ids.length > 0 && !byPlace.has(place));
    return groups
      .slice(0, end < 0 ? groups.length : end)
      .map((_, place) =>
        (byPlace.get(place) ?? [])
          .filter(({ id }) => id !== null)
          .map((row) => ({ ...row, results: withCosts(row.results) })),
      );
  }

  /** The models that answered in a user's evals, as the vendors name them, by the model that was asked. */
  async answeringModels(userId: string, ids: readonly string[]): Promise<{ model: string; answeredBy: string[] }[]> {
    return this.sql.query(ANSWERING_MODELS, [userId, ids]);
  }

  /** The characters of the first sample of each model in a user's evals, without failures. */
  async answerLengths(userId: string, ids: readonly string[]): Promise<AnswerLength[]> {
    return this.sql.query(ANSWER_LENGTHS, [userId, ids]);
  }

  async exists(userId: string, id: string): Promise<boolean> {
    return (await this.sql.queryOne('select 1 from evals where id = $1 and user_id = $2', [id, userId])) !== undefined;
  }

  /** True if the user had an eval with that id, which was erased. */
  async isErased(userId: string, id: string): Promise<boolean> {
    return (
      (await this.sql.queryOne('select 1 from erased_evals where eval_id = $1 and user_id = $2', [id, userId])) !==
      undefined
    );
  }

  /** The same without details, as the JSON text of the answer; undefined when the user has none of that id. */
  async findAsJson(userId: string, id: string): Promise<string | undefined> {
    const row = await this.sql.queryOne<{ json: string }>(EVAL_AS_JSON, [id, userId]);
    return row?.json;
  }

  /** Erases one eval of a user, within the transaction `tx`; false when the user has no eval with this id. */
  async erase(tx: EntityManager, userId: string, id: string, at: Date): Promise<boolean> {
    return (await this.eraseWhere(tx, sql`id = ${id} and user_id = ${userId} for update`, at)).length > 0;
  }

  /**
   * Erases those of these evals that the user has, within the transaction `tx`. @returns the ids of the erased evals
   */
  async eraseAll(tx: EntityManager, userId: string, ids: readonly string[], at: Date): Promise<string[]> {
    return this.eraseWhere(tx, sql`id = any(${ids}) and user_id = ${userId} order by id for update`, at);
  }

  /**
   * Erases the oldest evals with ids below `id`, at most `limit` of them, within the transaction `tx`. Skips evals that
   * another process is erasing. @returns the ids of the erased evals
   */
  async eraseBefore(tx: EntityManager, id: string, limit: number, at: Date): Promise<string[]> {
    return this.eraseWhere(tx, sql`id < ${id} order by id limit ${limit} for update skip locked`, at);
  }

  private async eraseWhere(tx: EntityManager, which: RawBuilder<unknown>, at: Date): Promise<string[]> {
    // The ids are passed as an array so that the planner uses the index however many there are.
    const { rows } = await sql<{ id: string }>`
      with target as (
        select id, user_id from evals where ${which}
      ), archived as (
        insert into erased_evals (eval_id, user_id, erased_at, result_summaries)
        select id, user_id, ${at}::timestamptz, coalesce((
          select jsonb_agg(jsonb_build_object('position', position, 'model', model, 'cost', cost::text, 'input_tokens', input_tokens, 'output_tokens', output_tokens, 'details', details) order by position)
          from results where eval_id = target.id
        ), '[]') from target
      )
      delete from evals where id = any(array(select id from target)) returning id
    `.execute(tx.getKysely());
    return rows.map(({ id }) => id);
  }
}

// Arrays as JSON, which is read many times faster than Postgres' own notation.
const SUMMARY =
  'id, prompt, array_to_json(models) as models, total_cost as "totalCost", fastest_model as "fastestModel", created_at as "createdAt"';
const SUMMARY_DETAILS = `charge, is_free as "isFree", (
    select coalesce(json_agg(model order by position), '[]') from (
      select model, min(position) as position from results where eval_id = evals.id group by model having bool_and(error is not null)
    ) as failed
  ) as "failedModels"`;
// By byte, as in the index on users: the primary key, which sorts otherwise, would find one user's evals by walking
// through everybody's.
const NEWEST_FIRST = 'order by id collate "C" desc';

export function summaryColumns(includeDetails: boolean): string {
  return includeDetails ? `${SUMMARY}, ${SUMMARY_DETAILS}` : SUMMARY;
}

function withCosts<Row extends { cost: Money }>(results: readonly Row[]): Row[] {
  return results.map((result) => ({ ...result, cost: Money.of(String(result.cost)) }));
}

// The size of a long text is known without reading it. The places before a place, not those of the same one, decide: a
// group comes as a whole.
const ANSWERS = `
  with asked as (
    select asked.*, coalesce((select sum(octet_length(output) + coalesce(pg_column_size(checks), 0)) from results where eval_id = asked.id), 0) + coalesce((select octet_length(input) from evals where id = asked.id), 0) as bytes
    from unnest($2::integer[], $3::text[]) as asked (place, id)
  ), fitting as (
    select place, id from (select *, coalesce(sum(bytes) over (order by place range between unbounded preceding and 1 preceding), 0) as before from asked) as counted where before < $4::integer
  )
  select place, evals.id, input, array_to_json(models) as models, checks, (
    select coalesce(json_agg(json_build_object('position', position, 'output', output, 'latencyMs', latency_ms, 'cost', cost::text, 'error', error, 'checks', results.checks) order by position), '[]')
    from results where eval_id = evals.id
  ) as results
  from fitting left join evals on evals.id = fitting.id and user_id = $1 order by place`;

const ANSWER_LENGTHS = `
  select eval_id as "evalId", models[1 + position] as model, char_length(output) as length
  from evals join results on results.eval_id = evals.id
  where evals.user_id = $1 and evals.id = any($2::text[]) and position < cardinality(models) and error is null`;

const ANSWERING_MODELS = `
  select model, array_to_json(array_agg(distinct details ->> 'answeredBy' order by details ->> 'answeredBy')) as "answeredBy" from results
  where eval_id in (select id from evals where user_id = $1 and id = any($2)) and details ->> 'answeredBy' is not null group by model`;

// One round trip; the cost of a result as text, because JSON numbers would be read as floats.
const FIND = named(
  'find_eval',
  `
  select id, user_id as "userId", prompt, input, array_to_json(models) as models, temperature, max_tokens as "maxTokens", total_cost as "totalCost", charge, is_free as "isFree",
    fastest_model as "fastestModel", cheapest_model as "cheapestModel", created_at as "createdAt", duration_ms as "durationMs", samples, checks, rerun_of as "rerunOf", max_cost as "maxCost", options, experiment_id as "experimentId", (
    select coalesce(json_agg(json_build_object(
      'evalId', eval_id, 'position', position, 'model', model, 'provider', provider, 'output', output, 'latencyMs', latency_ms, 'cost', cost::text,
      'inputTokens', input_tokens, 'outputTokens', output_tokens, 'error', error, 'warnings', warnings, 'details', details, 'checks', checks) order by position), '[]')
    from results where eval_id = evals.id
  ) as results
  from evals where id = $1 and user_id = $2`,
);

// Under a database's own locale, which may be C, only the letters A to Z would have two cases.
const ANY_LANGUAGE = '"und-x-icu"';

// The id is that of the star, so that the index on stars gives their order: a user's few stars are found however many
// evals there are.
const STARRED = `(
    select star.eval_id as id, star.user_id, prompt, models, total_cost, fastest_model, created_at, charge, is_free, experiment_id
    from annotations as star join evals as starred_eval on starred_eval.id = star.eval_id where star.starred
  ) as evals`;

// One statement, so that no eval is stored or erased between finding the end of the search and the search itself. '~'
// sorts behind every id.
// octet_length knows the size of a long prompt without reading it. Only where prompts are long does it matter which one
// passes the bound.
function findFrom({
  includeDetails,
  isStarred,
  isOfExperiment,
}: Record<'includeDetails' | 'isStarred' | 'isOfExperiment', boolean>): string {
  const from = isStarred ? STARRED : 'evals';
  const mine = `where user_id = $1 and experiment_id ${isOfExperiment ? '= $8' : 'is null'}`;
  const next = `(select id, prompt from ${from} ${mine} and id collate "C" < coalesce($6, '~') ${NEWEST_FIRST} limit $3) as next`;
  return named(
    'search_evals',
    `
  with bound as materialized (
    select case
      when sum(octet_length(prompt)) >= $7 then (
        select id from (select id, sum(octet_length(prompt)) over (${NEWEST_FIRST} rows unbounded preceding) as bytes from ${next}) as counted
        where bytes >= $7 ${NEWEST_FIRST} limit 1
      )
      when count(*) = $3 then min(id collate "C")
    end as id from ${next}
  )
  select page.*, bound.id as "searchedTo" from bound left join lateral (
    select ${summaryColumns(includeDetails)} from ${from}
    ${mine} and id collate "C" < coalesce($6, '~') and id collate "C" >= coalesce(bound.id, '')
      and ($4::text is null or position(lower($4 collate ${ANY_LANGUAGE}) in lower(prompt collate ${ANY_LANGUAGE})) > 0) and ($5::text is null or $5 = any(models) or exists (select from unnest(models) as arm where split_part(arm, '@', 1) = $5))
    ${NEWEST_FIRST} limit $2
  ) as page on true order by page.id collate "C" desc`,
  );
}
