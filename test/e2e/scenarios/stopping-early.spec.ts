import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import { endAfterTests } from '../../support/cleanup';
import { runCommand } from '../../support/command';
import { freshDatabase, onDatabase } from '../../support/database';
import { eventually } from '../../support/factories';
import { PausableProxy } from '../../support/pausable-proxy';
import { workerVariables } from '../../support/redis';
import { END_WITH_PARENT, PROGRAM_VARIABLES, TEST_SECRETS } from '../../support/service';
import { worker } from '../../support/worker';

const DIST = join(__dirname, '../../../dist/src');
/** The lock of every migrating process. */
const MIGRATION_LOCK = 7_263_481;
const LIMIT_MS = 10_000;

const database = () => freshDatabase(worker().postgresUrl, `mcs_stopping_early_${process.env['JEST_WORKER_ID']}`);

/** A process of the service, or of a command, that is not ready and will not be. */
function starting(program: string, variables: Record<string, string>) {
  const child = spawn(process.execPath, [...END_WITH_PARENT, join(DIST, program)], {
    env: { ...PROGRAM_VARIABLES, NODE_ENV: 'test', PORT: '0', SIMULATOR: 'on', ...TEST_SECRETS, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  endAfterTests(() => child.kill('SIGKILL'));
  return {
    output: () => output,
    async says(words: string) {
      await eventually(`it says "${words}"`, () => output.includes(words));
    },
    /** Asks it to stop; gives how it ended. */
    async terminate() {
      const begunMs = performance.now();
      child.kill('SIGTERM');
      const [code, signal] = await exited;
      expect(performance.now() - begunMs).toBeLessThan(LIMIT_MS);
      expect(output).not.toMatch(/\n\s+at |"level":"error"/);
      return { code, signal };
    },
  };
}

/** Somebody who holds something until they are released. */
async function holder(url: string, ...statements: string[]): Promise<{ release: () => Promise<void> }> {
  const client = new Client({ connectionString: url, application_name: 'monthly-report' });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  return { release: () => client.end() };
}

const tablesOf = (url: string) =>
  onDatabase(url, async (client) =>
    (
      await client.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1",
      )
    ).rows.map(({ name }) => name),
  );
const isLeft = (url: string) =>
  onDatabase(url, (client) =>
    eventually(
      'nothing of it is left on the server',
      async () =>
        (
          await client.query(
            "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'monthly-report'",
          )
        ).rowCount === 0,
    ),
  );

/** A database as the release before left it: the migrations after the first have not been applied. */
async function olderDatabase(): Promise<string> {
  const url = await database();
  expect(await runCommand('migrate', { DATABASE_URL: url })).toMatchObject({ status: 0 });
  await onDatabase(url, (client) =>
    client.query(`drop table shares; drop table runs; alter table results drop column checks;
    alter table evals drop column samples, drop column checks, drop column rerun_of; delete from migrations where name like '%_samples_checks_runs_shares'`),
  );
  return url;
}

describe('A service that is asked to stop before it is ready', () => {
  it.each(['1', '2'])(
    'ends at once and well while another process migrates, with WEB_CONCURRENCY=%s',
    async (workers) => {
      const url = await database();
      const { release } = await holder(url, `select pg_advisory_lock(${MIGRATION_LOCK})`);
      try {
        const service = starting('main.js', {
          DATABASE_URL: url,
          MIGRATE_ON_START: 'true',
          ...(await workerVariables(workers)),
        });
        await service.says('Waiting for another process that migrates this database');
        expect(await service.terminate()).toEqual({ code: 0, signal: null });
        await isLeft(url);
      } finally {
        await release();
      }
      expect(await tablesOf(url)).toEqual([]);
    },
  );

  it('ends at once and well in the middle of a migration, of which nothing is left', async () => {
    const url = await olderDatabase();
    const before = await tablesOf(url);
    const { release } = await holder(url, 'begin', 'lock table results in access share mode');
    try {
      const service = starting('main.js', { DATABASE_URL: url, MIGRATE_ON_START: 'true' });
      await service.says('Waiting for a lock that is held (try 1 of 10)');
      expect(await service.terminate()).toEqual({ code: 0, signal: null });
      await isLeft(url);
      expect(await tablesOf(url)).toEqual(before);
    } finally {
      await release();
    }
    expect(await runCommand('migrate', { DATABASE_URL: url })).toMatchObject({
      status: 0,
      output: expect.stringContaining('samples_checks_runs_shares'),
    });
  });

  it('ends at once while it waits for its database', async () => {
    const proxy = await PausableProxy.inFrontOf(worker().databaseUrl);
    proxy.pause();
    try {
      const service = starting('main.js', { DATABASE_URL: proxy.url, DATABASE_TIMEOUT_MS: '600000' });
      await eventually('it tries to connect', () => proxy.refused > 0);
      expect((await service.terminate()).code).toBe(0);
    } finally {
      await proxy.close();
    }
  });
});

describe('npm run db:migrate', () => {
  it('leaves nothing behind when it is ended in the middle', async () => {
    const url = await olderDatabase();
    const before = await tablesOf(url);
    const { release } = await holder(url, 'begin', 'lock table results in access share mode');
    try {
      const command = starting('commands/migrate.js', { DATABASE_URL: url });
      await command.says('Waiting for a lock that is held (try 1 of 10)');
      expect(await command.terminate()).toEqual({ code: null, signal: 'SIGTERM' });
      await isLeft(url);
      expect(await tablesOf(url)).toEqual(before);
    } finally {
      await release();
    }
  });
});
