import { createCaller, eventually } from '../../support/factories';
import { reservationsOf } from '../../support/ledger';
import { worker } from '../../support/worker';

describe('A client that disconnects', () => {
  it('loses nothing, since the run continues and is stored and charged', async () => {
    const caller = await createCaller({ freeQuota: 0, hasPaymentMethod: true, monthlySpendLimitUsd: 1 });
    const hangUp = new AbortController();
    const running = caller.compare(
      { prompt: 'gone [[sim:slow=4000]]', models: ['sim-swift', 'sim-sage'] },
      { signal: hangUp.signal },
    );
    const hungUp = expect(running).rejects.toThrow();
    await eventually('it runs', async () => (await reservationsOf(worker().databaseUrl, caller.userId)) === 1);
    hangUp.abort();
    await hungUp;
    expect((await caller.usage()).eval_count).toBe(0);
    await eventually('the eval is stored', async () => (await caller.usage()).eval_count === 1);
    expect((await caller.get('/api/v1/evals')).body.evals).toMatchObject([{ prompt: 'gone [[sim:slow=4000]]' }]);
    expect((await caller.usage()).total_charge_usd).toBeGreaterThan(0);
  });
});
