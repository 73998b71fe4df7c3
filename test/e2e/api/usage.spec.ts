import { createCaller } from '../../support/factories';
import { chargedOf, exact, timesOf } from '../../support/ledger';

describe('GET /api/v1/usage', () => {
  it('returns zeros for a new user, with exactly the fields of the contract', async () => {
    const caller = await createCaller();
    const { status, body } = await caller.get('/api/v1/usage');
    expect(status).toBe(200);
    expect(body).toEqual({
      user_id: caller.userId,
      email: caller.email,
      month: new Date().toISOString().slice(0, 7),
      eval_count: 0,
      total_charge_usd: 0,
      free_evals_remaining: 100,
      has_payment_method: false,
      pricing: {
        model: 'pass-through',
        description: expect.stringContaining('40 percent'),
        margin: 0.4,
        free_quota: 100,
        free_models: expect.arrayContaining(['sim-swift']),
      },
    });
  });

  it('counts a free eval at once and charges nothing for it', async () => {
    const caller = await createCaller();
    await caller.compare({ prompt: 'Hello', models: ['sim-swift', 'sim-sage'] });
    expect(await caller.usage()).toMatchObject({ eval_count: 1, free_evals_remaining: 99, total_charge_usd: 0 });
  });

  it('charges cost plus 40 percent, exactly, once the quota is used up', async () => {
    const caller = await createCaller({ freeQuota: 1 });
    const prompt = 'abcdefghi[[sim:length=9]]';
    await caller.compare({ prompt, models: ['sim-swift'] });
    await caller.compare({ prompt, models: ['sim-swift'] });
    await caller.compare({ prompt, models: ['sim-swift'] });
    // Two of three are charged: 2 × 0.00000645 × 1.4 = 0.00001806.
    expect((await caller.get('/api/v1/usage')).text).toContain('"total_charge_usd":0.00001806,');
    expect(await caller.usage()).toMatchObject({ eval_count: 3, free_evals_remaining: 0 });
  });

  it('charges an eval with a model that is not free even while quota is left, and uses none of it', async () => {
    const caller = await createCaller();
    const { text } = await caller.compare({ prompt: 'Hello', models: ['sim-swift', 'gpt-6.2-sol'] });
    expect(await caller.usage()).toMatchObject({ eval_count: 1, free_evals_remaining: 100 });
    expect(await chargedOf(caller)).toBe(timesOf(exact(text).meta.total_cost_usd, 14n, 10n));
  });

  it('returns zeros and the full quota for months without evals, past and future', async () => {
    const caller = await createCaller();
    for (const month of ['2020-02', '2199-12', '0001-01']) {
      const { status, body } = await caller.get(`/api/v1/usage?month=${month}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ month, eval_count: 0, total_charge_usd: 0, free_evals_remaining: 100 });
    }
  });

  it.each(['2026-13', '2026-00', '2026-1', '26-01', '2026-11-01', 'now', '', '2026-11&month=2026-10'])(
    'rejects month=%s',
    async (month) => {
      const { status, body } = await (await createCaller()).get(`/api/v1/usage?month=${month}`);
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'invalid_request', param: 'month' });
    },
  );
});
