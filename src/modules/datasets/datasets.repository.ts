import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { execute } from '../../platform/database/execute';
import { SqlService } from '../../platform/database/sql.service';
import type { StoredRow } from './dataset-row.entity';
import type { Dataset } from './dataset.entity';
import type { Row } from './read-rows';

/** Limits of one user. */
export interface UserTotals {
  datasets: number;
  bytes: bigint;
}

/**
 * Longest pause of a transaction between two batches of an upload, in milliseconds; a late client is disconnected
 * before.
 */
const IDLE_MS = 60_000;
/** Rows that one statement numbers. */
const BATCH_ROWS = 5000;
/** Bytes of texts on a page of rows. */
const MAX_PAGE_BYTES = 4_194_304;

/** Data sets and their rows in Postgres. */
@Injectable()
export class DatasetsRepository {
  constructor(private readonly sql: SqlService) {}

  /** The user's data set with that id; undefined if there is none. */
  async find(userId: string, id: string): Promise<Dataset | undefined> {
    return this.sql.queryOne(`select ${DATASET} from datasets where user_id = $1 and id = $2`, [userId, id]);
  }

  /** One page of a user's data sets, newest first, after the one with that id. */
  async page(userId: string, limit: number, after = '~'): Promise<Dataset[]> {
    return this.sql.query(
      `select ${DATASET} from datasets where user_id = $1 and id collate "C" < $3 order by id collate "C" desc limit $2`,
      [userId, limit, after],
    );
  }

  /** At most `limit` rows from `fromNo` on, in the drawn order. */
  async rows(datasetId: string, fromNo: number, limit: number): Promise<StoredRow[]> {
    return this.sql.query(`select ${ROW} from dataset_rows where dataset_id = $1 and no >= $2 order by no limit $3`, [
      datasetId,
      fromNo,
      limit,
    ]);
  }

  /** The first of the first `limit` rows, in the order of the file, that has no text of that name. */
  async firstWithout(
    datasetId: string,
    name: string,
    limit: number,
  ): Promise<Pick<StoredRow, 'line' | 'rowId'> | undefined> {
    const lacks = name === 'input' ? 'input is null' : 'not coalesce(variables ? $2, false)';
    return this.sql.queryOne(
      `select line, row_id as "rowId" from dataset_rows where dataset_id = $1 and no < $3 and ${lacks} and $2::text is not null order by line limit 1`,
      [datasetId, name, limit],
    );
  }

  /** As `rows`, but no more than the first ones that have 4 MB of texts together, and at least one. */
  async rowsOfPage(datasetId: string, fromNo: number, limit: number): Promise<StoredRow[]> {
    return this.sql.query(ROWS_OF_PAGE, [datasetId, fromNo, limit, MAX_PAGE_BYTES]);
  }

  /** The rows with these numbers, bounded in the same way. */
  async rowsByNo(datasetId: string, numbers: readonly number[]): Promise<StoredRow[]> {
    return this.sql.query(ROWS_BY_NO, [datasetId, numbers, MAX_PAGE_BYTES]);
  }

  /** Locks the user's data set so that it is not deleted until the transaction ends; undefined if there is none. */
  async lockForUse(tx: EntityManager, userId: string, id: string): Promise<{ id: string } | undefined> {
    return first(tx, 'select id from datasets where user_id = $1 and id = $2 for key share', [userId, id]);
  }

  /** Begins an upload: rows may be added to the data set, whose summary is set at the end. */
  async begin(
    tx: EntityManager,
    { id, userId, name, createdAt }: Pick<Dataset, 'id' | 'userId' | 'name' | 'createdAt'>,
  ): Promise<void> {
    // In this transaction, statistics know nothing of the new rows: a nested loop over them would take minutes.
    await execute(
      tx,
      `select set_config('idle_in_transaction_session_timeout', '${IDLE_MS}', true), set_config('enable_nestloop', 'off', true)`,
      [],
    );
    await execute(
      tx,
      "insert into datasets (id, user_id, name, sha256, row_count, group_count, bytes, columns, created_at) values ($1, $2, $3, $1, 0, 0, 0, '{}', $4)",
      [id, userId, name, createdAt],
    );
  }

  /** Adds rows; `position` is that of the first one in the file. */
  async addRows(tx: EntityManager, id: string, position: number, rows: readonly Row[]): Promise<void> {
    // Below 0 until the order is drawn.
    await execute(tx, ADD_ROWS, [
      id,
      JSON.stringify(rows.map((row, index) => ({ ...row, no: -1 - position - index }))),
    ]);
  }

