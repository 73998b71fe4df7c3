import { operator } from '../support/api';
import { onDatabase } from '../support/database';
import { createCaller, eventually } from '../support/factories';
import { startService } from '../support/service';
import { expectLedgerIsRight } from './support/cluster';
import { Postgres } from './support/postgres';
import { describeWith } from './support/programs';

const POOL_MAX = 4;
const TIMEOUT_MS = 3000;
/** Each of them gives up a connection, and would make another. */
const ROUNDS = 3;
const CONNECTIONS =
  "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";

describeWith(['postgres'], 'Commits that wait for a standby that does not come', () => {
  it('are refused with 503, hold no more connections than DATABASE_POOL_MAX, and take nothing with them when it is back', async () => {
    const postgres = await Postgres.start();
    const databaseUrl = await postgres.database('mcs_waiting');
    const configure = (statement: string) =>
      onDatabase(databaseUrl, async (client) => {
        await client.query(statement);
        await client.query('select pg_reload_conf()');
      });
    const service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      DATABASE_TIMEOUT_MS: `${TIMEOUT_MS}`,
      DATABASE_POOL_MAX: `${POOL_MAX}`,
      LOG_LEVEL: 'fatal',
    });
    const caller = await createCaller({ at: service.url });
    const create = async (name: string) =>
      (await operator(service.url).post('/api/v1/admin/users', { email: `${name}@example.com` })).status;
    try {
      // No timeout of the server ends such a commit, so that it outlives the connection on which it was asked for.
      await configure("alter system set synchronous_standby_names = 'none_of_them'");
      await eventually('commits wait', async () => (await create(`first-${crypto.randomUUID()}`)) === 503);
      const writing = { isOver: false };
      const write = async (index: number) => {
        const statuses: number[] = [];
        for (let round = 0; round < ROUNDS; round += 1) statuses.push(await create(`${index}-${round}`));
        return statuses;
      };
      const written = Promise.all(Array.from({ length: 2 * POOL_MAX }, (_, index) => write(index))).finally(() => {
        writing.isOver = true;
      });
      const most = await onDatabase(databaseUrl, async (client) => {
        let count = 0;
        while (!writing.isOver) count = Math.max(count, (await client.query(CONNECTIONS)).rowCount ?? 0);
        return count;
      });
      expect(new Set((await written).flat())).toEqual(new Set([503]));
      // The look is short, and may be missed.
      expect([POOL_MAX - 1, POOL_MAX]).toContain(most);
    } finally {
      await configure('alter system reset synchronous_standby_names');
    }
    await eventually(
      'everything is answered again',
      async () => (await caller.compare({ prompt: 'it is back', models: ['sim-swift'] })).status === 200,
    );
    const reads = await Promise.all(Array.from({ length: 50 }, () => caller.get('/api/v1/usage')));
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
    await expectLedgerIsRight(databaseUrl);
    expect(await service.stop()).toBe(0);
  });
});
