import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { freeRows, inSeconds, isFree, isHeldBy } from '../../platform/background/leases';
import { execute } from '../../platform/database/execute';
import { SqlService } from '../../platform/database/sql.service';
import type { StoredCommand } from './job-command';
import { CANCELED, UNFINISHED_STATES, type Job } from './job.entity';
import type { ClaimedRun, JobClaim, JobError, JobRecord } from './job.types';
import { named } from '../../platform/database/statement-names';
import { urgently } from '../../platform/database/urgency';

/** A job that is to be queued. */
export type NewJob = Pick<
  Job,
  'id' | 'userId' | 'keyId' | 'evalId' | 'idempotencyKey' | 'fingerprint' | 'createdAt'
> & { command: StoredCommand };

/** Where a page of jobs begins and what is on it. */
export interface JobPageStart {
  after: string | undefined;
  /** Only jobs that this key made. */
  keyId: string | undefined;
}

/** The maximum number of one user's queued jobs. */
const MAX_QUEUED_JOBS = 1000;
/** The maximum size of one user's queued jobs, in stored bytes. */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

/** Jobs in Postgres. Waiting jobs are claimed under leases; every change of a claimed job compares its fence. */
@Injectable()
export class JobsRepository {
  constructor(
    private readonly em: EntityManager,
    private readonly sql: SqlService,
    private readonly clock: Clock,
  ) {}

  /** Does some work in one transaction. */
  async inTransaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.em.fork().transactional(work);
  }

  /** The user's job with that id; undefined if there is none. */
  async find(userId: string, id: string): Promise<JobRecord | undefined> {
    return this.sql.queryOne(FIND, [userId, id]);
  }

  /** The user's job of the eval with that id; undefined if there is none. */
  async findByEval(userId: string, evalId: string): Promise<JobRecord | undefined> {
    return this.sql.queryOne(FIND_BY_EVAL, [userId, evalId]);
  }

  /**
   * At most `limit` of a user's jobs, newest first, after the job with that id; if `keyId` is given, only the jobs of
   * that key.
   */
  async page(userId: string, limit: number, { after, keyId }: JobPageStart): Promise<JobRecord[]> {
    return this.sql.query(pageFrom(keyId !== undefined), [
      userId,
      limit,
      after ?? '~',
      ...(keyId === undefined ? [] : [keyId]),
    ]);
  }

  /**
   * Queues a job in a transaction; false if the user's part of the queue is full. Its Idempotency-Key stands for no
   * other job from then on.
   */
  async insert(tx: EntityManager, job: NewJob): Promise<boolean> {
    const { id, userId, keyId, evalId, command, idempotencyKey, fingerprint, createdAt } = job;
    // One after the other, because each counts what the others have queued.
    await execute(tx, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`runs of ${userId}`]);
    if (idempotencyKey !== null) await execute(tx, FORGET_KEY, [userId, idempotencyKey]);
    const values = [
      id,
      userId,
      keyId,
      evalId,
      JSON.stringify(command),
      idempotencyKey,
      fingerprint,
      createdAt,
      MAX_QUEUED_JOBS,
      MAX_QUEUED_BYTES,
    ];
    return (await execute(tx, INSERT, values)).length > 0;
  }

  /** Cancels a queued job in a transaction; undefined if the user has no queued job with that id. */
  async cancel(
    tx: EntityManager,
    userId: string,
    id: string,
  ): Promise<Pick<Job, 'evalId' | 'idempotencyKey'> | undefined> {
    const [row] = await execute<Pick<Job, 'evalId' | 'idempotencyKey'>>(tx, CANCEL, [userId, id, this.clock.now()]);
    return row;
  }

  /** True if any job of any user is queued or running. */
  async hasUnfinished(): Promise<boolean> {
    return (await this.sql.queryOne(FIND_UNFINISHED, [])) !== undefined;
  }

  /**
   * Claims at most `limit` jobs for `ttlSeconds`: queued jobs, and jobs of dead processes. Users take turns: first the
   * users with the fewest running jobs, and among them users who are
   * not among `served`, or first there.
   */
  async claim(limit: number, ttlSeconds: number, served: readonly string[]): Promise<ClaimedRun[]> {
    const rows = await execute<ClaimedRun>(this.em, CLAIM, [limit, ttlSeconds, this.clock.now(), served]);
    return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }));
  }

  /** Extends leases to `ttlSeconds` from now. Returns the ids of the jobs whose lease is unchanged. */
  async renew(claims: readonly JobClaim[], ttlSeconds: number): Promise<string[]> {
    const rows = await urgently(() => execute<{ id: string }>(this.em, RENEW, [...columnsOf(claims), ttlSeconds]));
    return rows.map(({ id }) => id);
  }

  /** Requeues jobs, to be claimed by any process after `seconds`; with `countsAsRetry` after a failed attempt. */
  async requeue(claims: readonly JobClaim[], afterSeconds: number, countsAsRetry: boolean): Promise<void> {
    await urgently(() => execute(this.em, REQUEUE, [...columnsOf(claims), afterSeconds, countsAsRetry]));
  }

  /** Marks a job as succeeded; false if the lease is lost. */
  async markSucceeded({ runId, fence }: JobClaim, em = this.em): Promise<boolean> {
    return (await execute(em, SUCCEED, [runId, fence, this.clock.now()])).length > 0;
  }

  /** Marks a job as failed in a transaction; undefined if the lease is lost. */
  async fail(
    tx: EntityManager,
    { runId, fence }: JobClaim,
    error: JobError,
  ): Promise<Pick<Job, 'userId' | 'evalId' | 'idempotencyKey'> | undefined> {
    const [row] = await execute<Pick<Job, 'userId' | 'evalId' | 'idempotencyKey'>>(tx, FAIL, [
      runId,
      fence,
      this.clock.now(),
      JSON.stringify(error),
    ]);
    return row;
  }
}

