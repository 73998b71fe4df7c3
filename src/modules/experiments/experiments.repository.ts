import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AccountsService, type Rotation } from '../auth/accounts.service';
import { Money } from '../../common/money';
import { Config } from '../../platform/config/config';
import { execute } from '../../platform/database/execute';
import { SqlService } from '../../platform/database/sql.service';
import { named } from '../../platform/database/statement-names';
import type { Transaction } from '../../platform/database/transaction';
import { COLUMNS, FROM, VOTES_VERSION } from './experiment-columns';
import { EXPERIMENT_COUNTS, type ExperimentCounts } from './experiment-counts';
import { CANCELED_EXPERIMENT, Experiment, type ExperimentWithRunning } from './experiment.entity';
import { JudgesRepository } from './judge/judges.repository';
import type { ListedRow } from './rows/row-view';
import type { RowFilter } from './rows/rows.dto';
import { rowsQuery } from './rows/rows-query';
import { figuresWidth } from './summary/figures';
import type { AttemptFigures } from './summary/merge-figures';
import { DAY_MS } from '../../common/clock';

/** The numbers of a user's experiments that run, and that were started within 24 hours. */
export interface StartedExperiments {
  running: number;
  today: number;
}

/**
 * Experiments and their rows in Postgres, apart from scheduling. Reads of a request take the user first: another user's
 * experiment does not exist.
 */
@Injectable()
export class ExperimentsRepository {
  constructor(
    private readonly em: EntityManager,
    private readonly sql: SqlService,
    private readonly config: Config,
    readonly judges: JudgesRepository,
    accounts: AccountsService,
  ) {
    accounts.onRotation((tx, rotation) => this.handOver(tx, rotation));
  }

  /** The time since which experiments with texts have ended, at `now`; undefined where texts are kept forever. */
  keptSince(now: Date): Date | undefined {
    const { RETENTION_DAYS: days } = this.config;
    return days === undefined ? undefined : new Date(now.getTime() - days * DAY_MS);
  }

