import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Migration } from '@mikro-orm/migrations';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { OperatorError } from '../../common/operator-error';
import { refuseOlderSchema } from './older-schema';

/** Any number; every process that migrates this service's database takes the same. */
const MIGRATION_LOCK = 7_263_481;
/** Waiting for a table's lock blocks all other users of the table, so each wait is short. */
const LOCK_TIMEOUT_SECONDS = 2;
const MAX_TRIES = 10;
/** Between the tries, so that waiting statements get through. */
const PAUSE_MS = 1000;
const POLL_INTERVAL_MS = 500;
const MAX_POLLS = 1200;

type Orm = Pick<MikroORM, 'migrator' | 'config'> & { em: EntityManager };
type Say = (line: string) => void;
type MigrationClass = (new (...args: ConstructorParameters<typeof Migration>) => Migration) & { prototype: Migration };

/** The names of this build's migrations, as in the database's list of applied migrations. */
export function migrationNames(orm: Pick<MikroORM, 'config'>): string[] {
  const { path } = orm.config.get('migrations');
  if (path === undefined) throw new Error('The migrations have no folder.');
  return readdirSync(path)
    .map((file) => parse(file))
    .filter(({ ext, name }) => ['.js', '.ts'].includes(ext) && !name.endsWith('.d'))
    .map(({ name }) => name);
}

/**
 * Applies the pending migrations and names them: first the changes of tables, all or none, then the indexes that are
 * built concurrently, which no transaction can contain.
 * Of several processes at once, one does each of the two and the others wait. @throws OperatorError naming who is in the
 * way, or a version from which there is no upgrade
 */
export async function migrateUp(orm: Orm, say: Say): Promise<string[]> {
  await refuseOlderSchema(orm.em);
  const migrations = await transactionalMigrations(orm);
  const applied = await undisturbed(orm, say, (tx) =>
    orm.migrator.up({ transaction: tx.getTransactionContext<unknown>(), migrations }),
  );
  const indexes = await undisturbed(orm, say, (tx) => buildIndexes(orm, tx, migrations));
  return [...applied.map(({ name }) => name), ...indexes];
}

/** The migrations that run in one transaction. */
async function transactionalMigrations(orm: Pick<MikroORM, 'config'>): Promise<string[]> {
  const found = await Promise.all(
    migrationNames(orm)
      .sort()
      .map(async (name) => ((await migrationOf(orm, name)).prototype.isTransactional() ? [name] : [])),
  );
  return found.flat();
}

async function migrationOf(orm: Pick<MikroORM, 'config'>, name: string): Promise<MigrationClass> {
  const { [name]: migration } = (await import(join(orm.config.get('migrations').path ?? '', `${name}.js`))) as Record<
    string,
    MigrationClass | undefined
  >;
  if (migration === undefined) throw new Error(`${name} exports no migration.`);
  return migration;
}

/**
 * Builds the indexes of the other migrations on a second connection, while `tx` keeps other processes away. An index
 * that an earlier try left unfinished is built again.
 */
async function buildIndexes(orm: Orm, tx: EntityManager, transactional: readonly string[]): Promise<string[]> {
  const applied = new Set(
    (await sql<{ name: string }>`select name from migrations`.execute(tx.getKysely())).rows.map(({ name }) => name),
  );
  const names = migrationNames(orm)
    .filter((name) => !transactional.includes(name) && !applied.has(name))
    .sort();
  const second = orm.em.fork();
  for (const name of names) {
    const migration = new (await migrationOf(orm, name))(second.getDriver(), orm.config);
    await migration.up();
    for (const query of migration.getQueries().map(String)) {
      const [, index = 'none'] = /create (?:unique )?index concurrently if not exists "(\w+)"/.exec(query) ?? [];
      const { rows: unfinished } =
        await sql`select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`.execute(
          second.getKysely(),
        );
      if (unfinished.length > 0) await sql`drop index concurrently ${sql.id(index)}`.execute(second.getKysely());
      await sql.raw(query).execute(second.getKysely());
    }
    await sql`insert into migrations (name) values (${name})`.execute(tx.getKysely());
  }
  return names;
}

/**
 * Takes all migrations back, and with them every table and row. @throws OperatorError in production while there is a
 * charge, or naming who is in the way
 */
