import { randomUUID } from 'node:crypto';
import { operator, type Answer, type Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { anotherKey, chargedOf, decimalOf, exact, reservationsOf, sumOf, timesOf, units } from '../../support/ledger';
import { vendorLog, vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

const DETAILS = '/api/v1/compare?include=details';

/** Characters a prompt needs so that, with the 256 tokens of frame, its worst case is a round 300 input tokens. */
const ROUND = 300 - 256;

/** An order whose worst charge is (300 × $3 + tokens × $15) a million × 1.4, and whose output really is that long. */
function anOrder(tokens = 20, trigger = '') {
  return {
    prompt: `[[sim:length=${tokens}]]${trigger}`.padEnd(ROUND, '.'),
    models: ['sim-sage'],
    options: { max_tokens: tokens },
  };
}

/** Worst charge of such an order, by hand: whole micro-dollars for both token counts used here. */
const worstOf = (tokens: number) =>
  decimalOf(((units('0.000003') * 300n + units('0.000015') * BigInt(tokens)) * 14n) / 10n);

function firstOfNextMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
}

async function limit(caller: Caller, dollars: number | null): Promise<void> {
  const { status } = await operator().patch(`/api/v1/admin/users/${caller.userId}`, {
    monthly_spend_limit_usd: dollars,
  });
  expect(status).toBe(200);
}

/** Lets a key hold that many dollars, as an eval that runs for another hour does. */
async function hold({ userId, keyId }: Caller, dollars: string): Promise<void> {
  const month = new Date().toISOString().slice(0, 7);
  await onDatabase(worker().databaseUrl, async (client) => {
    await client.query(
      'insert into month_totals as total (user_id, month, held) values ($1, $2, $3) on conflict (user_id, month) do update set held = total.held + excluded.held',
      [userId, month, dollars],
    );
    await client.query(
      `insert into breakdown_totals as part (user_id, month, dimension, item, held) values ($1, $2, 'key', $3, $4) on conflict (user_id, month, dimension, item) do update set held = part.held + excluded.held`,
      [userId, month, keyId, dollars],
    );
    await client.query(
      `insert into reservations (id, user_id, key_id, month, is_free, max_charge, is_key_limited, expires_at) values ($1, $2, $3, $4, false, $5, true, now() + interval '1 hour')`,
      [`rsv_${randomUUID()}`, userId, keyId, month, dollars],
    );
  });
}

const vendorCalls = async (run: string) => (await vendorLog(worker().vendorUrl, run)).calls;

/** The exact content of a refusal. */
function refusalOf({ status, text }: Answer<Json>) {
  expect(status).toBe(402);
  return exact(text).error as { code: string; details: Record<string, string> };
}

describe("A user's monthly spend limit", () => {
  it('is never exceeded by a picodollar with 50 concurrent compares, and is used until no more fits', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 0.01 });
    const charges: string[] = [];
    let waves = 0;
    for (let passed = -1; passed !== 0; waves += 1) {
      // A separate key for each wave, or the rate limit would end the test before the money does.
      const key = await anotherKey(caller);
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => key.post(DETAILS, anOrder(20, '[[sim:slow=60]]'))),
      );
      const good = answers.filter(({ status }) => status === 200);
      charges.push(...good.map(({ text }) => exact(text).details.charge_usd));
      passed = good.length;
      for (const refused of answers.filter(({ status }) => status !== 200)) expectTrueRefusal(refusalOf(refused));
      expect(units(await chargedOf(caller))).toBeLessThanOrEqual(units('0.01'));
    }
    // 6 worst cases fit at once, so the first wave was neither let through nor turned away as a whole.
    expect(charges.length).toBeGreaterThan(6);
    expect(waves).toBeGreaterThan(1);
    expect(await chargedOf(caller)).toBe(sumOf(charges));
    expect(units('0.01') - units(sumOf(charges))).toBeLessThan(units(worstOf(20)));
    expect((await caller.usage()).eval_count).toBe(charges.length);
  });

  function expectTrueRefusal({ code, details }: ReturnType<typeof refusalOf>): void {
    expect(code).toBe('spend_limit_reached');
    expect(details).toMatchObject({ limit_usd: '0.01', needed_usd: worstOf(20), resets_at: firstOfNextMonth() });
    const { charged_usd: charged = '', reserved_usd: reserved = '', left_usd: left = '' } = details;
    expect(left).toBe(decimalOf(units('0.01') - units(charged) - units(reserved)));
    expect(units(left)).toBeGreaterThanOrEqual(0n);
    expect(units(left)).toBeLessThan(units(worstOf(20)));
  }

  it('accepts what fits exactly and rejects what is a micro-dollar too much', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 0.001679 });
    expect(worstOf(20)).toBe('0.00168');
    expect(refusalOf(await caller.compare(anOrder())).details).toMatchObject({
      left_usd: '0.001679',
      needed_usd: '0.00168',
    });
    await limit(caller, 0.00168);
    expect((await caller.compare(anOrder())).status).toBe(200);
  });

  it('counts what is reserved for running evals, and releases it when they cost less', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 0.002 });
    const running = caller.compare(anOrder(20, '[[sim:slow=4000]]'));
    await eventually(
      'the reservation is made',
      async () => (await reservationsOf(worker().databaseUrl, caller.userId)) === 1,
    );
    expect(refusalOf(await caller.compare(anOrder())).details).toEqual({
      limit_usd: '0.002',
      charged_usd: '0',
      reserved_usd: '0.00168',
      left_usd: '0.00032',
      needed_usd: '0.00168',
      resets_at: firstOfNextMonth(),
      docs: '/docs/guide/errors#spend_limit_reached',
    });
    const { meta } = exact((await running).text);
    const charged = timesOf(meta.total_cost_usd, 14n, 10n);
    expect(refusalOf(await caller.compare(anOrder(100))).details).toMatchObject({
      charged_usd: charged,
      reserved_usd: '0',
    });
    await limit(caller, 0.003);
    expect((await caller.compare(anOrder())).status).toBe(200);
  });

  it('releases the reservation of an eval in which every model failed', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 0.003 });
    // Before the key has a row in the breakdown, and when it has one.
    for (let times = 0; times < 2; times += 1) {
      expect((await caller.compare(anOrder(20, '[[sim:fail=rejected]]'))).status).toBe(502);
      expect((await caller.compare(anOrder())).status).toBe(200);
    }
    expect(exact((await caller.get('/api/v1/key')).text).limits.user_spend.remaining_usd).toBe(
      decimalOf(units('0.003') - units(await chargedOf(caller))),
    );
  });

  it('keeps what other evals hold, of this user and of others, when one fails', async () => {
    const [caller, stranger] = [
      await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 1 }),
      await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 1 }),
    ];
    const other = await anotherKey(caller, { monthly_spend_limit_usd: 1 });
    for (const one of [caller, other, stranger]) await hold(one, '0.25');
    expect((await other.compare(anOrder(20, '[[sim:fail=rejected]]'))).status).toBe(502);
    const reservations = await Promise.all(
      [caller, stranger].map(({ userId }) => reservationsOf(worker().databaseUrl, userId)),
    );
    const left = await Promise.all(
      [other, stranger].map(async (one) => exact((await one.get('/api/v1/key')).text).limits),
    );
    expect([
      reservations,
      left.map(({ user_spend: user }) => user.remaining_usd),
      left[0].key_spend.remaining_usd,
    ]).toEqual([[2, 1], ['0.5', '0.75'], '0.75']);
    await onDatabase(worker().databaseUrl, (client) =>
      client.query('delete from reservations where user_id = any($1)', [[caller.userId, stranger.userId]]),
    );
  });

  it('accepts, when it is zero, free evals and nothing else', async () => {
    const caller = await createCaller({ freeQuota: 1, monthlySpendLimitUsd: 0 });
    expect(refusalOf(await caller.compare({ ...anOrder(), models: ['gpt-5.4-mini'] })).code).toBe(
      'spend_limit_reached',
    );
    expect((await caller.compare(anOrder())).status).toBe(200);
    expect(refusalOf(await caller.compare(anOrder())).details).toMatchObject({ limit_usd: '0', left_usd: '0' });
    expect(await chargedOf(caller)).toBe('0');
  });

  it('leaves nothing when it is lowered below what is charged, and rejects before any vendor call', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    await caller.compare(anOrder());
    await limit(caller, 0.000001);
    const run = randomUUID();
    expect(
      refusalOf(await caller.compare({ prompt: vendorScript(run, {}), models: ['gpt-6-luna'] })).details,
    ).toMatchObject({ left_usd: '0', charged_usd: await chargedOf(caller) });
    expect(await vendorCalls(run)).toEqual([]);
  });
});

