import { randomUUID } from 'node:crypto';
import { ModelComparison, type CompareEvent } from '../../../src/clients/client/client';
import { operator } from '../../support/api';

const BODY = { prompt: 'Say {input} in French.', input: 'good morning', models: ['sim-swift', 'sim-quill'] };

/** A client with the operator's key, and one of a new user. */
async function newUser() {
  const { url, key } = operator();
  const admin = new ModelComparison({ baseUrl: url, apiKey: key }).admin;
  const email = `${randomUUID()}@example.com`;
  const user = await admin.createUser({ email, free_quota: 2, has_payment_method: true });
  const issued = await admin.issueKey(user.id, { name: 'journey' });
  return { admin, user, email, issued, url, mcs: new ModelComparison({ baseUrl: url, apiKey: issued.api_key }) };
}

describe('A user of the client', () => {
  it('estimates, compares, watches, finds again, pays and erases', async () => {
    const { mcs, email, user } = await newUser();
    expect(await mcs.key()).toMatchObject({
      name: 'journey',
      email,
      allowed_models: null,
      limits: { free_evals: { limit: 2, remaining: 2 } },
    });
    const models = await mcs.models({ details: true });
    expect(models.find(({ id }) => id === 'sim-swift')).toMatchObject({
      input_per_1m: '0.15',
      details: { price: { output_per_1m: '0.6' } },
    });

    const estimate = await mcs.estimate(BODY);
    const first = await mcs.compare(BODY, { details: true, idempotencyKey: 'first' });
    expect([estimate.free, first.details?.free, first.meta.cheapest_model]).toEqual([true, true, 'sim-swift']);
    expect(Number(first.meta.total_cost_usd)).toBeLessThanOrEqual(Number(estimate.cost_usd.most));
    expect(await mcs.compare(BODY, { details: true, idempotencyKey: 'first' })).toEqual(first);

    const run = mcs.stream({ ...BODY, prompt: 'Once more, [[sim-quill:fail]] please.' }, { details: true });
    const events: CompareEvent[] = [];
    for await (const event of run) events.push(event);
    const second = await run.eval();
    expect(events.at(-1)).toMatchObject({ event: 'eval', data: second });
    const text = events.map((event) => (event.event === 'delta' ? event.data.text : '')).join('');
    expect(second.results[0]?.output).toBe(text);
    expect(
      events
        .flatMap((event) => (event.event === 'result' ? [event.data.error?.code ?? event.data.details?.attempts] : []))
        .sort(),
    ).toEqual([1, 'unavailable']);
    const third = await mcs.compare({ ...BODY, models: ['sim-swift'] }, { details: true });

    const list = mcs.evals.list({ limit: 1, details: true });
    const found: string[] = [];
    for await (const { eval_id: id, details } of list)
      found.push(`${id} ${details?.free} ${details?.failed_models.join() ?? ''}`);
    expect(found).toEqual([`${third.eval_id} false `, `${second.eval_id} true sim-quill`, `${first.eval_id} true `]);
    expect((await mcs.evals.list({ q: 'ONCE more' }).pages().next()).value?.evals.map(({ eval_id: id }) => id)).toEqual(
      [second.eval_id],
    );
    expect(await mcs.evals.get(third.eval_id, { details: true })).toEqual(third);

    const charge = third.details?.charge_usd;
    expect(await mcs.usage.get()).toMatchObject({
      user_id: user.id,
      eval_count: 3,
      free_evals_remaining: 0,
      total_charge_usd: charge,
    });
    const statement = await mcs.usage.statement();
    expect([statement.lines.length, statement.total.charge_usd]).toEqual([3, charge]);
    expect((await mcs.usage.statementCsv()).trimEnd().split('\r\n')).toHaveLength(5);
    expect((await mcs.usage.breakdown({ by: 'model' })).items.map(({ item }) => item).sort()).toEqual([
      'sim-quill',
      'sim-swift',
    ]);

    await mcs.evals.erase(third.eval_id);
    await expect(mcs.evals.get(third.eval_id)).rejects.toMatchObject({
      name: 'InvalidRequestError',
      code: 'not_found',
      status: 404,
    });
    expect((await mcs.usage.get()).total_charge_usd).toBe(charge);
  });

  it('meets every family of errors', async () => {
    const { mcs, admin, issued, user, url } = await newUser();
    await expect(mcs.compare({ prompt: 'x', models: [] })).rejects.toMatchObject({
      name: 'InvalidRequestError',
      code: 'invalid_request',
      param: 'models',
    });
    await expect(mcs.compare({ ...BODY, options: { max_cost_usd: 0.0000001 } })).rejects.toMatchObject({
      name: 'PaymentError',
      code: 'max_cost_exceeded',
      status: 402,
    });
    await expect(mcs.stream({ prompt: '[[sim:fail=rejected]]', models: ['sim-swift'] }).eval()).rejects.toMatchObject({
      name: 'AllModelsFailedError',
      details: { models: [{ model: 'sim-swift', error: { code: 'rejected' } }] },
    });
    await expect(mcs.billing.addPaymentMethod()).rejects.toMatchObject({
      name: 'InvalidRequestError',
      code: 'payment_provider_not_configured',
    });
    await expect(mcs.admin.listUsers()).rejects.toMatchObject({
      name: 'AuthenticationError',
      code: 'forbidden',
      status: 403,
    });
    await expect(
      new ModelComparison({ baseUrl: `${url}/nowhere`, apiKey: issued.api_key }).models(),
    ).rejects.toMatchObject({ name: 'InvalidRequestError', code: 'not_found' });
    await admin.revokeKey(issued.id);
    await expect(new ModelComparison({ baseUrl: url, apiKey: `${issued.api_key}x` }).models()).rejects.toMatchObject({
      name: 'AuthenticationError',
      code: 'unauthorized',
      status: 401,
    });
    expect((await admin.listKeys(user.id)).keys.map(({ revoked_at: at }) => at !== null)).toEqual([true]);
    const actions: string[] = [];
    for await (const { action } of admin.listAuditEntries({ limit: 1, target: issued.id })) actions.push(action);
    expect(actions).toHaveLength(2);
  });

  it("changes users and keys, and corrects charges, with the operator's key", async () => {
    const { admin, user, issued, mcs } = await newUser();
    expect(await admin.updateUser(user.id, { monthly_spend_limit_usd: 12.5 })).toMatchObject({
      monthly_spend_limit_usd: '12.5',
    });
    expect(await admin.getUser(user.id)).toMatchObject({ id: user.id, monthly_spend_limit_usd: '12.5' });
    expect((await admin.listUsers({ limit: 100 })).users.length).toBeGreaterThan(0);
    expect(await admin.updateKey(issued.id, { scopes: ['compare'] })).toMatchObject({ scopes: ['compare'] });
    expect(await admin.adjust(user.id, { amount_usd: -0.25, reason: 'Goodwill' })).toMatchObject({
      amount_usd: '-0.25',
    });
    const rotated = await admin.rotateKey(issued.id);
    expect(rotated.api_key).not.toBe(issued.api_key);
    expect(await mcs.key().catch((error: { code: string }) => error)).toMatchObject({ code: 'unauthorized' });
  });

  it('gets numbers where it wants them', async () => {
    const { url, issued } = await newUser();
    const mcs = new ModelComparison({ baseUrl: url, apiKey: issued.api_key, money: 'number' });
    const cost: number = (await mcs.compare(BODY)).meta.total_cost_usd;
    expect(cost).toBeGreaterThan(0);
  });
});
