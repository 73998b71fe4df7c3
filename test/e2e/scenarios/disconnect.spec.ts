import { createCaller, eventually } from '../../support/factories';

describe('A client that disconnects', () => {
  it('loses nothing, since the run continues and is stored and charged', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const hangUp = new AbortController();
    const running = caller.compare({ prompt: 'gone [[sim:slow=600]]', models: ['sim-swift', 'sim-sage'] }, { signal: hangUp.signal });
    setTimeout(() => hangUp.abort(), 200);
    await expect(running).rejects.toThrow();
    expect((await caller.usage()).eval_count).toBe(0);
    await eventually('the eval is stored', async () => (await caller.usage()).eval_count === 1);
    expect((await caller.get('/api/v1/evals')).body.evals).toMatchObject([{ prompt: 'gone [[sim:slow=600]]' }]);
    expect((await caller.usage()).total_charge_usd).toBeGreaterThan(0);
  });
});