  /** Makes uploads of a user end one after the other, and returns the totals without this one. */
  async lockTotals(tx: EntityManager, userId: string, id: string): Promise<UserTotals> {
    await execute(tx, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`data sets of ${userId}`]);
    const row = await first<{ datasets: number; bytes: string }>(
      tx,
      'select count(*)::int as datasets, coalesce(sum(bytes), 0)::text as bytes from datasets where user_id = $1 and id <> $2',
      [userId, id],
    );
    return { datasets: row?.datasets ?? 0, bytes: BigInt(row?.bytes ?? 0) };
  }

  /** The id of the user's data set with that name and content; undefined if there is none. */
  async findContent(
    tx: EntityManager,
    { userId, name, sha256 }: Pick<Dataset, 'userId' | 'name' | 'sha256'>,
  ): Promise<string | undefined> {
    return (
      await first<{ id: string }>(tx, 'select id from datasets where user_id = $1 and name = $2 and sha256 = $3', [
        userId,
        name,
        sha256,
      ])
    )?.id;
  }

  /** Sets the summary, and draws the order of the rows from the hash of their content. */
  async complete(tx: EntityManager, { id, sha256, rowCount, groupCount, bytes, columns }: Dataset): Promise<void> {
    await execute(
      tx,
      'update datasets set sha256 = $2, row_count = $3, group_count = $4, bytes = $5, columns = $6 where id = $1',
      [id, sha256, rowCount, groupCount, bytes, columns],
    );
    const [drawn] = await execute<{ numbers: number[] }>(tx, ORDER, [id, sha256]);
    const numbers = drawn?.numbers ?? [];
    // In parts, because one statement for 100,000 rows can take longer than DATABASE_TIMEOUT_MS.
    for (let from = 0; from < numbers.length; from += BATCH_ROWS)
      await execute(tx, DRAW, [id, from, from + BATCH_ROWS, numbers.slice(from, from + BATCH_ROWS)]);
  }

  /** Locks the user's data set until it is deleted; false if there is none. */
  async lock(tx: EntityManager, userId: string, id: string): Promise<boolean> {
    return (
      (await first(tx, 'select id from datasets where user_id = $1 and id = $2 for update', [userId, id])) !== undefined
    );
  }

  /** Deletes a data set and its rows. */
  async delete(tx: EntityManager, id: string): Promise<void> {
    await execute(tx, 'delete from datasets where id = $1', [id]);
  }
}

async function first<Row>(tx: EntityManager, text: string, values: unknown[]): Promise<Row | undefined> {
  return (await execute<Row>(tx, text, values))[0];
}

const DATASET =
  'id, user_id as "userId", name, sha256, row_count as "rowCount", group_count as "groupCount", bytes, columns, created_at as "createdAt"';
const ROW = 'no, line, row_id as "rowId", input, expected, group_id as "group", variables, history, checks';

const rowsWithin = (which: string, bytes: string) => `
  select ${ROW} from (
    select *, sum(bytes) over (order by no) - bytes as before from (
      select *, coalesce(octet_length(input), 0) + coalesce(octet_length(expected), 0) + coalesce(octet_length(variables::text), 0) + coalesce(octet_length(history::text), 0) + coalesce(octet_length(checks::text), 0) as bytes
      from dataset_rows where dataset_id = $1 and ${which}
    ) as found
  ) as counted where before < ${bytes}::integer order by no`;
const ROWS_OF_PAGE = rowsWithin('no >= $2 order by no limit $3', '$4');
const ROWS_BY_NO = rowsWithin('no = any($2::integer[])', '$3');

const ADD_ROWS = `
  insert into dataset_rows (dataset_id, no, line, row_id, input, expected, group_id, variables, history, checks)
  select $1, no, line, "rowId", input, expected, "group", variables, history, checks
  from json_to_recordset($2::json) as row (no integer, line integer, "rowId" text, input text, expected text, "group" text, variables jsonb, history jsonb, checks jsonb)`;

/** The drawn numbers of the rows, in the order of the file. */
const ORDER = `
  select json_agg(number order by no desc) as numbers
  from (select no, row_number() over (order by sha256(convert_to($2::text || no, 'UTF8')), no) - 1 as number from dataset_rows where dataset_id = $1) as drawn`;

const DRAW = `
  update dataset_rows as row set no = drawn.number
  from unnest($4::integer[]) with ordinality as drawn (number, nth)
  where row.dataset_id = $1 and row.no < -$2::integer and row.no >= -$3::integer and row.no = -$2::integer - drawn.nth::integer`;
