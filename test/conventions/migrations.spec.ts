import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Client } from 'pg';
import { freshDatabase, onDatabase } from '../support/database';
import { TEST_SECRETS } from '../support/service';
import { worker } from '../support/worker';

const ROOT = join(__dirname, '../..');

/** Runs a built command with the given database. */
function run(command: string, databaseUrl: string, ...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, `dist/${command}.js`), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { NODE_ENV: 'test', DATABASE_URL: databaseUrl, ...TEST_SECRETS },
  });
  return { status, output: stderr };
}

async function tables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ tablename: string }>(
    "select tablename from pg_tables where schemaname = 'public' order by 1",
  );
  return rows.map(({ tablename }) => tablename);
}

describe('The migrations', () => {
  let url: string;
  beforeAll(async () => {
    url = await freshDatabase(worker().postgresUrl, `mcs_migrations_${process.env['JEST_WORKER_ID']}`);
  });

  it('migrate up from an empty database, and do nothing a second time', async () => {
    expect(run('src/commands/migrate', url)).toMatchObject({
      status: 0,
      output: expect.stringContaining('initial_schema'),
    });
    expect(run('src/commands/migrate', url)).toMatchObject({
      status: 0,
      output: expect.stringContaining('up to date'),
    });
    await onDatabase(url, async (client) => {
      expect(await tables(client)).toEqual([
        'annotations',
        'api_keys',
        'audit_entries',
        'breakdown_totals',
        'charges',
        'dataset_rows',
        'datasets',
        'erased_evals',
        'evals',
        'experiment_rows',
        'experiment_votes',
        'experiments',
        'idempotency_keys',
        'meter_events',
        'migrations',
        'month_totals',
        'payment_customers',
        'preferences',
        'reservations',
        'results',
        'runs',
        'shares',
        'stripe_events',
        'users',
      ]);
    });
  });

  it('leave no difference to the entities', () => {
    expect(run('src/commands/migration-create', url, '--check')).toMatchObject({
      status: 0,
      output: expect.stringContaining('agree'),
    });
  });

  it('migrate down to an empty database and up again', async () => {
    expect(run('src/commands/migrate', url, 'down', '--yes-drop-everything')).toMatchObject({ status: 0 });
    await onDatabase(url, async (client) => {
      expect(await tables(client)).toEqual(['migrations']);
      expect(
        (await client.query("select proname from pg_proc where pronamespace = 'public'::regnamespace")).rows,
      ).toEqual([]);
    });
    expect(run('src/commands/migrate', url)).toMatchObject({
      status: 0,
      output: expect.stringContaining('initial_schema'),
    });
    expect(run('src/commands/migration-create', url, '--check')).toMatchObject({ status: 0 });
  });
});

describe('The table charges', () => {
  it.each(['update charges set charge = 0', 'delete from charges', 'truncate charges'])(
    'rejects the statement: %s',
    async (statement) => {
      await onDatabase(worker().databaseUrl, async (client) => {
        await client.query('begin');
        await client.query(`insert into users values ('user_x', 'x@example.com', null, false, null, now())`);
        await client.query(`insert into charges (id, user_id, eval_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, occurred_at, created_at)
        values ('chg_x', 'user_x', 'eval_x', '2026-11', '{}', 1, 1, 1, 0.4, 1.4, false, now(), now())`);
        await expect(client.query(statement)).rejects.toThrow('charges is append-only');
        await client.query('rollback');
      });
    },
  );
});

describe('The table audit_entries', () => {
  it.each(["update audit_entries set actor = 'nobody'", 'delete from audit_entries', 'truncate audit_entries'])(
    'rejects the statement: %s',
    async (statement) => {
      await onDatabase(worker().databaseUrl, async (client) => {
        await client.query('begin');
        await client.query(
          `insert into audit_entries values ('aud_x', now(), 'user.created', 'user', 'user_x', 'operator_x', null, null, '{}')`,
        );
        await expect(client.query(statement)).rejects.toThrow('audit_entries is append-only');
        await client.query('rollback');
      });
    },
  );
});
