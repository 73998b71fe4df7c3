import { createCaller, eventually } from '../../support/factories';
import { reservationsOf } from '../../support/ledger';
import { startService } from '../../support/service';
import { worker } from '../../support/worker';

const HALF_A_DAY_MS = 12 * 3_600_000;

describe('An eval at the month boundary', () => {
  it('counts in the month in which it started, in UTC, though it ends in the next', async () => {
    const { databaseUrl } = worker();
    const service = await startService({
      DATABASE_URL: databaseUrl,
      SIMULATOR: 'on',
      TZ: 'America/New_York',
      TEST_CLOCK: '2031-02-28T12:00:00.000Z',
    });
    try {
      const caller = await createCaller({ at: service.url });
      const across = caller.compare({ prompt: '[[sim:slow=3000]]', models: ['sim-swift'] });
      await eventually('it has begun', async () => (await reservationsOf(databaseUrl, caller.userId)) === 1);
      await service.moveClock(HALF_A_DAY_MS);
      expect((await across).body.meta.created_at).toMatch(/^2031-02-28T12:/);
      const after = await caller.compare({ prompt: 'Hello', models: ['sim-swift'] });
      expect(after.body.meta.created_at).toMatch(/^2031-03-01T00:/);
      expect((await caller.get('/api/v1/evals')).body.evals).toHaveLength(2);
      for (const month of ['2031-02', '2031-03']) {
        expect((await caller.get(`/api/v1/usage?month=${month}`)).body).toMatchObject({
          month,
          eval_count: 1,
          free_evals_remaining: 99,
        });
      }
      expect((await caller.get('/api/v1/usage')).body.month).toBe('2031-03');
    } finally {
      await service.stop();
    }
  });
});
