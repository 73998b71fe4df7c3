import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { freeRows, inSeconds, isFree, isHeldBy } from '../../../platform/background/leases';
import { Money } from '../../../common/money';
import { Config } from '../../../platform/config/config';
import { execute } from '../../../platform/database/execute';
import { SqlService } from '../../../platform/database/sql.service';
import { named } from '../../../platform/database/statement-names';
import type { Transaction } from '../../../platform/database/transaction';
import { urgently } from '../../../platform/database/urgency';
import type { Experiment, ExperimentState, PauseReason } from '../experiment.entity';
import type { ExperimentRow } from '../experiment-row.entity';
import type { SchedulingExperiment, ScheduledRow, RowClaim } from '../experiment.types';
import type { RowOwner } from './claimed-row';

/** A row that waits to be scheduled again. */
export type WaitingRow = Pick<
  ScheduledRow,
  'rowNo' | 'attempt' | 'fence' | 'evalId' | 'createdAt' | 'models' | 'retries'
>;

/** A row that is scheduled for the first time. */
export type FreshRow = Pick<ExperimentRow, 'rowNo' | 'rowId' | 'groupId' | 'content' | 'evalId' | 'maxCost'>;

/** The rows of a schedule. It changes nothing if anything else was scheduled since it was decided on. */
export interface Schedule {
  fresh: readonly FreshRow[];
  again: readonly (WaitingRow & { maxCost: Money })[];
}

/** A row of a dead process, with what its new holder needs of its experiment. */
export type ExpiredRow = ScheduledRow & RowOwner & Pick<Experiment, 'datasetId'>;

/** The reason to pause an experiment. */
export interface Pause {
  reason: PauseReason;
  detail: string;
}

/** The end of a row with an eval. */
export interface RowEnd {
  cost: Money;
  charge: Money;
  figures: readonly number[];
  /** Models without an answer; null if all answered. */
  missing: readonly string[] | null;
}

/**
 * The rows of experiments in Postgres: scheduling, and the ends of rows. Rows are locked before their experiment. At every
 * commit, the cost of an experiment and the most that its scheduled rows
 * can cost are together no more than its cap.
 */
@Injectable()
export class RowsRepository {
  constructor(
    private readonly em: EntityManager,
    private readonly sql: SqlService,
    private readonly config: Config,
  ) {}

  /**
   * The experiment whose turn it is; undefined if none has rows to schedule. Users with the fewest running rows come first,
   * then the experiment
   * that was scheduled from the longest ago. `limits` are lower limits of `parallel` by id.
   */
  async next(limits: Readonly<Record<string, number>>): Promise<SchedulingExperiment | undefined> {
    return this.sql.queryOne(NEXT, [JSON.stringify(limits)]);
  }

  /** True if any experiment runs, or rows of a dead process are to be looked after. */
  async hasUnfinished(): Promise<boolean> {
    return (await this.sql.queryOne(HAS_UNFINISHED, [])) !== undefined;
  }

  /** The first rows that wait to be scheduled again. */
  async waiting(experimentId: string, limit: number): Promise<WaitingRow[]> {
    return this.sql.query<WaitingRow>(WAITING, [experimentId, limit]);
  }

  /**
   * Schedules rows to this process; false, with nothing changed, if another process has scheduled since, the cap no longer
   * allows it, or the experiment does not run.
   */
  async schedule({ id, deals, nextNo }: SchedulingExperiment, { fresh, again }: Schedule, at: Date): Promise<boolean> {
    const added = Money.sum([...fresh, ...again].map(({ maxCost }) => maxCost));
    const values = [
      id,
      deals,
      nextNo + fresh.length,
      fresh.length,
      added.toString(),
      json(fresh),
      json(again),
      at,
      this.config.RESERVATION_TTL_SECONDS,
    ];
    const [row] = await execute<{ dealt: number }>(this.em, SCHEDULE, values);
    return row !== undefined;
  }

  /** Pauses an experiment unless it was scheduled from, or its cap was changed, since. */
  async pauseUnscheduled({ id, deals, maxCost }: SchedulingExperiment, { reason, detail }: Pause): Promise<boolean> {
    return (await execute(this.em, PAUSE_UNSCHEDULED, [id, deals, reason, detail, maxCost.toString()])).length > 0;
  }

