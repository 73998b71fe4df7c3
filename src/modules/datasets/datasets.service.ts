import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Actor } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { facts } from '../audit/changes';
import type { Caller } from '../auth/caller';
import { ChecksService } from '../checks/checks.service';
import { fillChecks } from '../checks/fill-checks';
import { ChecksField, toChecks } from '../checks/read-checks';
import type { Check, GivenCheck } from '../checks/types';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { isId, newId } from '../../common/ids';
import { Registration } from '../../common/registration';
import { paginate, type Page } from '../../common/page';
import type { Transaction } from '../../platform/database/transaction';
import { RequestValidationPipe } from '../../platform/http/validation/request-validation.pipe';
import { Columns, type ColumnOptions } from './columns';
import type { StoredRow } from './dataset-row.entity';
import type { Dataset } from './dataset.entity';
import { DatasetsRepository } from './datasets.repository';
import { Faults } from './faults';
import { RowsReader, type ReadChecks, type Row } from './read-rows';
import { csvMembers, jsonMembers } from './row-members';
import { splitJsonRows } from './split-json-rows';
import { splitRecords } from './split-records';

const MAX_DATASETS = 1000;
const MAX_USER_BYTES = 1024n ** 3n;
/**
 * Uploads of large files, of all users, that one process stores at a time; each holds a connection of the database
 * while it is read.
 */
const MAX_LARGE_UPLOADS = 4;
/** A file with fewer characters is read before anything is stored, and so holds a connection for a moment only. */
const SMALL_CHARACTERS = 1_048_576;
const BATCH_ROWS = 1000;
const BATCH_CHARACTERS = 524_288;

/** The content of a new data set. */
export interface DatasetContent {
  format: 'ndjson' | 'csv' | 'json';
  chunks: AsyncIterable<Buffer>;
}

/** A new data set. */
export interface DatasetCommand {
  name: string;
  columns: ColumnOptions;
  maxRows: number;
  content: DatasetContent;
}

class RowChecks {
  @ChecksField('The checks of one row.')
  checks!: GivenCheck[];
}

@Injectable()
export class DatasetsService implements OnApplicationBootstrap {
  /** Finds out if an experiment needs a data set. It is called while the data set is locked: earlier uses are committed. */
  readonly uses = new Registration<(id: string) => Promise<boolean>>(
    'No module has registered its use of data sets, so one in use could be deleted.',
  );
  private readonly pipe = new RequestValidationPipe();
  /** The users whose uploads this process is reading. */
  private readonly uploading = new Set<string>();
  private largeUploads = 0;

  constructor(
    private readonly repository: DatasetsRepository,
    private readonly checks: ChecksService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.uses.get();
  }

  /**
   * Stores a data set, or returns the one with the same name and content, and notes what it decided on. @throws
   * ApiError invalid_request with the faults of rows, conflict above the limits of a user
   */
  async create(
    actor: Actor,
    { userId }: Caller,
    { name, columns: options, maxRows, content }: DatasetCommand,
  ): Promise<{ dataset: Dataset; isNew: boolean; notes: string[] }> {
    using _upload = this.beginUpload(userId);
    const faults = new Faults(content.format === 'json' ? 'Row' : 'Line');
    const reader = new RowsReader(maxRows, faults, this.checksReader(userId));
    const columns = new Columns(options);
    const batches = batchesOf(reader.read(membersOf(content, columns, faults)), faults);
    try {
      const { head, isWhole } = await headOf(batches);
      using _slot = isWhole ? undefined : this.takeSlot();
      const { dataset, existing } = await this.store(actor, { userId, name }, reader, { head, batches });
      return {
        dataset: existing === undefined ? dataset : await this.find(userId, existing),
        isNew: existing === undefined,
        notes: columns.notes,
      };
    } finally {
      await batches.return(undefined);
    }
  }