function columnsOf(claims: readonly JobClaim[]): [runIds: string[], fences: number[]] {
  return [claims.map(({ runId }) => runId), claims.map(({ fence }) => fence)];
}

const RUNS = { table: 'runs', key: 'id', lease: 'lease_until' };
/** As the partial index has it, which is small because most jobs have ended. */
const UNFINISHED = `state in (${UNFINISHED_STATES.map((state) => `'${state}'`).join(', ')})`;
const RECORD =
  'id, key_id as "keyId", eval_id as "evalId", state, error, created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt"';
/** The columns that every end of a job sets. */
const ENDED = 'body = null, lease_until = null, finished_at = $3';
const IS_MINE = `${isHeldBy({ key: 'id', fence: 'fence' }, { key: '$1', fence: '$2' })} and state = 'running'`;
const ARE_MINE = `${isHeldBy({ key: 'runs.id', fence: 'runs.fence' }, { key: 'claim.run_id', fence: 'claim.fence' })} and state = 'running'`;

const FIND = named('find_run', `select ${RECORD} from runs where user_id = $1 and id = $2`);

const FIND_BY_EVAL = `select ${RECORD} from runs where user_id = $1 and eval_id = $2`;

const pageFrom = (isOfKey: boolean) =>
  `select ${RECORD} from runs where user_id = $1 and id collate "C" < $3 ${isOfKey ? 'and key_id = $4' : ''} order by id collate "C" desc limit $2`;

const FIND_UNFINISHED = `select 1 as found from runs where ${UNFINISHED} limit 1`;

// Of a job whose key has expired, or which has failed or was canceled.
const FORGET_KEY = 'update runs set idempotency_key = null where user_id = $1 and idempotency_key = $2';

// The size of a body is known without reading it.
const INSERT = named(
  'enqueue_run',
  `
  insert into runs (id, user_id, key_id, eval_id, body, state, lease_until, idempotency_key, fingerprint, created_at)
  select $1, $2, $3, $4, $5::jsonb, 'queued', clock_timestamp(), $6, $7, $8
  from (select count(*) as runs, coalesce(sum(pg_column_size(body)), 0) as bytes from runs where user_id = $2 and ${UNFINISHED} and state = 'queued') as queue
  where queue.runs < $9::integer and queue.bytes < $10::bigint
  returning 1 as inserted`,
);

const CANCEL = `
  update runs set state = '${CANCELED}', ${ENDED} where user_id = $1 and id = $2 and state = 'queued' returning eval_id as "evalId", idempotency_key as "idempotencyKey"`;

// However many jobs wait, it reads of each user no more than could be claimed: users are found by jumping through the
// index, from one to the next.
const CLAIM = named(
  'claim_runs',
  `
  with recursive waiting as (
    (select user_id from runs where ${UNFINISHED} order by user_id limit 1)
    union all
    select (select user_id from runs where ${UNFINISHED} and user_id > waiting.user_id order by user_id limit 1) from waiting where waiting.user_id is not null
  ), next as (
    select free.id
    from waiting,
      lateral (select count(*) as runs from runs where user_id = waiting.user_id and ${UNFINISHED} and state = 'running' and not ${isFree(RUNS)}) as busy,
      lateral (
        select first.id, row_number() over (order by first.id collate "C") as turn
        from (select id from runs where user_id = waiting.user_id and ${UNFINISHED} and ${isFree(RUNS)} order by id collate "C" limit $1::integer) as first
      ) as free
    order by busy.runs + free.turn, coalesce(array_position($4::text[], waiting.user_id), 0), free.id collate "C" limit $1::integer
  ), due as materialized (
    ${freeRows(RUNS, { limit: '$1', among: `${UNFINISHED} and id in (select id from next)` })}
  )
  update runs as run
  set state = 'running', fence = run.fence + 1, retries = run.retries + (run.state = 'running')::integer, lease_until = ${inSeconds('$2')}, started_at = $3
  from due where run.id = due.id
  returning run.id as "runId", run.eval_id as "evalId", run.created_at as "createdAt", run.fence, run.user_id as "userId", run.key_id as "keyId", run.body, run.retries`,
);

const RENEW = `
  update runs set lease_until = ${inSeconds('$3')}
  from unnest($1::text[], $2::integer[]) as claim (run_id, fence)
  where ${ARE_MINE} returning runs.id`;

const REQUEUE = `
  update runs set state = 'queued', lease_until = ${inSeconds('$3')}, started_at = null, retries = retries + $4::boolean::integer
  from unnest($1::text[], $2::integer[]) as claim (run_id, fence)
  where ${ARE_MINE}`;

const SUCCEED = `update runs set state = 'succeeded', ${ENDED} where ${IS_MINE} returning id`;

const FAIL = `
  update runs set state = 'failed', error = $4::jsonb, ${ENDED} where ${IS_MINE} returning user_id as "userId", eval_id as "evalId", idempotency_key as "idempotencyKey"`;
