import { operator, type Json } from '../../support/api';
import { createCaller, eventually, expire, type Caller } from '../../support/factories';
import { anotherKey } from '../../support/ledger';

const ORDER = { prompt: 'Hello', models: ['sim-swift'] };
const month = () => new Date().toISOString().slice(0, 7);
const keyOf = async (caller: Caller) => (await caller.get('/api/v1/key')).body;
const set = (caller: Caller, settings: Json) => operator().patch(`/api/v1/admin/keys/${caller.keyId}`, settings);

describe('GET /api/v1/key', () => {
  it('says whose key it is, what it may do and that it has no limits but free evals', async () => {
    const caller = await createCaller({ freeQuota: 5 });
    const [issued] = (await operator().get(`/api/v1/admin/users/${caller.userId}/keys`)).body.keys;
    expect(await keyOf(caller)).toEqual({
      name: 'test',
      prefix: issued.prefix,
      email: caller.email,
      first_month: month(),
      scopes: ['compare', 'evals:read', 'usage:read', 'models:read', 'shares', 'experiments', 'experiments:read'],
      allowed_models: null,
      expires_at: null,
      limits: { month: month(), free_evals: { limit: 5, remaining: 5 }, key_spend: null, user_spend: null },
    });
  });

  it('says what was set, and answers with any scope', async () => {
    const caller = await createCaller();
    for (const scope of [
      'compare',
      'evals:read',
      'usage:read',
      'models:read',
      'shares',
      'experiments',
      'experiments:read',
    ]) {
      await set(caller, { scopes: [scope], allowed_models: ['sim-swift'], expires_at: '2040-01-01T00:00:00Z' });
      expect(await keyOf(caller)).toMatchObject({
        scopes: [scope],
        allowed_models: ['sim-swift'],
        expires_at: '2040-01-01T00:00:00.000Z',
      });
    }
  });

  it('says to the last digit what is left of the limits of key and user', async () => {
    const caller = await createCaller({ freeQuota: 1, hasPaymentMethod: true, monthlySpendLimitUsd: 7 });
    await set(caller, { monthly_spend_limit_usd: 2 });
    await caller.compare(ORDER);
    expect((await keyOf(caller)).limits).toEqual({
      month: month(),
      free_evals: { limit: 1, remaining: 0 },
      key_spend: { limit_usd: 2, remaining_usd: 2 },
      user_spend: { limit_usd: 7, remaining_usd: 7 },
    });
    const { eval_id: id } = (await caller.compare(ORDER)).body;
    const { charge_usd: charge } = (await caller.get(`/api/v1/evals/${id}?include=details`)).body.details;
    expect(charge).toBeGreaterThan(0);
    const { text, body } = await caller.get('/api/v1/key');
    const digits = Math.round(charge * 1e12);
    expect(body.limits.key_spend.remaining_usd).toBe((2e12 - digits) / 1e12);
    expect(body.limits.user_spend.remaining_usd).toBe((7e12 - digits) / 1e12);
    expect(text).toContain(`"remaining_usd":${(2e12 - digits) / 1e12}`);
  });

  it('counts the charges of that key against its limit, and those of all keys against the limit of the user', async () => {
    const caller = await createCaller({ freeQuota: 0, hasPaymentMethod: true, monthlySpendLimitUsd: 7 });
    const [second, third] = [
      await anotherKey(caller, { monthly_spend_limit_usd: 2 }),
      await anotherKey(caller, { monthly_spend_limit_usd: 3 }),
    ];
    const chargeOf = async (key: Caller) => Math.round((await key.compare(ORDER)).body.meta.total_cost_usd * 1.4e12);
    const [bySecond, byThird] = [await chargeOf(second), (await chargeOf(third)) + (await chargeOf(third))];
    const left = async (key: Caller) =>
      Object.values((await keyOf(key)).limits)
        .slice(2)
        .map((limit) => Math.round((limit as Json).remaining_usd * 1e12));
    expect(await left(second)).toEqual([2e12 - bySecond, 7e12 - bySecond - byThird]);
    expect(await left(third)).toEqual([3e12 - byThird, 7e12 - bySecond - byThird]);
  });

  it('counts what a running eval holds as taken, until it has ended', async () => {
    const caller = await createCaller({ freeQuota: 1, hasPaymentMethod: true, monthlySpendLimitUsd: 7 });
    const slow = { ...ORDER, prompt: '[[sim:slow=5000]]' };
    const free = caller.compare(slow);
    await eventually('the free eval is held', async () => (await keyOf(caller)).limits.free_evals.remaining === 0);
    expect((await caller.usage()).eval_count).toBe(0);
    const paid = caller.compare(slow);
    const left = async (): Promise<number> => (await keyOf(caller)).limits.user_spend.remaining_usd;
    await eventually('the most that it may cost is held', async () => (await left()) < 7);
    const whileItRuns = await left();
    const { eval_id: id } = (await paid).body;
    const { charge_usd: charge } = (await caller.get(`/api/v1/evals/${id}?include=details`)).body.details;
    expect(await left()).toBe((7e12 - Math.round(charge * 1e12)) / 1e12);
    expect(await left()).toBeGreaterThan(whileItRuns);
    expect((await free).status).toBe(200);
  });

  it('leaves nothing, and not less, when a limit was lowered below what is charged', async () => {
    const caller = await createCaller({ freeQuota: 0, hasPaymentMethod: true });
    await caller.compare(ORDER);
    await set(caller, { monthly_spend_limit_usd: 0 });
    expect((await keyOf(caller)).limits.key_spend).toEqual({ limit_usd: 0, remaining_usd: 0 });
  });

  it('refuses dead keys and the admin key', async () => {
    const caller = await createCaller();
    await expire(caller);
    await eventually('the key is dead', async () => (await caller.get('/api/v1/key')).status === 401);
    expect((await operator().get('/api/v1/key')).status).toBe(401);
  });
});