  /** Claims at most `limit` rows of dead processes. */
  async claimExpired(limit: number): Promise<ExpiredRow[]> {
    const rows = await execute<ExpiredRow>(this.em, CLAIM_EXPIRED, [limit, this.config.RESERVATION_TTL_SECONDS]);
    return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt), maxCost: Money.of(String(row.maxCost)) }));
  }

  /** Extends leases. */
  async renew(claims: readonly RowClaim[]): Promise<void> {
    await urgently(() => execute(this.em, RENEW, [...columnsOf(claims), this.config.RESERVATION_TTL_SECONDS]));
  }

  /** Lets rows wait to be scheduled again after `afterSeconds`. */
  async requeue(claims: readonly RowClaim[], afterSeconds: number, countsAsRetry: boolean): Promise<void> {
    await urgently(() => execute(this.em, REQUEUE, [...columnsOf(claims), afterSeconds, countsAsRetry]));
  }

  /** Lets a row wait and pauses its experiment, unless another key than this pays by now. */
  async requeueAndPause(claim: RowClaim, keyId: string, { reason, detail }: Pause): Promise<void> {
    await urgently(() => execute(this.em, REQUEUE_AND_PAUSE, [...keyOf(claim), reason, detail, keyId]));
  }

  /** Pauses a running experiment. */
  async pause(experimentId: string, { reason, detail }: Pause): Promise<void> {
    await execute(this.em, PAUSE, [experimentId, reason, detail]);
  }

  /**
   * Ends a row with its eval, in the transaction that stores the eval; undefined if the lease is lost. @returns the
   * state of the experiment afterwards
   */
  async succeed(
    claim: RowClaim,
    { cost, charge, figures, missing }: RowEnd,
    at: Date,
    tx: Transaction = this.em,
  ): Promise<ExperimentState | undefined> {
    const [row] = await execute<{ state: ExperimentState }>(tx, SUCCEED, [
      ...keyOf(claim),
      at,
      cost.toString(),
      charge.toString(),
      figures,
      missing,
    ]);
    return row?.state;
  }

  /**
   * Ends a row in which no model answered; undefined if the lease is lost. @returns the state of the experiment
   * afterwards
   */
  async fail(
    claim: RowClaim,
    error: object,
    { figures, missing }: Pick<RowEnd, 'figures' | 'missing'>,
    at: Date,
    tx: Transaction = this.em,
  ): Promise<ExperimentState | undefined> {
    const [row] = await urgently(() =>
      execute<{ state: ExperimentState }>(tx, FAIL, [...keyOf(claim), at, JSON.stringify(error), figures, missing]),
    );
    return row?.state;
  }
}

function json(rows: readonly { maxCost: Money }[]): string {
  return JSON.stringify(rows.map((row) => ({ ...row, maxCost: row.maxCost.toString() })));
}

function keyOf({ experimentId, rowNo, attempt, fence }: RowClaim): [string, number, number, number] {
  return [experimentId, rowNo, attempt, fence];
}

function columnsOf(claims: readonly RowClaim[]): [string[], number[], number[], number[]] {
  return [
    claims.map(({ experimentId }) => experimentId),
    claims.map(({ rowNo }) => rowNo),
    claims.map(({ attempt }) => attempt),
    claims.map(({ fence }) => fence),
  ];
}

const KEY = 'experiment_id, row_no, attempt';
const ROWS = { table: 'experiment_rows', key: KEY, lease: 'lease_until' };
const IS_MINE = `${isHeldBy({ key: `(${KEY})`, fence: 'fence' }, { key: '($1::text, $2::integer, $3::integer)', fence: '$4::integer' })} and state = 'dealt'`;
const CLAIMS =
  'unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) as claim (experiment_id, row_no, attempt, fence)';
const ARE_MINE = `${isHeldBy({ key: '(held.experiment_id, held.row_no, held.attempt)', fence: 'held.fence' }, { key: '(claim.experiment_id, claim.row_no, claim.attempt)', fence: 'claim.fence' })} and held.state = 'dealt'`;

const HELD = `select count(*)::integer as running, coalesce(sum(max_cost), 0) as held from experiment_rows where experiment_id = experiments.id and state = 'dealt'`;

const NEXT = named(
  'next_experiment',
  `
  with candidate as (
    select experiments.*, dealt.running, dealt.held, sum(dealt.running) over (partition by user_id) as busy
    from experiments cross join lateral (${HELD}) as dealt where state = 'running'
  ), ready as (
    select *, count(*) over ()::integer as candidates from (
      select *, exists (select from experiment_rows where experiment_id = candidate.id and state = 'waiting' and ${isFree(ROWS)}) as has_waiting from candidate
    ) as candidate
    where running < coalesce(($1::jsonb ->> id)::integer, parallel) and (next_no < row_count or has_waiting)
  )
  select id, user_id as "userId", key_id as "keyId", dataset_id as "datasetId", spec, next_no as "nextNo", row_count as "rowCount", deals, parallel,
    cost, max_cost as "maxCost", running, held, has_waiting as "hasWaiting", candidates
  from ready order by busy, dealt_at nulls first, id limit 1`,
);

const HAS_UNFINISHED = `select 1 as found from experiments where state in ('running', 'paused') and (state = 'running' or open > 0)
  union all select 1 from experiment_rows where state = 'dealt' and ${isFree(ROWS)} limit 1`;

const WAITING = `
  select row_no as "rowNo", attempt, fence, eval_id as "evalId", created_at as "createdAt", array_to_json(models) as models, retries
  from experiment_rows where experiment_id = $1 and state = 'waiting' and ${isFree(ROWS)} order by row_no, attempt limit $2`;