  /** One page of the caller's data sets, newest first. */
  async list({ userId }: Caller, limit: number, after: string | undefined): Promise<Page<Dataset>> {
    return paginate(await this.repository.page(userId, limit + 1, after), limit, ({ id }) => id);
  }

  /** A data set of a user. @throws ApiError not_found, also for another user's */
  async find(userId: string, id: string): Promise<Dataset> {
    const dataset = isId('ds', id) ? await this.repository.find(userId, id) : undefined;
    if (dataset === undefined) throw notFound();
    return dataset;
  }

  /** One page of the rows of a data set, in the drawn order. @throws ApiError not_found */
  async rows({ userId }: Caller, id: string, limit: number, fromNo: number): Promise<Page<StoredRow>> {
    const { rowCount } = await this.find(userId, id);
    const items = await this.repository.rowsOfPage(id, fromNo, limit);
    const next = (items.at(-1)?.no ?? rowCount) + 1;
    return { items, next: next < rowCount ? String(next) : undefined };
  }

  /** At most `limit` rows from `fromNo` on, in the drawn order. */
  async readRows(datasetId: string, fromNo: number, limit: number): Promise<StoredRow[]> {
    return this.repository.rows(datasetId, fromNo, limit);
  }

  /**
   * As many of the first of the rows with these ascending numbers as have 4 MB of texts together, and at least one;
   * none if the data set was deleted.
   */
  async readRowsByNo(datasetId: string, numbers: readonly number[]): Promise<StoredRow[]> {
    return this.repository.rowsByNo(datasetId, numbers);
  }

  /** The first of the first `limit` rows that has no text of that name; `input` is the input, others are variables. */
  async firstWithout(
    datasetId: string,
    name: string,
    limit: number,
  ): Promise<Pick<StoredRow, 'line' | 'rowId'> | undefined> {
    return this.repository.firstWithout(datasetId, name, limit);
  }

  /** Locks a data set so that it is not deleted until the transaction ends. @throws ApiError not_found */
  async lockForUse(tx: Transaction, userId: string, id: string): Promise<void> {
    if (!isId('ds', id) || (await this.repository.lockForUse(tx, userId, id)) === undefined) throw notFound();
  }

  /** Deletes a data set and its rows. @throws ApiError not_found, or conflict while it is used */
  async delete(actor: Actor, { userId }: Caller, id: string): Promise<void> {
    if (!isId('ds', id)) throw notFound();
    await this.audit.change(actor, async (tx) => {
      if (!(await this.repository.lock(tx, userId, id))) throw notFound();
      if (await this.uses.get()(id))
        throw new ApiError('conflict', {
          message: 'An experiment on this data set is running or paused; cancel it, or wait for its end.',
        });
      await this.repository.delete(tx, id);
      return {
        value: undefined,
        note: { action: 'dataset.deleted', targetType: 'dataset', targetId: id, changes: facts({ userId }) },
      };
    });
  }

  private beginUpload(userId: string): Disposable {
    if (this.uploading.has(userId))
      throw new ApiError('rate_limited', {
        message: 'Another data set of this user is being uploaded; try again after Retry-After seconds.',
        retryAfterSeconds: 1,
      });
    this.uploading.add(userId);
    return { [Symbol.dispose]: () => void this.uploading.delete(userId) };
  }

  private takeSlot(): Disposable {
    if (this.largeUploads >= MAX_LARGE_UPLOADS) throw new ApiError('overloaded', { retryAfterSeconds: 1 });
    this.largeUploads += 1;
    return {
      [Symbol.dispose]: () => {
        this.largeUploads -= 1;
      },
    };
  }