describe('The money and the free evals of a month', () => {
  it.each([
    ['before', '2020-01'],
    ['after', '2099-01'],
  ])('are all available, whatever was charged and is reserved in a month %s it: %s', async (_, month) => {
    const user = await createCaller({ freeQuota: 1, monthlySpendLimitUsd: 0.002 });
    const key = await anotherKey(user, { monthly_spend_limit_usd: 0.002 });
    await onDatabase(worker().databaseUrl, async (client) => {
      await client.query(
        'insert into month_totals (user_id, month, eval_count, free_eval_count, cost, charge, free_held, held) values ($1, $2, 9, 9, 5, 5, 1, 5)',
        [user.userId, month],
      );
      await client.query(
        `insert into breakdown_totals (user_id, month, dimension, item, eval_count, input_tokens, output_tokens, cost, charge, held) values ($1, $2, 'key', $3, 9, 9, 9, 5, 5, 5)`,
        [user.userId, month, key.keyId],
      );
      for (const isFree of [true, false]) {
        await client.query(
          `insert into reservations (id, user_id, key_id, month, is_free, max_charge, is_key_limited, expires_at) values ($1, $2, $3, $4, $5, case when $5 then 0 else 5 end, not $5, now() + interval '1 hour')`,
          [`rsv_${isFree}_${key.keyId}`, user.userId, key.keyId, month, isFree],
        );
      }
    });
    expect((await user.usage()).free_evals_remaining).toBe(1);
    expect((await key.compare(anOrder())).status).toBe(200);
    expect(await user.usage()).toMatchObject({ eval_count: 1, free_evals_remaining: 0, total_charge_usd: 0 });
    // 0.00168 of the 0.002 dollars.
    expect((await key.compare(anOrder())).status).toBe(200);
    const { code, details } = refusalOf(await key.compare(anOrder()));
    expect([code, details['charged_usd'], details['reserved_usd']]).toEqual([
      'spend_limit_reached',
      await chargedOf(user),
      '0',
    ]);
    await limit(user, null);
    expect(refusalOf(await key.compare(anOrder()))).toMatchObject({
      code: 'key_spend_limit_reached',
      details: { charged_usd: await chargedOf(user), reserved_usd: '0' },
    });
    await onDatabase(worker().databaseUrl, (client) =>
      client.query('delete from reservations where user_id = $1', [user.userId]),
    );
  });
});