// A schedule that was decided on earlier rows changes nothing, because each schedule counts: so the sum of scheduled rows, which
// this statement may have read before it waited, is never too small.
const SCHEDULE = named(
  'schedule_rows',
  `
  with gate as (
    update experiments set next_no = $3, deals = deals + 1, open = open + $4::integer, dealt_at = clock_timestamp()
    where id = $1 and deals = $2 and state = 'running'
      and cost + $5::numeric + (select coalesce(sum(max_cost), 0) from experiment_rows where experiment_id = $1 and state = 'dealt') <= max_cost
    returning id
  ), fresh as (
    insert into experiment_rows (experiment_id, row_no, attempt, row_id, group_id, content, state, fence, lease_until, max_cost, eval_id, created_at)
    select gate.id, "rowNo", 1, "rowId", "groupId", content, 'dealt', 1, ${inSeconds('$9::integer')}, "maxCost", "evalId", $8::timestamptz
    from gate, json_to_recordset($6::json) as dealt ("rowNo" integer, "rowId" text, "groupId" text, content text, "maxCost" numeric, "evalId" text)
  ), again as (
    update experiment_rows as held set state = 'dealt', fence = held.fence + 1, lease_until = ${inSeconds('$9::integer')}, max_cost = dealt."maxCost"
    from gate, json_to_recordset($7::json) as dealt ("rowNo" integer, attempt integer, "maxCost" numeric)
    where held.experiment_id = gate.id and held.row_no = dealt."rowNo" and held.attempt = dealt.attempt and held.state = 'waiting'
  )
  select 1 as dealt from gate`,
);

const PAUSED = `state = 'paused', reason = `;

const PAUSE_UNSCHEDULED = `update experiments set ${PAUSED} $3, reason_detail = $4 where id = $1 and deals = $2 and max_cost = $5::numeric and state = 'running' returning 1 as paused`;

const PAUSE = `update experiments set ${PAUSED} $2, reason_detail = $3 where id = $1 and state = 'running'`;

const CLAIM_EXPIRED = named(
  'claim_expired_rows',
  `
  with due as materialized (${freeRows(ROWS, { limit: '$1', among: `state = 'dealt'` })})
  update experiment_rows as held set fence = held.fence + 1, retries = held.retries + 1, lease_until = ${inSeconds('$2::integer')}
  from due, experiments as experiment
  where held.experiment_id = due.experiment_id and held.row_no = due.row_no and held.attempt = due.attempt and experiment.id = held.experiment_id
  returning held.experiment_id as "experimentId", held.row_no as "rowNo", held.attempt, held.fence, held.retries, held.eval_id as "evalId", held.created_at as "createdAt", held.max_cost as "maxCost", array_to_json(held.models) as models,
    experiment.user_id as "userId", experiment.key_id as "keyId", experiment.dataset_id as "datasetId", experiment.state, experiment.spec, experiment.parallel`,
);

const RENEW = `update experiment_rows as held set lease_until = ${inSeconds('$5::integer')} from ${CLAIMS} where ${ARE_MINE}`;

const WAITS = (seconds: string) => `state = 'waiting', lease_until = ${inSeconds(seconds)}`;

const REQUEUE = `update experiment_rows as held set ${WAITS('$5::integer')}, retries = held.retries + $6::boolean::integer from ${CLAIMS} where ${ARE_MINE}`;

const REQUEUE_AND_PAUSE = `
  with mine as (update experiment_rows set ${WAITS('0')} where ${IS_MINE} returning experiment_id)
  update experiments set ${PAUSED} $5, reason_detail = $6 from mine where id = mine.experiment_id and state = 'running' and key_id = $7`;

/** The rest of a statement that ends a row: its experiment counts it, and ends with its last row. */
const counting = (row: string, counts: string) => `
  with mine as (update experiment_rows set lease_until = null, finished_at = $5, ${row} where ${IS_MINE} returning experiment_id, attempt)
  update experiments set open = open - 1, ${counts},
    state = case when ${IS_LAST} then 'finished' else state end, reason = case when ${IS_LAST} then null else reason end, reason_detail = case when ${IS_LAST} then null else reason_detail end,
    finished_at = case when ${IS_LAST} then $5 else finished_at end
  from mine where id = mine.experiment_id returning state`;
const IS_LAST = `open = 1 and next_no >= row_count and state in ('running', 'paused')`;
const IS_FIRST_ATTEMPT = '(mine.attempt = 1)::integer';

const SUCCEED = named(
  'end_row',
  counting(
    `state = 'done', error = null, cost = $6::numeric, figures = $8, missing = $9::text[]`,
    `done = done + ${IS_FIRST_ATTEMPT}, cost = cost + $6::numeric, charge = charge + $7::numeric`,
  ),
);

const FAIL = named(
  'fail_row',
  counting(
    `state = 'failed', error = $6::jsonb, figures = $7, missing = $8::text[]`,
    `failed = failed + ${IS_FIRST_ATTEMPT}`,
  ),
);
