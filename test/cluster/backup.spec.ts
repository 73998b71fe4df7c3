import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/command';
import { onDatabase } from '../support/database';
import { createCaller, eventually, type Caller } from '../support/factories';
import { startService } from '../support/service';
import { expectLedgerIsRight } from './support/cluster';
import { deployed } from './support/deployed';
import { commandsIn } from './support/guide';
import { show } from './support/load';
import { Postgres } from './support/postgres';
import { postgresFolder, postgresUser } from './support/postgres-user';
import { runProgram } from './support/program';
import { describeWith } from './support/programs';

const EVALS = 20;

describeWith(['postgres', 'pg_dump', 'pgbackrest'], 'A backup', () => {
  const folder = postgresFolder();
  const config = join(folder, 'pgbackrest.conf');
  const [prepare = '', backUp = '', restore = ''] = commandsIn('Restore to a point in time');
  /**
   * Runs commands of the guide as the user of Postgres; the file is named in each, because a restore writes down how it
   * was called for what Postgres asks later.
   */
  const run = (commands: string, variables = {}) =>
    runProgram('bash', ['-ec', commands.replaceAll('pgbackrest ', `pgbackrest --config=${config} `)], {
      folder: postgres.folder,
      user: postgresUser(),
      variables,
    });
  let postgres: Postgres;
  let databaseUrl: string;

  beforeAll(async () => {
    postgres = await Postgres.initialize({
      archive_mode: 'on',
      archive_command: `pgbackrest --config=${config} --stanza=mcs archive-push %p`,
    });
    writeConfig();
    await postgres.start();
    databaseUrl = await postgres.database('mcs');
  });

  function writeConfig(): void {
    const { uid, gid } = postgresUser();
    for (const name of ['repository', 'log']) {
      mkdirSync(join(folder, name));
      if (uid !== undefined && gid !== undefined) chownSync(join(folder, name), uid, gid);
    }
    writeFileSync(
      config,
      deployed('pgbackrest.conf', {
        '=/var/lib/pgbackrest\n': `=${join(folder, 'repository')}\n`,
        '=/var/log/pgbackrest\n': `=${join(folder, 'log')}\nlock-path=${folder}\n`,
        '=/var/lib/postgresql/15/mcs\n': `=${postgres.dataFolder}\n`,
        'pg1-port=5432\n': `pg1-port=${postgres.port}\npg1-socket-path=${postgres.folder}\npg1-user=mcs\n`,
      }),
      { mode: 0o644 },
    );
  }

  /** Lets a service on a database do what it does every day, with a caller who may be known already. */
  async function compareOn(url: string, count: number, known?: Caller): Promise<Caller> {
    expect(await runCommand('migrate', { DATABASE_URL: url })).toMatchObject({ status: 0 });
    const service = await startService({ DATABASE_URL: url, SIMULATOR: 'on' });
    const caller = known?.at(service.url) ?? (await createCaller({ at: service.url, freeQuota: EVALS / 2 }));
    for (let i = 0; i < count; i += 1)
      expect((await caller.compare({ prompt: `number ${i}`, models: ['sim-swift', 'sim-sage'] })).status).toBe(200);
    await service.stop();
    await expectLedgerIsRight(url);
    return caller;
  }

  it('made by pg_dump becomes an equal database in an empty one, on which the service goes on', async () => {
    const caller = await compareOn(databaseUrl, EVALS);
    const before = await everythingIn(databaseUrl);
    const file = join(postgres.folder, 'mcs.dump');
    await postgres.run('pg_dump', ['--format=custom', `--file=${file}`, databaseUrl]);
    const restored = await postgres.database('restored');
    await postgres.run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${restored}`, file]);
    expect(await everythingIn(restored)).toEqual(before);
    show(`${EVALS} evals by pg_dump and pg_restore: every table the same, the ledger right, and a compare more.`);
    await compareOn(restored, 1, caller);
    expect(await countOf(restored, 'evals')).toBe(EVALS + 1);
  });

  it('of the data only breaks off, and rows that are copied one table after the other are metered once more', async () => {
    const url = await postgres.database('metered');
    const caller = await compareOn(url, 0);
    await onDatabase(url, (client) =>
      client.query(
        "insert into payment_customers (user_id, stripe_customer_id, created_at) select id, 'cus_' || id, now() from users",
      ),
    );
    await compareOn(url, EVALS, caller);
    const [restored, copied] = [await postgres.database('data_only'), await postgres.database('copied')];
    for (const into of [restored, copied])
      expect(await runCommand('migrate', { DATABASE_URL: into })).toMatchObject({ status: 0 });

    const file = join(postgres.folder, 'metered.dump');
    await postgres.run('pg_dump', ['--format=custom', `--file=${file}`, url]);
    await expect(
      postgres.run('pg_restore', ['--data-only', '--exit-on-error', `--dbname=${restored}`, file]),
    ).rejects.toThrow('COPY failed');
    for (const table of ['users', 'payment_customers', 'charges']) {
      const rows = join(postgres.folder, table);
      await postgres.run('psql', [url, '-c', `\\copy ${table} to ${rows}`]);
      await postgres.run('psql', [copied, '-c', `\\copy ${table} from ${rows}`]);
    }
    expect(await meteredOf(copied)).toBe(2 * (await meteredOf(url)));
  });

  it('made by pgBackRest brings back the moment before a mistake', async () => {
    const caller = await compareOn(databaseUrl, 1);
    await run(prepare);
    await run(backUp);
    await compareOn(databaseUrl, EVALS, caller);
    const before = await everythingIn(databaseUrl);
    const moment = await onDatabase(
      databaseUrl,
      async (client) =>
        (await client.query<{ moment: string }>('select clock_timestamp()::text as moment')).rows[0]?.moment ?? '',
    );
    await onDatabase(databaseUrl, async (client) => {
      await client.query('delete from results');
      await client.query('delete from evals');
      await client.query('select pg_switch_wal()');
    });
    expect(await countOf(databaseUrl, 'evals')).toBe(0);
    await postgres.stop();
    await run(restore, { MOMENT: moment });
    await postgres.start();
    await eventually('it takes writes again', async () =>
      onDatabase(
        databaseUrl,
        async (client) =>
          (await client.query<{ it_does: boolean }>('select not pg_is_in_recovery() as it_does')).rows[0]?.it_does ===
          true,
      ),
    );
    expect(await everythingIn(databaseUrl)).toEqual(before);
    show(
      `All evals deleted, and back by pgBackRest to the moment before: ${await countOf(databaseUrl, 'evals')} evals, every table the same.`,
    );
    await compareOn(databaseUrl, 1, caller);
  });
});

async function countOf(url: string, table: string): Promise<number> {
  return onDatabase(
    url,
    async (client) =>
      (await client.query<{ count: number }>(`select count(*)::int from ${table}`)).rows[0]?.count ?? -1,
  );
}

/** The users' debts as sent to the meter, in nano-dollars. */
async function meteredOf(url: string): Promise<number> {
  return onDatabase(url, async (client) =>
    Number((await client.query<{ sum: string }>('select sum(metered_nano_usd) from payment_customers')).rows[0]?.sum),
  );
}

/** The number of rows of every table, and a digest of what is in them. */
async function everythingIn(url: string): Promise<Record<string, string>> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1",
    );
    const found: Record<string, string> = {};
    for (const { name } of rows) {
      const text = `select count(*) || ' ' || coalesce(md5(string_agg(row::text, ',' order by row::text)), '') as digest from "${name}" as row`;
      found[name] = (await client.query<{ digest: string }>(text)).rows[0]?.digest ?? '';
    }
    return found;
  });
}