describe("A key's spend limit", () => {
  it('stops that key and no other of the same user, and holds with 50 concurrent compares', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 1 });
    const narrow = await anotherKey(caller, { monthly_spend_limit_usd: 0.004 });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => narrow.post(DETAILS, anOrder(20, '[[sim:slow=60]]'))),
    );
    const charges = answers
      .filter(({ status }) => status === 200)
      .map(({ text }) => exact(text).details.charge_usd as string);
    expect(charges.length).toBeGreaterThanOrEqual(2);
    expect(units(sumOf(charges))).toBeLessThanOrEqual(units('0.004'));
    const refused = refusalOf(await narrow.compare(anOrder(150)));
    expect(refused.code).toBe('key_spend_limit_reached');
    expect(refused.details).toEqual({
      limit_usd: '0.004',
      charged_usd: sumOf(charges),
      reserved_usd: '0',
      left_usd: decimalOf(units('0.004') - units(sumOf(charges))),
      needed_usd: worstOf(150),
      resets_at: firstOfNextMonth(),
      docs: '/docs/guide/errors#key_spend_limit_reached',
    });
    expect((await caller.compare(anOrder(150))).status).toBe(200);
    await operator().patch(`/api/v1/admin/keys/${narrow.keyId}`, { monthly_spend_limit_usd: null });
    expect((await narrow.compare(anOrder(150))).status).toBe(200);
  });

  it('counts neither what other keys of the user were charged nor what they hold', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 1 });
    const [other, narrow] = [
      await anotherKey(caller, { monthly_spend_limit_usd: 1 }),
      await anotherKey(caller, { monthly_spend_limit_usd: 0.002 }),
    ];
    expect((await other.compare(anOrder(150))).status).toBe(200);
    expect(units(await chargedOf(caller))).toBeGreaterThan(units('0.002'));
    await hold(other, '0.5');
    const left = async () => exact((await narrow.get('/api/v1/key')).text).limits.key_spend.remaining_usd as string;
    expect(await left()).toBe('0.002');
    const { text } = await narrow.post(DETAILS, anOrder());
    const { charge_usd: charge } = exact(text).details;
    expect(await left()).toBe(decimalOf(units('0.002') - units(charge)));
    await hold(narrow, '0.0003');
    expect(await left()).toBe(decimalOf(units('0.0017') - units(charge)));
    expect(refusalOf(await narrow.compare(anOrder()))).toMatchObject({
      code: 'key_spend_limit_reached',
      details: { charged_usd: charge, reserved_usd: '0.0003', left_usd: await left() },
    });
    await onDatabase(worker().databaseUrl, (client) =>
      client.query('delete from reservations where user_id = $1', [caller.userId]),
    );
  });

  it("does not hide the user's own", async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 0.001 });
    const wide = await anotherKey(caller, { monthly_spend_limit_usd: 1 });
    expect(refusalOf(await wide.compare(anOrder())).code).toBe('spend_limit_reached');
  });
});

