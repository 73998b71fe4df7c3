import { Injectable } from '@nestjs/common';
import { SqlService } from '../database/sql.service';
import { NEWEST_FIRST, summaryColumns, type EvalSummary } from './evals.repository';
import { named } from '../database/statement-names';

/** A request looks at no more evals than this, whether or not it finds any, and stops after as many bytes of prompts. */
const MAX_SEARCHED_EVALS = 5000;
const MAX_SEARCHED_BYTES = 4_000_000;

/** The conditions of a search; undefined for none. */
export interface EvalFilter {
  /** A part of the prompt, in upper or lower case. */
  text: string | undefined;
  /** Id of a compared model. */
  model: string | undefined;
}

/** The start of a search, and the parts of its answer. */
interface SearchStart {
  /** The eval that a cursor names. */
  after: string | undefined;
  includeDetails: boolean;
}

/** A page of found evals. */
interface FoundEvals {
  evals: EvalSummary[];
  /** Id of the last eval that was looked at; undefined when there is none after it. */
  searchedTo: string | undefined;
}

type FoundRow = { [Column in keyof EvalSummary]: EvalSummary[Column] | null } & { searchedTo: string | null };

/** Searches a user's evals, newest first, without an index on texts: what a request costs is bounded instead. */
@Injectable()
export class EvalSearchRepository {
  constructor(private readonly sql: SqlService) {}

  /** At most `limit` of the evals that a request reads, after the eval of a cursor. */
  async find(userId: string, limit: number, { text, model }: EvalFilter, { after, includeDetails }: SearchStart): Promise<FoundEvals> {
    const rows = await this.sql.query<FoundRow>(findFrom(includeDetails), [userId, limit, MAX_SEARCHED_EVALS, text ?? null, model ?? null, after ?? null, MAX_SEARCHED_BYTES]);
    return { evals: rows.filter((row): row is FoundRow & EvalSummary => row.id !== null), searchedTo: rows[0]?.searchedTo ?? undefined };
  }
}

// Under a database's own locale, which may be C, only the letters A to Z would have two cases.
const ANY_LANGUAGE = '"und-x-icu"';

// One statement, so that no eval is stored or erased between finding the end of the search and the search itself. '~' sorts behind every id.
// octet_length knows the size of a long prompt without reading it. Only where prompts are long does it matter which one passes the bound.
function findFrom(includeDetails: boolean): string {
  const next = `(select id, prompt from evals where user_id = $1 and id collate "C" < coalesce($6, '~') ${NEWEST_FIRST} limit $3) as next`;
  return named('search_evals', `
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
    select ${summaryColumns(includeDetails)} from evals
    where user_id = $1 and id collate "C" < coalesce($6, '~') and id collate "C" >= coalesce(bound.id, '')
      and ($4::text is null or position(lower($4 collate ${ANY_LANGUAGE}) in lower(prompt collate ${ANY_LANGUAGE})) > 0) and ($5::text is null or $5 = any(models))
    ${NEWEST_FIRST} limit $2
  ) as page on true order by page.id collate "C" desc`);
}
