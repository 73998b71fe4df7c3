import { Injectable } from '@nestjs/common';
import { SqlService } from '../../platform/database/sql.service';
import { named } from '../../platform/database/statement-names';
import type { Annotation } from './annotation.entity';
import { MAX_COUNTED_PREFERENCES, type Preference } from './preference.entity';

/** A preference as its key sees it. */
export type OwnPreference = Pick<Preference, 'preferred' | 'blind' | 'reason' | 'createdAt'>;

export interface EvalJudgment extends Pick<Annotation, 'note' | 'starred'> {
  preference: OwnPreference | null;
}

/** An attempt to store a preference: `isStored` is false where the preferred model did not answer. */
export interface PreferenceAttempt {
  models: string[];
  answered: string[];
  isStored: boolean;
}

/**
 * How often the first and the second model of a pair were preferred, and the ties; `neither` counts the other
 * preferences where both answered.
 */
export interface PairCount {
  a: string;
  b: string;
  preferredA: number;
  preferredB: number;
  ties: number;
  neither: number;
}

/** The counts of preferences over evals in which at least two models answered. */
export interface PreferenceCounts {
  pairs: PairCount[];
  models: { model: string; preferred: number; evals: number }[];
  evals: number;
  blind: number;
}

/** The most pairs and models of a count. */
const MAX_LINES = 100;

/** The columns of a preference are null where there is none. */
type JudgmentRow = OwnPreference & Pick<Annotation, 'note' | 'starred'> & { id: string; hasPreference: boolean };

/**
 * Preferences, notes and stars in Postgres. Every statement takes the user first: another user's eval does not exist.
 */
@Injectable()
export class JudgmentsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Stores the preference of a key, in place of an earlier one; undefined when the user has no eval with that id. */
  async prefer({
    evalId,
    userId,
    keyId,
    preferred,
    blind,
    reason,
    createdAt,
  }: Omit<Preference, 'answered'>): Promise<PreferenceAttempt | undefined> {
    return this.sql.queryOne<PreferenceAttempt>(PREFER, [evalId, userId, keyId, preferred, blind, reason, createdAt]);
  }

  async unprefer(userId: string, evalId: string, keyId: string): Promise<boolean> {
    return (await this.sql.queryOne(UNPREFER, [evalId, userId, keyId])) !== undefined;
  }

  async annotate(
    userId: string,
    evalId: string,
    { note, starred }: { note?: string | null | undefined; starred?: boolean | undefined },
  ): Promise<Pick<Annotation, 'note' | 'starred'> | undefined> {
    return this.sql.queryOne(ANNOTATE, [evalId, userId, note !== undefined, note ?? null, starred ?? null]);
  }

  /**
   * The judgments of evals by their ids; `keyId` says whose preferences. The caller has read the evals, so they are the
   * user's.
   */
  async of(keyId: string, evalIds: readonly string[]): Promise<Map<string, EvalJudgment>> {
    const rows = await this.sql.query<JudgmentRow>(JUDGMENTS, [evalIds, keyId]);
    return new Map(
      rows.map(({ id, note, starred, hasPreference, ...preference }) => [
        id,
        { note, starred, preference: hasPreference ? preference : null },
      ]),
    );
  }

  /** Counts the newest preferences of a user since an instant; with `models`, only these models and their pairs. */
  async count(
    userId: string,
    since: Date | undefined,
    models: readonly string[] | undefined,
  ): Promise<PreferenceCounts> {
    const counts = await this.sql.queryOne<PreferenceCounts>(COUNT, [
      userId,
      since ?? '-infinity',
      models ?? null,
      MAX_COUNTED_PREFERENCES,
      MAX_LINES,
    ]);
    return counts ?? { pairs: [], models: [], evals: 0, blind: 0 };
  }
}

// "For key share" waits for an erasure of this eval and then finds nothing, where the insert alone would break a
// foreign key.
const OWN = 'own as (select id, user_id, models from evals where id = $1 and user_id = $2 for key share)';

// A model with one of these names would look like the word, so it is left out of the counts.
const PREFER = named(
  'prefer',
  `
  with ${OWN}, found as (
    select own.*, array(select distinct model from results where eval_id = own.id and error is null and model not in ('tie', 'none_good') order by model) as answered from own
  ), stored as (
    insert into preferences (eval_id, key_id, user_id, preferred, answered, blind, reason, created_at)
    select id, $3, user_id, $4, answered, $5, $6, $7 from found where $4 in ('tie', 'none_good') or $4 = any(answered)
    on conflict (eval_id, key_id) do update set preferred = excluded.preferred, blind = excluded.blind, reason = excluded.reason, created_at = excluded.created_at
    returning 1
  )
  select array_to_json(models) as models, array_to_json(answered) as answered, exists (select from stored) as "isStored" from found`,
);

const UNPREFER = named(
  'unprefer',
  `
  with own as (select id from evals where id = $1 and user_id = $2), gone as (delete from preferences using own where eval_id = own.id and key_id = $3)
  select 1 from own`,
);

const ANNOTATE = named(
  'annotate',
  `
  with ${OWN}
  insert into annotations as old (eval_id, user_id, note, starred) select id, user_id, $4::text, coalesce($5::boolean, false) from own
  on conflict (eval_id) do update set note = case when $3::boolean then excluded.note else old.note end, starred = coalesce($5, old.starred)
  returning note, starred`,
);

const JUDGMENTS = named(
  'judgments',
  `
  select asked.id, note, coalesce(starred, false) as starred, preferences.eval_id is not null as "hasPreference", preferred, blind, reason, created_at as "createdAt"
  from unnest($1::text[]) as asked (id) left join annotations on annotations.eval_id = asked.id left join preferences on preferences.eval_id = asked.id and key_id = $2`,
);

// Equal preferences are counted first, so that most users' pairs are few. Members of a pair are compared by byte: every
// pair appears once.
const COUNT = named(
  'count_preferences',
  `
  with newest as materialized (
    select preferred, answered, blind from preferences where user_id = $1 and created_at >= $2 order by created_at desc limit $4
  ), counted as materialized (
    select answered, preferred, count(*) as n, count(*) filter (where blind) as blind from newest where cardinality(answered) > 1 group by answered, preferred
  ), pairs as (
    select a, b, coalesce(sum(n) filter (where preferred = a), 0) as "preferredA", coalesce(sum(n) filter (where preferred = b), 0) as "preferredB",
      coalesce(sum(n) filter (where preferred = 'tie'), 0) as ties, coalesce(sum(n) filter (where preferred not in (a, b, 'tie')), 0) as neither
    from counted, unnest(answered) as a, unnest(answered) as b
    where a collate "C" < b collate "C" and ($3::text[] is null or (a = any($3) and b = any($3)))
    group by a, b order by sum(n) desc, a, b limit $5
  ), models as (
    select model, coalesce(sum(n) filter (where preferred = model), 0) as preferred, sum(n) as evals from counted, unnest(answered) as model
    where $3::text[] is null or model = any($3) group by model order by evals desc, model limit $5
  )
  select (select coalesce(json_agg(pairs), '[]') from pairs) as pairs, (select coalesce(json_agg(models), '[]') from models) as models,
    coalesce(sum(n), 0)::int as evals, coalesce(sum(blind), 0)::int as blind from counted`,
);
