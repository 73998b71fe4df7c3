import { servicePool } from '../../../src/mikro-orm.config';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { startService } from '../../support/service';
import { worker } from '../../support/worker';

const DATABASE_TIMEOUT_MS = 3000;
/** Statements of the service that wait for a lock, as the server knows them. */
const WAITING = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'`;

describe('Every connection of the service', () => {
  it('sets DATABASE_TIMEOUT_MS on the server, for statements and for idle transactions', async () => {
    const pool = servicePool({
      DATABASE_URL: worker().databaseUrl,
      DATABASE_POOL_MAX: 2,
      DATABASE_TIMEOUT_MS,
      DATABASE_PREPARE: true,
    });
    const { rows } = await pool.query(
      "select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle",
    );
    await pool.end();
    expect(rows).toEqual([{ statement: '3s', idle: '3s' }]);
  });
});

describe('A statement that takes longer than DATABASE_TIMEOUT_MS', () => {
  it('is canceled on the server too, without waiting for or holding a lock: its request is answered 503 and the next one succeeds', async () => {
    const databaseUrl = await ownDatabase('slow');
    const service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      DATABASE_TIMEOUT_MS: `${DATABASE_TIMEOUT_MS}`,
    });
    const caller = await createCaller({ at: service.url });
    await onDatabase(databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('lock table evals in access exclusive mode');
      const begun = performance.now();
      const stuck = caller.get('/api/v1/evals');
      await eventually('its statement waits', async () => (await client.query(WAITING)).rowCount === 1);
      const { status, body } = await stuck;
      expect([status, body.error.code]).toEqual([503, 'unavailable']);
      // The bound is three seconds; without a bound the statement would wait for as long as the lock is held.
      expect(performance.now() - begun).toBeLessThan(DATABASE_TIMEOUT_MS * 10);
      await eventually(
        'the server has let go of it, though the lock is still held',
        async () => (await client.query(WAITING)).rowCount === 0,
      );
      await client.query('rollback');
    });
    expect((await caller.get('/api/v1/evals')).status).toBe(200);
    await service.stop();
  });
});
