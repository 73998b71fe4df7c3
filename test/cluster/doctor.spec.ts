import { onDatabase } from '../support/database';
import { doctor } from '../support/doctor';
import { startPgBouncer } from './support/pgbouncer';
import { Postgres } from './support/postgres';
import { describeWith } from './support/programs';
import { OWNER, prepareDatabase } from './support/roles';

describeWith(['postgres', 'pgbouncer'], 'npm run doctor', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await Postgres.start({ fsync: 'on' });
    await prepareDatabase(postgres.url, `postgresql://${OWNER}@127.0.0.1:${postgres.port}/mcs`);
  });

  it('finds everything ok with the role, the pooler and the settings of deploy/', async () => {
    const { exitCode, findings, of } = await doctor({
      DATABASE_URL: await startPgBouncer(postgres, 'transaction'),
      DATABASE_PREPARE: 'off',
    });
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(exitCode).toBe(0);
    expect(of('pooler')).toBe('ok: There is one in transaction mode, which DATABASE_PREPARE=off suits.');
    expect(of('timeouts')).toBe(
      'ok: statement_timeout is 5000 ms, idle_in_transaction_session_timeout is 5000 ms on the server.',
    );
    expect(of('privileges')).toMatch(
      /^ok: The role mcs_service reads and writes everything and .*: migrations need the owner\.$/,
    );
  });

  it('refuses a pooler in transaction mode that does not keep prepared statements, with DATABASE_PREPARE=on, and leaves none behind', async () => {
    const url = await startPgBouncer(postgres, 'transaction');
    const { exitCode, of } = await doctor({ DATABASE_URL: url });
    expect(exitCode).toBe(1);
    expect(of('pooler')).toMatch(
      /^broken: There is one in transaction mode that does not keep prepared statements \(as PgBouncer before 1\.21\).* Set DATABASE_PREPARE=off/,
    );
    expect((await onDatabase(url, (client) => client.query('select from pg_prepared_statements'))).rowCount).toBe(0);
  });

  it('distinguishes a pooler in session mode from no pooler', async () => {
    expect((await doctor({ DATABASE_URL: await startPgBouncer(postgres, 'session') })).of('pooler')).toMatch(
      /^ok: There is one in session mode\./,
    );
    expect((await doctor({ DATABASE_URL: `postgresql://${OWNER}@127.0.0.1:${postgres.port}/mcs` })).of('pooler')).toBe(
      'ok: There is none between this machine and Postgres.',
    );
  });

  it('reports timeouts that the pooler does not pass on and the role does not set', async () => {
    await onDatabase(postgres.url, (client) => client.query('alter role mcs_service reset statement_timeout'));
    // Of a new pooler, whose connections are new.
    const { of } = await doctor({
      DATABASE_URL: await startPgBouncer(postgres, 'transaction'),
      DATABASE_PREPARE: 'off',
    });
    expect(of('timeouts')).toMatch(
      /^warning: On the server, statement_timeout is off instead of 5000 ms: .* alter role mcs_service set statement_timeout = 5000;$/,
    );
  });
});