export async function migrateDown(orm: Orm, isProduction: boolean, say: Say): Promise<void> {
  await undisturbed(orm, say, async (tx) => {
    if (isProduction && (await hasCharges(tx)))
      throw new OperatorError('There are charges in this database, which production never drops; nothing was changed.');
    return orm.migrator.down({ to: 0, transaction: tx.getTransactionContext<unknown>() });
  });
}

async function hasCharges(tx: EntityManager): Promise<boolean> {
  const {
    rows: [table],
  } = await sql<{ found: string | null }>`select to_regclass('charges') as found`.execute(tx.getKysely());
  if (table === undefined || table.found === null) return false;
  // So that none is written between the look and the drop.
  await sql`lock table charges in access exclusive mode`.execute(tx.getKysely());
  const { rows } = await sql`select from charges limit 1`.execute(tx.getKysely());
  return rows.length > 0;
}

/**
 * Runs the work in one transaction, one migrating process at a time, and retries if others hold its locks for too long.
 */
async function undisturbed<T>(orm: Orm, say: Say, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const blockers = new Blockers(orm.em.fork());
    try {
      return await alone(orm.em, say, async (tx) => {
        await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_SECONDS}s`}, true)`.execute(tx.getKysely());
        await blockers.watch(tx);
        return work(tx);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const who = blockers.found ?? 'a session that was gone before it could be named';
      if (tries === MAX_TRIES)
        throw new OperatorError(
          `The migrations need a lock that is still held after ${MAX_TRIES} tries of ${LOCK_TIMEOUT_SECONDS} s: ${who}. Nothing was changed; end that session or wait for it, then migrate again.`,
          error,
        );
      say(`Waiting for a lock that is held (try ${tries} of ${MAX_TRIES}): ${who}`);
    } finally {
      await blockers.stop();
    }
    await delay(PAUSE_MS);
  }
}

/** Does the work in a transaction once no other process migrates. */
async function alone<T>(em: EntityManager, say: Say, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let polls = 1; ; polls += 1) {
    // One transaction for each look: an index that another process builds waits for the end of every earlier
    // transaction.
    const done = await em.fork().transactional(async (tx) => {
      const {
        rows: [row],
      } = await sql<{
        is_taken: boolean;
      }>`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}::bigint) as is_taken`.execute(tx.getKysely());
      return row?.is_taken === true ? { value: await work(tx) } : undefined;
    });
    if (done !== undefined) return done.value;
    if (polls === MAX_POLLS)
      throw new OperatorError(
        `Another process has been migrating this database for ${(MAX_POLLS * POLL_INTERVAL_MS) / 60_000} minutes; nothing was changed.`,
      );
    if (polls === 1) say('Waiting for another process that migrates this database ...');
    await delay(POLL_INTERVAL_MS);
  }
}

function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03';
}

interface Session {
  pid: number;
  usename: string | null;
  application_name: string | null;
  state: string | null;
  since: string | null;
}

/**
 * Looks on another connection who holds what a transaction waits for; never at what they ask, which may be somebody's
 * data.
 */
class Blockers {
  /** The last seen blocking sessions, in words. */
  found: string | undefined;
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  constructor(private readonly em: EntityManager) {}

  async watch(tx: EntityManager): Promise<void> {
    const {
      rows: [own],
    } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.getKysely());
    this.watching = this.poll(own?.pid ?? 0);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private async poll(pid: number): Promise<void> {
    try {
      for (;;) {
        await delay(POLL_INTERVAL_MS, undefined, { signal: this.stopping.signal });
        const { rows } = await sql<Session>`
          select pid, usename, application_name, state, to_char(xact_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
          from pg_stat_activity where pid = any(pg_blocking_pids(${pid}::integer))`.execute(this.em.getKysely());
        if (rows.length > 0) this.found = rows.map(wordsFor).join('; ');
      }
    } catch {
      // Stopped, or the database cannot be asked: what is being waited for says so itself.
    }
  }
}

function wordsFor({ pid, usename, application_name: application, state, since }: Session): string {
  return `process ${pid} of ${usename ?? 'an unknown user'} (${application === null || application === '' ? 'no application_name' : application}), ${state ?? 'state unknown'}, in its transaction since ${since ?? 'an unknown time'}`;
}
