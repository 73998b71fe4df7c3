import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, SqlSchemaGenerator, type Options, type SqlEntityManager } from '@mikro-orm/postgresql';
import { types, type PoolConfig } from 'pg';
import type { Config } from './platform/config/config';
import { parseConnectionString } from './platform/config/connection-string';
import type { OnStatement, PgClientOptions } from './platform/database/pg-client';
import { GREETING_TIMEOUT_MS } from './platform/database/create-database';
import { PgDialect } from './platform/database/pg-dialect';
import { PgPool } from './platform/database/pg-pool';
import { StatementNames } from './platform/database/prepared-statements';

/** One for the change, one for the list of migrations or an index, one for looking who is in the way. */
const MIN_MIGRATION_POOL = 3;

/** Connections of a large enough pool that only storing evals, renewing leases and readiness use. */
const RESERVED_CONNECTIONS = 2;

/**
 * The mapping of the database, on separate connections or on a pool. Its commands wait as long as a statement takes.
 */
export function ormOptions(
  config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>,
  pool: PgPool = commandPool(config),
): Options {
  return defineConfig({
    // For the eye only: connections are the pool's, which follows DATABASE_URL to the letter.
    dbName: parseConnectionString(config.DATABASE_URL).database,
    driverOptions: new PgDialect(pool),
    ensureDatabase: false,
    // Found beside this file, so that they are those of this very build; a build begins with an empty folder.
    baseDir: __dirname,
    entities: ['**/*.entity.{js,ts}'],
    extensions: [SchemaOfExistingDatabase, Migrator],
    migrations: {
      path: join(__dirname, '../migrations'),
      // Where new ones are written.
      pathTs: join(process.cwd(), 'migrations'),
      tableName: 'migrations',
      silent: true,
      emit: 'ts',
      snapshotName: '.snapshot',
      // The snapshot is written when a migration is created, not when it is applied.
      snapshotOnMigrate: false,
      fileName: (timestamp, name) => `Migration${timestamp}_${name ?? 'unnamed'}`,
    },
    // The triggers on truncate and of the outbox are in the migrations only.
    schemaGenerator: { ignoreTriggers: true },
    forceUtcTimezone: true,
  });
}

/** The same for migrations, which look for blocking sessions while they wait. */
export function migrationOptions(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>): Options {
  return ormOptions({ ...config, DATABASE_POOL_MAX: Math.max(config.DATABASE_POOL_MAX, MIN_MIGRATION_POOL) });
}

/**
 * Connections for answering requests: no wait for the database is longer than `DATABASE_TIMEOUT_MS`, whether it is
 * unreachable, hangs, is full or has too much to do.
 */
export function servicePool(
  config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX' | 'DATABASE_TIMEOUT_MS' | 'DATABASE_PREPARE'>,
  onStatement?: OnStatement,
): PgPool {
  const { DATABASE_TIMEOUT_MS: timeoutMs } = config;
  return new PgPool({
    ...poolOptions(config),
    // The last one is for looking after statements that were given up, so that all together they are never more.
    max: Math.max(1, config.DATABASE_POOL_MAX - 1),
    reserved: RESERVED_CONNECTIONS,
    onStatement,
    names: config.DATABASE_PREPARE ? new StatementNames() : undefined,
    // For a free connection of the pool as well as for a new one.
    connectionTimeoutMillis: timeoutMs,
    // Asked of the server, which then also lets go of its locks; and kept here, for a server that is silent.
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    query_timeout: timeoutMs + 500,
    keepAlive: true,
  });
}

function commandPool(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>): PgPool {
  return new PgPool({ greetingTimeoutMs: GREETING_TIMEOUT_MS, ...poolOptions(config) });
}

function poolOptions({
  DATABASE_URL,
  DATABASE_POOL_MAX,
}: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>): PoolConfig & PgClientOptions {
  // `sslnegotiation` said here, so that PGSSLNEGOTIATION does not apply.
  return {
    ...parseConnectionString(DATABASE_URL),
    sslnegotiation: 'postgres',
    max: DATABASE_POOL_MAX,
    types: { getTypeParser },
  };
}

const { DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL } = types.builtins;
const READ_BY_THE_ORM: readonly number[] = [DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL];

// As the ORM wants values of the database: instants as text, which it reads itself.
function getTypeParser(oid: number): (value: string) => unknown {
  const parser = types.getTypeParser(oid) as (value: string) => unknown;
  return READ_BY_THE_ORM.includes(oid) ? (value) => value : parser;
}

/** The schema operations of migrations, without creating a missing database as the ORM would. */
class SchemaOfExistingDatabase extends SqlSchemaGenerator {
  static override register(orm: MikroORM): void {
    orm.config.registerExtension(
      '@mikro-orm/schema-generator',
      () => new SchemaOfExistingDatabase(orm.em as SqlEntityManager),
    );
  }

  override async ensureDatabase(): Promise<boolean> {
    return false;
  }
}