  /** Stores all rows, or none. Returns the id of the data set that has the same name and content, if there is one. */
  private async store(
    actor: Actor,
    { userId, name }: Pick<Dataset, 'userId' | 'name'>,
    reader: RowsReader,
    { head, batches }: { head: Batch[]; batches: AsyncIterable<Batch> },
  ): Promise<{ dataset: Dataset; existing: string | undefined }> {
    const createdAt = this.clock.now();
    const id = newId('ds', createdAt);
    return this.audit.change(actor, async (tx) => {
      await this.repository.begin(tx, { id, userId, name, createdAt });
      let position = 0;
      const add = async ({ rows }: Batch) => {
        await this.repository.addRows(tx, id, position, rows);
        position += rows.length;
      };
      for (const batch of head) await add(batch);
      for await (const batch of batches) await add(batch);
      const { bytes, ...summary } = reader.summary();
      const dataset: Dataset = { id, userId, name, createdAt, ...summary, bytes: BigInt(bytes) };
      const existing = await this.existing(tx, dataset);
      if (existing === undefined) await this.repository.complete(tx, dataset);
      else await this.repository.delete(tx, id);
      const changes =
        existing === undefined ? facts({ userId, name, rows: dataset.rowCount, sha256: dataset.sha256 }) : {};
      return {
        value: { dataset, existing },
        note: { action: 'dataset.created', targetType: 'dataset', targetId: id, changes },
      };
    });
  }

  /**
   * The id of the data set with the same name and content. @throws ApiError conflict if there is none, and another one
   * would exceed the limits of the user
   */
  private async existing(tx: EntityManager, dataset: Dataset): Promise<string | undefined> {
    const { datasets, bytes } = await this.repository.lockTotals(tx, dataset.userId, dataset.id);
    const existing = await this.repository.findContent(tx, dataset);
    if (existing === undefined && (datasets >= MAX_DATASETS || bytes + dataset.bytes > MAX_USER_BYTES)) {
      throw new ApiError('conflict', {
        message: `A user can have ${MAX_DATASETS.toLocaleString('en-US')} data sets with 1 GiB of rows together; delete some that are no longer needed.`,
      });
    }
    return existing;
  }

  /** Validates and compiles checks as POST /compare does. Rows often have the same ones. */
  private checksReader(userId: string): ReadChecks {
    return async (given, { input, expected, variables }) => {
      const { checks } = (await this.pipe.transform(
        { checks: given },
        { type: 'body', metatype: RowChecks },
      )) as RowChecks;
      const complete: Check[] = toChecks(checks);
      await this.checks.refuseUnusable(
        userId,
        fillChecks(complete, { ...variables, input: input ?? undefined, expected: expected ?? undefined }),
      );
      return complete;
    };
  }
}

function membersOf({ format, chunks }: DatasetContent, columns: Columns, faults: Faults) {
  if (format === 'csv') return csvMembers(splitRecords(chunks, faults, { quotes: true }), columns, faults);
  return jsonMembers(
    format === 'json' ? splitJsonRows(chunks, faults, columns) : splitRecords(chunks, faults, { quotes: false }),
    columns,
    faults,
  );
}

/** Rows that are stored at once, and the characters of their JSON. */
interface Batch {
  rows: Row[];
  characters: number;
}

/** The first batches, up to `SMALL_CHARACTERS`. */
async function headOf(batches: AsyncIterator<Batch, undefined>): Promise<{ head: Batch[]; isWhole: boolean }> {
  const head: Batch[] = [];
  for (let characters = 0; characters < SMALL_CHARACTERS;) {
    const { value } = await batches.next();
    if (value === undefined) return { head, isWhole: true };
    head.push(value);
    characters += value.characters;
  }
  return { head, isWhole: false };
}

/** Rows in batches of about half a megabyte. After a fault nothing will be stored, so no more batches come. */
async function* batchesOf(rows: AsyncIterable<Row>, faults: Faults): AsyncGenerator<Batch, undefined> {
  let [batch, characters]: [Row[], number] = [[], 0];
  for await (const row of rows) {
    if (faults.any) continue;
    batch.push(row);
    characters += JSON.stringify(row).length;
    if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
    yield { rows: batch, characters };
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield { rows: batch, characters };
}

function notFound(): ApiError {
  return new ApiError('not_found', { message: 'No data set with this id exists.' });
}
