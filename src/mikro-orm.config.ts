import { join } from 'node:path';
import { Migrator, type Migration } from '@mikro-orm/migrations';
import { defineConfig, type Constructor, type Options } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
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
import { prepareStatements, type PreparablePool } from './common/prepared-statements';
import { ErasedEval } from './evals/erased-eval.entity';
import { Eval } from './evals/eval.entity';
import { Result } from './evals/result.entity';
import { MeterEvent } from './payments/meter-event.entity';
import { PaymentCustomer } from './payments/payment-customer.entity';
import { StripeEvent } from './payments/stripe-event.entity';

const MIGRATIONS: Constructor<Migration>[] = [
  Migration20261121003631_create_tables, Migration20261121004500_keep_charges_from_truncate, Migration20261121011840_payments,
  Migration20261121031057_key_scopes, Migration20261121031101_audit_entries, Migration20261121031102_erased_evals,
  Migration20261121040934_stripe_events_received_at, Migration20261121233114_reads_of_one_user,
];

/** The only database settings, used by the service, the commands and the tests. They wait as long as a statement takes. */
export function ormOptions(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL'>): Options {
  return defineConfig({
    clientUrl: config.DATABASE_URL,
    entities: [User, ApiKey, Eval, Result, Reservation, Charge, MonthTotal, BreakdownTotal, IdempotencyKey, PaymentCustomer, MeterEvent, StripeEvent, AuditEntry, ErasedEval],
    extensions: [Migrator],
    pool: { min: 0, max: config.DATABASE_POOL },
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

/** The same for answering requests: no wait for the database is longer than `DATABASE_TIMEOUT_MS`, whether it is away, hangs, is full or has too much to do. */
export function serviceOrmOptions(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL' | 'DATABASE_TIMEOUT_MS'>): Options {
  const { DATABASE_TIMEOUT_MS: patienceMs } = config;
  return {
    ...ormOptions(config),
    driverOptions: {
      // For a free connection of the pool as well as for a new one.
      connectionTimeoutMillis: patienceMs,
      // Asked of the server, which then also lets go of its locks; and kept here, for a server that is silent.
      statement_timeout: patienceMs,
      idle_in_transaction_session_timeout: patienceMs,
      query_timeout: patienceMs + 500,
      keepAlive: true,
      onPoolCreated: (pool: Pool) => {
        prepareStatements(pool as unknown as PreparablePool);
        endSilentConnections(pool);
        giveBackLostConnections(pool);
      },
    },
  };
}

/** A connection whose server did not answer in time is closed: the next statement on it, be it a rollback, would wait for the same answer. */
function endSilentConnections(pool: Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...statement: unknown[]) => unknown;
    const observed = (...statement: unknown[]) => {
      const answer = query(...statement);
      if (answer instanceof Promise) answer.catch((error: unknown) => { if (isSilence(error)) void client.end(); });
      return answer;
    };
    client.query = observed as typeof client.query;
  });
}

/** A connection that ends while it is in use gives back its place in the pool: Kysely does not, when it is `begin`, `commit` or `rollback` that fails. */
function giveBackLostConnections(pool: Pool): void {
  const connect = pool.connect.bind(pool) as (...callback: unknown[]) => unknown;
  // With a callback it is the pool's own, for a single statement, which gives back whatever happens.
  const watched = (...callback: unknown[]) => (callback.length > 0 ? connect(...callback) : (connect() as Promise<PoolClient>).then(givenBackWhenLost));
  pool.connect = watched as typeof pool.connect;
}

function givenBackWhenLost(client: PoolClient): PoolClient {
  const release = client.release.bind(client);
  let isReleased = false;
  const lost = () => client.release(true);
  client.once('end', lost);
  client.release = (error) => {
    // The pool does not take it twice, from here and from whoever used it.
    if (isReleased) return;
    isReleased = true;
    client.off('end', lost);
    release(error);
  };
  return client;
}

function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
