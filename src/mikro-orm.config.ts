import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { Migrator, type Migration } from '@mikro-orm/migrations';
import { defineConfig, SqlSchemaGenerator, type Constructor, type Options, type SqlEntityManager } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import { types, type PoolConfig } from 'pg';
import { Migration20261121003631_create_tables } from '../migrations/Migration20261121003631_create_tables';
import { Migration20261121004500_keep_charges_from_truncate } from '../migrations/Migration20261121004500_keep_charges_from_truncate';
import { Migration20261121011840_payments } from '../migrations/Migration20261121011840_payments';
import { Migration20261121031057_key_scopes } from '../migrations/Migration20261121031057_key_scopes';
import { Migration20261121031101_audit_entries } from '../migrations/Migration20261121031101_audit_entries';
import { Migration20261121031102_erased_evals } from '../migrations/Migration20261121031102_erased_evals';
import { Migration20261121040934_stripe_events_received_at } from '../migrations/Migration20261121040934_stripe_events_received_at';
import { Migration20261121233114_reads_of_one_user } from '../migrations/Migration20261121233114_reads_of_one_user';
import { AuditEntry } from './audit/audit-entry.entity';
import { ApiKey } from './auth/api-key.entity';
import { User } from './auth/user.entity';
import { BreakdownTotal } from './billing/breakdown-total.entity';
import { Charge } from './billing/charge.entity';
import { IdempotencyKey } from './billing/idempotency-key.entity';
import { MonthTotal } from './billing/month-total.entity';
import { Reservation } from './billing/reservation.entity';
import type { Config } from './common/config';
import { parseConnectionString } from './common/connection-string';
import { PgPool } from './database/pg-pool';
import { StatementNames } from './database/prepared-statements';
import { ErasedEval } from './evals/erased-eval.entity';
import { Eval } from './evals/eval.entity';
import { Result } from './evals/result.entity';
import { MeterEvent } from './payments/meter-event.entity';
import { PaymentCustomer } from './payments/payment-customer.entity';
import { StripeEvent } from './payments/stripe-event.entity';

/** One for the change, one for the list of migrations, one for looking who is in the way. */
const MIN_MIGRATION_POOL = 3;

const MIGRATIONS: Constructor<Migration>[] = [
  Migration20261121003631_create_tables, Migration20261121004500_keep_charges_from_truncate, Migration20261121011840_payments,
  Migration20261121031057_key_scopes, Migration20261121031101_audit_entries, Migration20261121031102_erased_evals,
  Migration20261121040934_stripe_events_received_at, Migration20261121233114_reads_of_one_user,
];

/** The mapping of the database, on connections of its own or on those of a pool. Its commands wait as long as a statement takes. */
export function ormOptions(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>, pool: PgPool = commandPool(config)): Options {
  return defineConfig({
    // For the eye only: connections are the pool's, which follows DATABASE_URL to the letter.
    dbName: parseConnectionString(config.DATABASE_URL).database,
    driverOptions: new PostgresDialect({ pool }),
    ensureDatabase: false,
    entities: [User, ApiKey, Eval, Result, Reservation, Charge, MonthTotal, BreakdownTotal, IdempotencyKey, PaymentCustomer, MeterEvent, StripeEvent, AuditEntry, ErasedEval],
    extensions: [SchemaOfExistingDatabase, Migrator],
    migrations: {
      // Named one by one: a file that a build has left behind must never be applied.
      migrationsList: MIGRATIONS,
      path: join(process.cwd(), 'migrations'),
      tableName: 'migrations',
      silent: true,
      emit: 'ts',
      snapshotName: '.snapshot',
      // The snapshot is written with a migration, not by whoever applies one.
      snapshotOnMigrate: false,
      fileName: (timestamp, name) => `Migration${timestamp}_${name ?? 'unnamed'}`,
    },
    forceUtcTimezone: true,
  });
}

/** The same for migrating, which looks who is in its way while it waits. */
export function migrationOptions(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>): Options {
  return ormOptions({ ...config, DATABASE_POOL_MAX: Math.max(config.DATABASE_POOL_MAX, MIN_MIGRATION_POOL) });
}

/** Connections for answering requests: no wait for the database is longer than `DATABASE_TIMEOUT_MS`, whether it is away, hangs, is full or has too much to do. */
export function servicePool(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX' | 'DATABASE_TIMEOUT_MS' | 'DATABASE_PREPARE'>): PgPool {
  const { DATABASE_TIMEOUT_MS: patienceMs } = config;
  return new PgPool({
    ...poolOptions(config),
    names: config.DATABASE_PREPARE ? new StatementNames() : undefined,
    // For a free connection of the pool as well as for a new one.
    connectionTimeoutMillis: patienceMs,
    // Asked of the server, which then also lets go of its locks; and kept here, for a server that is silent.
    statement_timeout: patienceMs,
    idle_in_transaction_session_timeout: patienceMs,
    query_timeout: patienceMs + 500,
    keepAlive: true,
  });
}

function commandPool(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>): PgPool {
  return new PgPool(poolOptions(config));
}

function poolOptions({ DATABASE_URL, DATABASE_POOL_MAX }: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>): PoolConfig {
  // `sslnegotiation` said here, so that PGSSLNEGOTIATION does not apply.
  return { ...parseConnectionString(DATABASE_URL), sslnegotiation: 'postgres', max: DATABASE_POOL_MAX, types: { getTypeParser } };
}

const { DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL } = types.builtins;
const KEPT_AS_TEXT: readonly number[] = [DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL];

// As the ORM wants values of the database: instants as text, which it reads itself.
function getTypeParser(oid: number): (value: string) => unknown {
  const parser = types.getTypeParser(oid) as (value: string) => unknown;
  return KEPT_AS_TEXT.includes(oid) ? (value) => value : parser;
}

/** What migrations ask of a schema; without the ORM's habit of making a database of a name that it does not find. */
class SchemaOfExistingDatabase extends SqlSchemaGenerator {
  static override register(orm: MikroORM): void {
    orm.config.registerExtension('@mikro-orm/schema-generator', () => new SchemaOfExistingDatabase(orm.em as SqlEntityManager));
  }

  override async ensureDatabase(): Promise<boolean> {
    return false;
  }
}
