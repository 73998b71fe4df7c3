import { createCaller } from '../../support/factories';
import { startService } from '../../support/service';
import { worker } from '../../support/worker';

describe('An eval at the month boundary', () => {
  it('counts in the month in which it started, in UTC, though it ends in the next', async () => {
    const service = await startService({
      DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', TZ: 'America/New_York',
      // The process needs some seconds to start, so the edge is looked for rather than hit.
      TEST_CLOCK: '2031-02-28T23:59:40.000Z',
    });
    try {
      const caller = await createCaller({ at: service.url });
      for (;;) {
        const { body } = await caller.compare({ prompt: '[[sim:slow=700]]', models: ['sim-swift'] });
        if (body.meta.created_at >= '2031-03-01') break;
      }
      const evals: { created_at: string }[] = (await caller.get('/api/v1/evals?limit=100')).body.evals;
      for (const [month, next] of [['2031-02', '2031-03'], ['2031-03', '2031-04']] as const) {
        const started = evals.filter(({ created_at: at }) => at >= month && at < next).length;
        expect(started).toBeGreaterThan(0);
        expect((await caller.get(`/api/v1/usage?month=${month}`)).body).toMatchObject({ month, eval_count: started, free_evals_remaining: 100 - started });
      }
      expect((await caller.get('/api/v1/usage')).body.month).toBe('2031-03');
    } finally {
      await service.stop();
    }
  });
});
