import { runCommand } from '../../support/command';
import { RedisServer } from '../../support/redis-server';
import { verifyLedger } from '../../support/ledger';
import { startHAProxy, type HAProxy } from './haproxy';
import { Postgres } from './postgres';
import { Replica } from './replica';

/** More than any test sends, so that only what is tested refuses. */
export const NO_RATE_LIMITS = {
  RATE_LIMIT_COMPARE_PER_MINUTE: '1000000',
  RATE_LIMIT_READ_PER_MINUTE: '1000000',
  RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '1000000',
  MAX_CONCURRENT_COMPARES: '1000',
  MAX_CONCURRENT_COMPARES_PER_KEY: '1000',
};

/** Several processes of the service behind HAProxy, on one Postgres and one Redis. */
export interface Cluster {
  postgres: Postgres;
  redis: RedisServer;
  haproxy: HAProxy;
  replicas: Replica[];
  databaseUrl: string;
  /** HAProxy's address. */
  url: string;
}

/** Options of a cluster. */
export interface ClusterOptions {
  replicas?: number;
  variables?: Record<string, string>;
  /** Settings of Postgres. */
  postgres?: Record<string, string>;
  /** The services' address of the database, if a program is in between. */
  throughUrl?: (databaseUrl: string) => string;
  haproxy?: Record<string, string>;
  /** The main file of another build, which migrates at its start. */
  main?: string;
  prepare?: (databaseUrl: string) => Promise<unknown>;
}

/** The programs that a cluster consists of. */
export const CLUSTER_PROGRAMS = ['postgres', 'redis-server', 'haproxy'];

export async function startCluster({
  replicas: count = 3,
  variables = {},
  postgres: settings,
  throughUrl = (url) => url,
  haproxy: replacements,
  main,
  prepare,
}: ClusterOptions = {}): Promise<Cluster> {
  const [postgres, redis] = await Promise.all([Postgres.start(settings), RedisServer.onFreePort()]);
  const [databaseUrl] = await Promise.all([postgres.database('mcs'), redis.start()]);
  await prepare?.(databaseUrl);
  const migrated = main === undefined && (await runCommand('migrate', { DATABASE_URL: databaseUrl }));
  if (migrated && migrated.status !== 0) throw new Error(migrated.output);
  const all = {
    DATABASE_URL: throughUrl(databaseUrl),
    REDIS_URL: redis.url,
    SIMULATOR: 'on',
    TRUST_PROXY: '1',
    ...variables,
  };
  const replicas = await Promise.all(Array.from({ length: count }, () => Replica.start(all, main)));
  const haproxy = await startHAProxy(
    replicas.map(({ url }) => url),
    replacements,
  );
  return { postgres, redis, haproxy, replicas, databaseUrl, url: haproxy.url };
}

/** Fails unless `npm run ledger:verify` finds every sum right. */
export async function expectLedgerIsRight(databaseUrl: string): Promise<void> {
  expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
}
