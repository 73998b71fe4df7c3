import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_0_2_0, KEY_0_2_0 } from '../../cluster/support/old-build';
import { runProgram } from '../../cluster/support/program';
import { describeWith } from '../../cluster/support/programs';
import { read, sectionOf } from '../../conventions/docs.markdown';
import { parseCompose } from '../../deploy/compose';
import { runCommand } from '../../support/command';
import { freshDatabase, onDatabase } from '../../support/database';
import { doctor } from '../../support/doctor';
import { Api } from '../../support/api';
import { untilWaitedFor } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { PROGRAM_VARIABLES, startService, TEST_SECRETS } from '../../support/service';
import { worker } from '../../support/worker';

const ROOT = join(__dirname, '../../..');
const NAME = `mcs_upgrade_${process.env['JEST_WORKER_ID']}`;

/** The part of the schema of 0.1.0 by which it is recognized. */
const SCHEMA_OF_0_1_0 = `
  create table migrations (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
  insert into migrations (name) values ('Migration20261121003631_create_tables'), ('Migration20261121004500_keep_charges_from_truncate');
  create table users (id text primary key, email text not null, free_quota int null, has_payment_method boolean not null, monthly_spend_limit numeric null, created_at timestamptz(3) not null);
  create table month_totals (user_id text not null, month text not null, eval_count int not null default 0, free_eval_count int not null default 0, cost numeric not null default '0', charge numeric not null default '0', primary key (user_id, month));
  insert into month_totals values ('user_1', '2026-11', 3, 3, 0.001, 0);`;

async function databaseWith(statements: string): Promise<string> {
  const url = await freshDatabase(worker().postgresUrl, NAME);
  await onDatabase(url, (client) => client.query(statements));
  return url;
}

afterAll(() =>
  onDatabase(worker().postgresUrl, (client) => client.query(`drop database if exists "${NAME}" with (force)`)),
);

describe('A database of 0.2.0', () => {
  it('is migrated with its data, which are read, verified and continued', async () => {
    const url = await databaseWith(DATABASE_0_2_0);
    expect(await runCommand('migrate', { DATABASE_URL: url })).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^Applied: Migration20261122122320_samples_checks_runs_shares/) as unknown,
    });
    expect((await doctor({ DATABASE_URL: url })).of('schema')).toMatch(/^ok: All \d+ migrations/);
    expect(await verifyLedger(url)).toEqual({
      status: 0,
      output: 'The ledger is consistent: 3 evals in 1 monthly total.',
    });

    const service = await startService({ DATABASE_URL: url, SIMULATOR: 'on' });
    const caller = new Api(KEY_0_2_0, service.url);
    const { evals } = (await caller.get('/api/v1/evals')).body as { evals: { eval_id: string; prompt: string }[] };
    expect(evals.map(({ prompt }) => prompt)).toEqual([
      'Which words rhyme with {input}?',
      'Say good morning in French.',
    ]);
    const details = await Promise.all(
      evals.map(({ eval_id: id }) => caller.get(`/api/v1/evals/${id}?include=details`)),
    );
    expect(details.map(({ status, body }) => [status, body.meta.total_cost_usd, body.results.length])).toEqual([
      [200, 0.0008364, 2],
      [200, 0.00012965, 2],
    ]);

    expect(
      (await caller.post('/api/v1/compare', { prompt: 'And after the upgrade?', models: ['sim-swift'] })).status,
    ).toBe(200);
    await service.stop();
    expect(await verifyLedger(url)).toMatchObject({
      status: 0,
      output: expect.stringContaining(' 4 evals in ') as unknown,
    });
  });
});

const rowsOf = (url: string, query: string) => onDatabase(url, async (client) => (await client.query(query)).rows);
const MIGRATING = "from pg_stat_activity where datname = current_database() and application_name = 'mcs'";
const UNFINISHED = 'select indexrelid::regclass from pg_index where not indisvalid';
const SCHEMA =
  "select table_name, column_name from information_schema.columns where table_schema = 'public' union all select 'applied', name from migrations order by 1, 2";