describe('The allowed_models of a key', () => {
  it('are the only ones it lists, may call and may estimate', async () => {
    const caller = await createCaller();
    const all = await caller.get('/api/v1/models');
    const narrow = await anotherKey(caller, { allowed_models: ['sim-swift', 'claude-haiku-4-5'] });
    const listed = await narrow.call('GET', '/api/v1/models', undefined, {
      headers: { 'if-none-match': all.headers.get('etag') ?? '' },
    });
    expect(listed.body.models.map(({ id }: { id: string }) => id)).toEqual(['claude-haiku-4-5', 'sim-swift']);
    const run = randomUUID();
    for (const path of ['/api/v1/compare', '/api/v1/compare/estimate']) {
      const { status, body } = await narrow.post(path, {
        prompt: vendorScript(run, {}),
        models: ['claude-haiku-4-5', 'gpt-6-luna'],
      });
      expect(status).toBe(403);
      expect(body.error).toMatchObject({
        code: 'model_not_allowed',
        param: 'models[1]',
        details: { allowed_models: ['sim-swift', 'claude-haiku-4-5'] },
      });
    }
    expect(await vendorCalls(run)).toEqual([]);
    expect((await narrow.compare({ prompt: 'Hello', models: ['sim-swift', 'claude-haiku-4-5'] })).status).toBe(200);
    expect((await caller.compare({ prompt: 'Hello', models: ['gpt-6-luna'] })).status).toBe(200);
  });
});

describe('The option max_cost_usd', () => {
  it('rejects before any vendor call what could cost a picodollar more, and accepts what fits exactly', async () => {
    const caller = await createCaller();
    const run = randomUUID();
    const order = (max: number) => ({
      prompt: vendorScript(run, {}),
      models: ['gpt-6-luna', 'claude-haiku-4-5'],
      options: { max_tokens: 7, max_cost_usd: max },
    });
    const { details } = refusalOf(await caller.compare(order(0)));
    const most = details['most_cost_usd'] ?? '';
    const less = decimalOf(units(most) - units('0.000000000001'));
    const refused = await caller.compare(order(Number(less)));
    expect(refusalOf(refused)).toMatchObject({
      code: 'max_cost_exceeded',
      param: 'options.max_cost_usd',
      details: { most_cost_usd: most, max_cost_usd: less },
    });
    expect(await vendorCalls(run)).toEqual([]);
    expect((await caller.compare(order(Number(most)))).status).toBe(200);
    expect(await vendorCalls(run)).toHaveLength(2);
  });

  it.each([
    [1e-7, '0.0000001'],
    [1.5e-9, '0.0000000015'],
    [1e-12, '0.000000000001'],
  ])('accepts %d as the %s it is', async (max, printed) => {
    const refused = await (await createCaller()).compare({ ...anOrder(), options: { max_cost_usd: max } });
    expect(refusalOf(refused).details).toMatchObject({ max_cost_usd: printed });
  });

  it.each([1e-13, 1.5e-12, -1, 1e10, '1', null])('rejects %j', async (max) => {
    const { status, body } = await (await createCaller()).compare({ ...anOrder(), options: { max_cost_usd: max } });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_request', param: 'options.max_cost_usd' });
  });
});
