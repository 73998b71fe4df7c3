import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { runCommand } from '../../support/command';
import { freshDatabase, onDatabase } from '../../support/database';
import { eventually } from '../../support/factories';
import { worker } from '../../support/worker';

const LOCK_TIMEOUT_MS = 2000;

async function migratedDatabase(): Promise<string> {
  const url = await freshDatabase(worker().postgresUrl, `mcs_migrating_${process.env['JEST_WORKER_ID']}`);
  expect(await runCommand('migrate', { DATABASE_URL: url })).toMatchObject({ status: 0 });
  return url;
}

/** Takes all migrations back, which needs a lock on every table. */
const down = (url: string, variables: Record<string, string> = {}) =>
  runCommand('migrate', { DATABASE_URL: url, ...variables }, ['down', '--yes-drop-everything']);

/** Somebody in the middle of a transaction in which a row of a table was written. */
async function blocking(url: string, statement: string): Promise<{ pid: number; release: () => Promise<void> }> {
  const client = new Client({ connectionString: url, application_name: 'monthly-report' });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { pid: rows[0]?.pid ?? 0, release: () => client.end() };
}

/**
 * The number of sessions of migrations: one of each waiting process, and two of the process that waits for a lock and
 * looks who holds it.
 */
const migratingOn = (url: string) =>
  onDatabase(url, async (client) => {
    const text =
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name <> 'monthly-report' and pid <> pg_backend_pid()";
    return (await client.query<{ count: number }>(text)).rows[0]?.count;
  });

const hasTable = (url: string, name: string) =>
  onDatabase(
    url,
    async (client) => (await client.query(`select to_regclass('${name}') as found`)).rows[0]?.found !== null,
  );

const BLOCKING = 'lock table stripe_events in row exclusive mode';

describe('Four migrations that begin together', () => {
  it('do the work once, and all succeed', async () => {
    const url = await freshDatabase(worker().postgresUrl, `mcs_migrating_${process.env['JEST_WORKER_ID']}`);
    // Blocks the creation of this table, until all four are waiting.
    const { release } = await blocking(url, 'create table users ()');
    const runs = Array.from({ length: 4 }, () => runCommand('migrate', { DATABASE_URL: url }));
    await eventually('all four are at it', async () => (await migratingOn(url)) === 5);
    await release();
    const ended = await Promise.all(runs);
    expect(ended.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    // Between the tables and the indexes, another one may come first.
    const applied = ended.flatMap(({ output }) => /^Applied: (.*)$/m.exec(output)?.[1]?.split(', ') ?? []);
    const written = readdirSync(join(__dirname, '../../../migrations')).flatMap(
      (file) => /^(Migration\w+)\.ts$/.exec(file)?.[1] ?? [],
    );
    expect(applied.sort()).toEqual(written.sort());
    for (const { output } of ended) expect(output).toMatch(/^(Applied: |The database is up to date)/m);
  });
});

describe('A migration that is blocked by others', () => {
  it('delays no request for long, names the blocking session, and exits with 1 and no partial change', async () => {
    const url = await migratedDatabase();
    const { pid, release } = await blocking(url, BLOCKING);
    try {
      const migrating = down(url);
      let isOver = false;
      void migrating.then(() => {
        isOver = true;
      });
      let longestMs = 0;
      await onDatabase(url, async (client) => {
        while (!isOver) {
          const begunMs = performance.now();
          await client.query("insert into stripe_events (id, received_at) values ('evt_' || gen_random_uuid(), now())");
          longestMs = Math.max(longestMs, performance.now() - begunMs);
        }
      });
      const { status, output } = await migrating;
      expect(status).toBe(1);
      const who = `process ${pid} of \\w+ \\(monthly-report\\), idle in transaction, in its transaction since \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ`;
      expect(output).toMatch(
        new RegExp(
          `The migrations need a lock that is still held after 10 tries of 2 s: ${who}\\. Nothing was changed; end that session or wait for it, then migrate again\\.$`,
        ),
      );
      expect(output).not.toMatch(/lock table|\n\s+at /);
      // The first to be dropped.
      expect(await hasTable(url, 'audit_entries')).toBe(true);
      expect(longestMs).toBeLessThan(3 * LOCK_TIMEOUT_MS);
    } finally {
      await release();
    }
    expect(await down(url)).toMatchObject({ status: 0, output: 'All migrations are taken back.' });
  });

  it('continues when they are gone', async () => {
    const url = await migratedDatabase();
    const { release } = await blocking(url, BLOCKING);
    const migrating = down(url, { DATABASE_POOL_MAX: '1' });
    await onDatabase(url, (client) =>
      eventually(
        'it waits',
        async () =>
          (await client.query("select 1 from pg_locks where not granted and relation = 'stripe_events'::regclass"))
            .rowCount !== 0,
      ),
    );
    await release();
    expect(await migrating).toMatchObject({
      status: 0,
      output: expect.stringContaining('All migrations are taken back.'),
    });
    expect(await hasTable(url, 'stripe_events')).toBe(false);
  });
});

describe('npm run db:migrate -- down', () => {
  it('drops nothing unless it is asked by name, and never in production while there is a charge', async () => {
    const url = await migratedDatabase();
    const production = { NODE_ENV: 'production', SIMULATOR: 'on' };
    expect(await runCommand('migrate', { DATABASE_URL: url }, ['down'])).toEqual({
      status: 1,
      output:
        'This drops every table with all its data. If that is meant: npm run db:migrate -- down --yes-drop-everything',
    });
    await onDatabase(url, (client) =>
      client.query(`insert into users (id, email, has_payment_method, created_at) values ('user_x', 'x@example.com', false, now());
      insert into charges (id, user_id, eval_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, occurred_at, created_at)
      values ('chg_x', 'user_x', 'eval_x', '2026-11', '{}', 1, 1, 1, 0.4, 1.4, false, now(), now())`),
    );
    expect(await down(url, production)).toEqual({
      status: 1,
      output: 'There are charges in this database, which production never drops; nothing was changed.',
    });
    expect(await hasTable(url, 'charges')).toBe(true);
    expect(await down(url)).toMatchObject({ status: 0 });
    expect(await hasTable(url, 'charges')).toBe(false);
    expect(await down(url, production)).toMatchObject({ status: 0 });
  });

  it.each([['dwon'], ['--yes'], ['down', 'up']])(
    'does nothing for arguments that it does not know: %s',
    async (...words) => {
      const url = await freshDatabase(worker().postgresUrl, `mcs_migrating_${process.env['JEST_WORKER_ID']}`);
      expect(await runCommand('migrate', { DATABASE_URL: url }, words)).toEqual({
        status: 2,
        output:
          'These words are not understood. Usage: npm run db:migrate [-- --create | -- down --yes-drop-everything]',
      });
      expect(await hasTable(url, 'users')).toBe(false);
    },
  );
});