/** Kills the migrations without warning when they wait for a transaction. */
async function killMigrations(url: string, begin: string): Promise<void> {
  await onDatabase(url, async (blocker) => {
    await blocker.query(begin);
    const env = { ...PROGRAM_VARIABLES, NODE_ENV: 'test', DATABASE_URL: url, ...TEST_SECRETS };
    const child = spawn(process.execPath, [join(ROOT, 'dist/src/commands/migrate.js')], { env });
    await untilWaitedFor(blocker);
    child.kill('SIGKILL');
    await once(child, 'exit');
    // As if its machine had gone too.
    await blocker.query(`select pg_terminate_backend(pid, 10000) ${MIGRATING}`);
  });
}

describe('An upgrade that is killed', () => {
  it('leaves no half of a change of tables and no index that stays invalid, and is taken up again', async () => {
    const url = await databaseWith(DATABASE_0_2_0);
    const before = await rowsOf(url, SCHEMA);
    // By then it has altered "evals".
    await killMigrations(url, 'begin; lock table results in access share mode');
    expect(await rowsOf(url, SCHEMA)).toEqual(before);
    // An index waits for the end of every earlier look at the data.
    await killMigrations(url, 'begin isolation level repeatable read; select');
    expect(await rowsOf(url, UNFINISHED)).toHaveLength(1);
    expect(await runCommand('migrate', { DATABASE_URL: url })).toEqual({
      status: 0,
      output: 'Applied: Migration20261126080000_evals_outside_experiments',
    });
    expect(await rowsOf(url, UNFINISHED)).toEqual([]);
    expect((await doctor({ DATABASE_URL: url })).of('schema')).toMatch(/^ok: /);
    expect((await verifyLedger(url)).output).toContain(' 3 evals in ');
  });
});

describe('A database of 0.1.0', () => {
  it('is named in one sentence by the start, migrations, ledger and doctor, and is not changed', async () => {
    const url = await databaseWith(SCHEMA_OF_0_1_0);
    const sentence =
      'This database is of version 0.1.0, from which there is no upgrade. Nothing was changed; give this version an empty database.';
    for (const MIGRATE_ON_START of ['true', 'false']) {
      await expect(startService({ DATABASE_URL: url, SIMULATOR: 'on', MIGRATE_ON_START })).rejects.toThrow(
        new Error(`The service ended with 78 before it was ready:\n${sentence}`),
      );
    }
    for (const command of ['migrate', 'ledger-verify'])
      expect(await runCommand(command, { DATABASE_URL: url })).toEqual({ status: 1, output: sentence });
    expect((await doctor({ DATABASE_URL: url })).of('schema')).toBe(`broken: ${sentence}`);
    const { rows } = await onDatabase(url, (client) =>
      client.query<{ tablename: string }>("select tablename from pg_tables where schemaname = 'public' order by 1"),
    );
    expect(rows.map(({ tablename }) => tablename)).toEqual(['migrations', 'month_totals', 'users']);
  });
});

describeWith(['docker-compose'], 'The upgrade with Compose', () => {
  it('is documented in the order of these tests, by commands that Compose and its file know', async () => {
    const text = sectionOf(read('docs/operations.md'), '### Upgrade with Compose');
    const commands = [...text.matchAll(/^docker compose ([^>\n]+)/gm)].map(([, words = '']) => words.trim());
    const steps = commands.map((words) => /pg_dump|build|migrate|up|doctor/.exec(words)?.[0]);
    expect(steps).toEqual(['pg_dump', 'build', 'migrate', 'up', 'doctor', 'migrate', 'up', 'doctor', 'up']);
    const { services } = parseCompose(read('docker-compose.yml'));
    const variables = { ...TEST_SECRETS, POSTGRES_PASSWORD: 'x', DOCKER_HOST: 'tcp://127.0.0.1:1' };
    for (const words of commands) {
      // An option that it does not know is refused before it looks for Docker, which is not there.
      const run = runProgram('docker-compose', words.split(' '), { folder: ROOT, variables });
      await expect(run).rejects.toThrow('Connection refused');
      const [, service = 'service', file = 'src'] = / (\w+) node (\S+)/.exec(words) ?? [];
      expect([words, service in services, existsSync(join(ROOT, file))]).toEqual([words, true, true]);
    }
  });
});
