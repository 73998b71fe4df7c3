import { runCommand } from '../../support/command';
import { freshDatabase, onDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { startService } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

const ROLE = `mcs_few_${process.env['JEST_WORKER_ID']}`;
const TIMEOUT_MS = 2000;
const FEW = 2;
const CALLERS = 8;

/** An empty database, and its address for a role that may have so few connections. */
async function databaseWithFewConnections(connections: number): Promise<{ url: string; ownerUrl: string }> {
  const ownerUrl = await freshDatabase(worker().postgresUrl, ROLE);
  await onDatabase(ownerUrl, async (client) => {
    await client.query(`drop role if exists ${ROLE}`);
    await client.query(`create role ${ROLE} login password 'few' connection limit ${connections}`);
    await client.query(`grant create on schema public to ${ROLE}`);
  });
  return { url: Object.assign(new URL(ownerUrl), { username: ROLE, password: 'few' }).toString(), ownerUrl };
}

afterAll(() =>
  onDatabase(worker().postgresUrl, async (client) => {
    await client.query(`drop database if exists ${ROLE} with (force)`);
    await client.query(`drop role if exists ${ROLE}`);
  }),
);

describe('A migration for which the database has too few connections', () => {
  it('ends with one sentence instead of waiting for what it holds itself', async () => {
    const { url } = await databaseWithFewConnections(1);
    const sentence =
      'DATABASE_URL: the server has no connection left; raise its max_connections or lower DATABASE_POOL_MAX.';
    expect(await runCommand('migrate', { DATABASE_URL: url })).toEqual({ status: 1, output: sentence });
    await expect(startService({ DATABASE_URL: url, MIGRATE_ON_START: 'true', SIMULATOR: 'on' })).rejects.toThrow(
      sentence,
    );
  });
});

describe('A service whose role may have fewer connections than DATABASE_POOL_MAX', () => {
  it('serves everybody from those it has, for longer than DATABASE_TIMEOUT_MS, has more as soon as it may, and makes do with few again after it lost them', async () => {
    const { url, ownerUrl } = await databaseWithFewConnections(FEW);
    expect(await runCommand('migrate', { DATABASE_URL: url })).toMatchObject({ status: 0 });
    const service = await startService({
      DATABASE_URL: url,
      SIMULATOR: 'on',
      DATABASE_TIMEOUT_MS: `${TIMEOUT_MS}`,
      DATABASE_POOL_MAX: '10',
      RATE_LIMIT_READ_PER_MINUTE: '1000000',
    });
    const caller = await createCaller({ at: service.url });
    const statuses: number[] = [];
    const load = { isOver: false };
    const ask = async () => {
      while (!load.isOver) statuses.push((await caller.get('/api/v1/usage')).status);
    };
    const asking = Promise.all(Array.from({ length: CALLERS }, ask));
    const refused = async () => {
      const [begun, had] = [performance.now(), statuses.length];
      await eventually('it has lasted for longer than the timeout', () => performance.now() - begun > 3 * TIMEOUT_MS);
      return statuses.slice(had).filter((status) => status !== 200).length;
    };
    // Where the machine stops for a second, a read is refused that waits for one of the few as long.
    const lasts = () => leastWithin(0, refused);
    try {
      expect(await lasts()).toBe(0);
      await onDatabase(ownerUrl, async (client) => {
        await client.query(`alter role ${ROLE} connection limit -1`);
        await eventually('it has more connections', async () => {
          // Reads leave one connection to urgent work, so only such work needs a third.
          await caller.post('/api/v1/compare', { prompt: 'Hello', models: ['sim-swift'] });
          const { rowCount } = await client.query('select from pg_stat_activity where usename = $1', [ROLE]);
          return (rowCount ?? 0) > FEW;
        });
        await client.query(`alter role ${ROLE} connection limit ${FEW}`);
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [ROLE]);
      });
      expect(await lasts()).toBe(0);
    } finally {
      load.isOver = true;
    }
    await asking;
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await service.stop()).toBe(0);
  }, 300_000);
});