  /** Does some work in one transaction. */
  async inTransaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.em.fork().transactional(work);
  }

  /** The user's experiment with that id; undefined if there is none. */
  async find(userId: string, id: string): Promise<ExperimentWithRunning | undefined> {
    return this.sql.queryOne(FIND, [userId, id]);
  }

  /** At most `limit` of a user's experiments, newest first, after the one with that id. */
  async page(userId: string, limit: number, after: string | undefined): Promise<ExperimentWithRunning[]> {
    return this.sql.query(PAGE, [userId, limit, after ?? '~']);
  }

  /** The experiment of a user's Idempotency-Key, unless it was used before `since`. */
  async findByKey(
    userId: string,
    key: string,
    since: Date,
  ): Promise<Pick<Experiment, 'id' | 'fingerprint'> | undefined> {
    return this.sql.queryOne(
      'select id, fingerprint from experiments where user_id = $1 and idempotency_key = $2 and created_at > $3',
      [userId, key, since],
    );
  }

  /** Counts the experiments of all users that have not ended. */
  async counts(): Promise<ExperimentCounts> {
    const [counts] = await this.sql.query<ExperimentCounts>(EXPERIMENT_COUNTS, []);
    if (counts === undefined) throw new Error('A count has one row.');
    return counts;
  }

  /** True if an experiment on a data set runs or is paused. */
  async usesDataset(datasetId: string): Promise<boolean> {
    return (
      (await this.sql.queryOne(
        `select 1 as found from experiments where dataset_id = $1 and state in ('running', 'paused') limit 1`,
        [datasetId],
      )) !== undefined
    );
  }

  /** Counts the experiments of a user, one request after the other until the transaction ends. */
  async countStarted(tx: Transaction, userId: string, since: Date): Promise<StartedExperiments> {
    await execute(tx, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`experiments of ${userId}`]);
    const [row] = await execute<StartedExperiments>(tx, COUNT_STARTED, [userId, since]);
    return row ?? { running: 0, today: 0 };
  }

  /** Stores an experiment; its Idempotency-Key stands for no other from then on. */
  async insert(tx: Transaction, experiment: Experiment): Promise<void> {
    const { userId, idempotencyKey } = experiment;
    if (idempotencyKey !== null)
      await execute(tx, 'update experiments set idempotency_key = null where user_id = $1 and idempotency_key = $2', [
        userId,
        idempotencyKey,
      ]);
    await tx.insert(Experiment, experiment);
  }

  /** Makes the successor of a key pay for the rest of what that key pays. */
  private async handOver(tx: Transaction, { userId, from, to }: Rotation): Promise<void> {
    await execute(
      tx,
      `update experiments set key_id = $3 where user_id = $1 and key_id = $2 and state in ('running', 'paused')`,
      [userId, from, to],
    );
  }

  /** The user's experiment, locked until the transaction ends; what is changed on it is stored then. */
  async lock(tx: Transaction, userId: string, id: string): Promise<Experiment | null> {
    return tx.findOne(Experiment, { id, userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /**
   * The most that the dealt rows of a locked experiment can cost. Sees rows that were committed while the lock was
   * waited for.
   */
  async held(tx: Transaction, id: string): Promise<Money> {
    const [row] = await execute<{ held: string }>(
      tx,
      `select coalesce(sum(max_cost), 0) as held from experiment_rows where experiment_id = $1 and state = 'dealt'`,
      [id],
    );
    return Money.of(row?.held ?? '0');
  }

  /**
   * Removes the waiting rows of a locked experiment from its counts. Rows that wait for a retry count as failed again.
   */
  async dropWaiting(tx: Transaction, experiment: Pick<Experiment, 'id' | 'open' | 'failed'>): Promise<void> {
    const dropped = await execute<{ isFailure: boolean }>(tx, DROP_WAITING, [experiment.id]);
    experiment.open -= dropped.length;
    experiment.failed += dropped.filter(({ isFailure }) => isFailure).length;
  }

  /**
   * Lets the failed rows of a locked experiment wait to be dealt again. Returns the number of rows, and of first
   * attempts among them.
   */
  async retryFailed(tx: Transaction, id: string): Promise<{ rows: number; first: number }> {
    const again = await execute<{ attempt: number }>(tx, RETRY_FAILED, [id]);
    return { rows: again.length, first: again.filter(({ attempt }) => attempt === 1).length };
  }

  /**
   * Rows of a locked experiment with models that gave no answer; their `missing` is cleared, because a further attempt
   * asks them.
   */
  async takeMissing(tx: Transaction, id: string): Promise<{ rowNo: number; attempt: number; models: string[] }[]> {
    return execute(tx, TAKE_MISSING, [id]);
  }

  /** Adds further attempts that wait to be dealt. */
  async addAttempts(
    tx: Transaction,
    id: string,
    attempts: readonly { rowNo: number; attempt: number; models: readonly string[]; evalId: string }[],
    at: Date,
  ): Promise<void> {
    await execute(tx, ADD_ATTEMPTS, [id, JSON.stringify(attempts), at]);
  }

  /**
   * At most `limit` rows after the one with that number, in the order of their numbers. Rows that were never dealt are
   * not there.
   */
  async rows(
    id: string,
    { after, limit, state }: { after: number; limit: number; state: RowFilter | undefined },
    { models, checks }: { models: readonly string[]; checks: readonly unknown[] },
  ): Promise<ListedRow[]> {
    const widths = state === 'differing' ? [models.length, figuresWidth(checks.length)] : [];
    return this.sql.query(rowsQuery(state), [id, after, limit, ...widths]);
  }

  /** The figures of the ended attempts of the rows from `fromNo` to before `toNo`, in order. */
  async figures(id: string, fromNo: number, toNo: number): Promise<AttemptFigures[]> {
    const rows = await this.sql.query<AttemptFigures>(FIGURES, [id, fromNo, toNo]);
    // JSON has NaN and Infinity as strings only.
    return rows.map((row) => ({ ...row, figures: row.figures && row.figures.map(Number) }));
  }

  /** Ids of the evals of the first rows. */
  async evalIds(id: string, toNo: number): Promise<string[]> {
    const rows = await this.sql.query<{ evalId: string }>(
      `select eval_id as "evalId" from experiment_rows where experiment_id = $1 and row_no < $2 and state = 'done'`,
      [id, toNo],
    );
    return rows.map(({ evalId }) => evalId);
  }

  /**
   * Keeps the summary of an experiment that ended at `finishedAt`, unless it was retried or voted on since; also in
   * place of one of an earlier version, which has no cost of a passed answer.
   */
  async keepSummary(
    { id, finishedAt }: Pick<Experiment, 'id' | 'finishedAt'>,
    summary: object,
    votesVersion: string,
  ): Promise<void> {
    await this.inTransaction(async (tx) => {
      // A vote locks its experiment, too. Only a statement after this one sees a vote that was stored meanwhile.
      await execute(tx, 'select from experiments where id = $1 for update', [id]);
      await execute(
        tx,
        `update experiments set summary = $2 where id = $1 and state in ('finished', '${CANCELED_EXPERIMENT}') and finished_at = $3 and (summary is null or summary->'models'->0->'cost_per_passed' is null) and ${VOTES_VERSION} = $4`,
        [id, JSON.stringify(summary), finishedAt, votesVersion],
      );
    });
  }

  /**
   * Locks an experiment whose texts are being erased and of which no row runs, unless another process has; undefined if
   * there is none.
   */
  async lockErasing(tx: Transaction): Promise<Experiment | undefined> {
    return lockFirst(tx, ERASING, []);
  }

  /**
   * Locks an experiment that ended before `end`, or the one with that id if it did, unless another process has;
   * undefined if there is none.
   */
  async lockEndedBefore(tx: Transaction, end: Date, id: string | null = null): Promise<Experiment | undefined> {
    return lockFirst(tx, ENDED, [end, id]);
  }

  /** Removes the texts of the rows with numbers from `from` to before `to`. Returns the ids that their evals have. */
  async clearRows(tx: Transaction, id: string, from: number, to: number): Promise<string[]> {
    return (await execute<{ evalId: string }>(tx, CLEAR, [id, from, to])).map(({ evalId }) => evalId);
  }
}

async function lockFirst(tx: Transaction, statement: string, values: unknown[]): Promise<Experiment | undefined> {
  const [row] = await execute<{ id: string }>(tx, statement, values);
  return row && (await tx.findOneOrFail(Experiment, row.id));
}

const FIND = named('find_experiment', `select ${COLUMNS} ${FROM} where user_id = $1 and id = $2`);

const PAGE = `select ${COLUMNS} ${FROM} where user_id = $1 and id collate "C" < $3 order by id collate "C" desc limit $2`;

const COUNT_STARTED = `select count(*) filter (where state = 'running')::integer as running, count(*) filter (where created_at > $2)::integer as today from experiments where user_id = $1 and (state = 'running' or created_at > $2)`;

const RETRY_FAILED = `update experiment_rows set state = 'waiting', lease_until = clock_timestamp(), retries = 0 where experiment_id = $1 and state = 'failed' returning attempt`;

// A retry that never ran changes neither its row nor the attempt before it.
const DROP_WAITING = `
  with kept as (
    update experiment_rows set state = 'failed', lease_until = null where experiment_id = $1 and state = 'waiting' and error is not null returning attempt
  ), dropped as (
    delete from experiment_rows where experiment_id = $1 and state = 'waiting' and error is null returning row_no, attempt, models
  ), before as (
    update experiment_rows as before set missing = dropped.models from dropped where before.experiment_id = $1 and before.row_no = dropped.row_no and before.attempt = dropped.attempt - 1
  )
  select attempt = 1 as "isFailure" from kept union all select false from dropped`;

const TAKE_MISSING = `
  with taken as (update experiment_rows set missing = null where experiment_id = $1 and state = 'done' and missing is not null returning row_no, attempt)
  select row_no as "rowNo", attempt, array_to_json(before.missing) as models from taken join experiment_rows as before using (row_no, attempt) where before.experiment_id = $1`;

const ADD_ATTEMPTS = `
  insert into experiment_rows (experiment_id, row_no, attempt, row_id, group_id, content, state, lease_until, max_cost, models, eval_id, created_at)
  select before.experiment_id, before.row_no, again.attempt + 1, before.row_id, before.group_id, before.content, 'waiting', clock_timestamp(), 0, (select array_agg(value) from json_array_elements_text(again.models)), again."evalId", $3
  from json_to_recordset($2::json) as again ("rowNo" integer, attempt integer, models json, "evalId" text)
  join experiment_rows as before on before.experiment_id = $1 and before.row_no = again."rowNo" and before.attempt = again.attempt`;

const FIGURES = `
  select row_no as "rowNo", row_id as "rowId", group_id as "group", content, array_to_json(figures) as figures
  from experiment_rows where experiment_id = $1 and row_no >= $2 and row_no < $3 and state in ('done', 'failed') order by row_no, attempt`;

const ERASING = `
  select id from experiments where state = 'erasing' and not exists (select from experiment_rows where experiment_id = experiments.id and experiment_rows.state = 'dealt')
  order by id limit 1 for update skip locked`;

const ENDED = `select id from experiments where finished_at < $1 and ($2::text is null or id = $2) and state not in ('running', 'paused', 'erasing', 'erased') order by finished_at limit 1 for update skip locked`;

const CLEAR = `
  update experiment_rows set row_id = '', group_id = null, error = case when error is not null then jsonb_build_object('code', error -> 'code') end
  where experiment_id = $1 and row_no >= $2 and row_no < $3 returning eval_id as "evalId"`;
