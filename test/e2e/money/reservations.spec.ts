import type { Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { anotherKey, exact, sumOf, timesOf, verifyLedger } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';

const MONTH = new Date().toISOString().slice(0, 7);

/** The sums held in the month and the key of a caller, and the number of reservations. */
interface Held {
  free: number;
  user: number;
  key: number;
  reservations: number;
}

const NOTHING: Held = { free: 0, user: 0, key: 0, reservations: 0 };

describe('A reservation', () => {
  let databaseUrl: string;
  let services: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    databaseUrl = await ownDatabase('reservations');
    services = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
  });

  const start = () =>
    startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      RATE_LIMIT_COMPARE_PER_MINUTE: '100000',
      MAX_CONCURRENT_COMPARES_PER_KEY: '1000',
    });

  const heldBy = (caller: Caller): Promise<Held> =>
    onDatabase(
      databaseUrl,
      async (client) =>
        (
          await client.query<Held>(
            `select coalesce((select free_held from month_totals where user_id = $1 and month = $3), 0) as free, coalesce((select held from month_totals where user_id = $1 and month = $3), 0)::float as user,
      coalesce((select held from breakdown_totals where user_id = $1 and month = $3 and dimension = 'key' and item = $2), 0)::float as key,
      (select count(*)::integer from reservations where user_id = $1) as reservations`,
            [caller.userId, caller.keyId, MONTH],
          )
        ).rows[0] ?? NOTHING,
    );

  /**
   * Creates the reservations of a process that was killed long ago: half of them of free evals, half of 1 dollar each
   * under the key's limit.
   */
  async function abandon(caller: Caller, count: number, month = MONTH): Promise<void> {
    await onDatabase(databaseUrl, async (client) => {
      await client.query(
        `insert into reservations (id, user_id, key_id, month, is_free, max_charge, is_key_limited, expires_at)
        select 'rsv_' || $4 || $1 || n, $1, $2, $4, n % 2 = 0, n % 2, n % 2 = 1, now() - interval '1 minute' from generate_series(1, $3::integer) n`,
        [caller.userId, caller.keyId, count, month],
      );
      await client.query(
        `insert into month_totals as total (user_id, month, free_held, held) values ($1, $3, $2::integer / 2, $2::integer / 2)
        on conflict (user_id, month) do update set free_held = total.free_held + excluded.free_held, held = total.held + excluded.held`,
        [caller.userId, count, month],
      );
      await client.query(
        `insert into breakdown_totals as part (user_id, month, dimension, item, held) values ($1, $4, 'key', $2, $3::integer / 2)
        on conflict (user_id, month, dimension, item) do update set held = part.held + excluded.held`,
        [caller.userId, caller.keyId, count, month],
      );
    });
  }

  it.each([
    ['without', undefined],
    ['with', 'one'],
  ])(
    'is held in the month of the user and in the row of a key with a limit, and released when the eval ends, also when all of its models fail (%s an Idempotency-Key)',
    async (_, key) => {
      const user = await createCaller({ at: services[0].url, freeQuota: 1, monthlySpendLimitUsd: 1 });
      const limited = await anotherKey(user, { monthly_spend_limit_usd: 1 });
      const order = { prompt: '[[sim:slow=4000]]', models: ['sim-sage'], options: { max_tokens: 20 } };
      const failing = { ...order, prompt: '[[sim:slow=4000]][[sim:fail=rejected]]' };
      const send = (caller: Caller, body: object, suffix: string) =>
        caller.compare(body, { headers: key === undefined ? {} : { 'idempotency-key': key + suffix } });
      const free = send(user, order, 'free');
      await eventually('the free eval is held', async () => (await heldBy(user)).free === 1);
      expect(await heldBy(user)).toEqual({ free: 1, user: 0, key: 0, reservations: 1 });
      const running = [send(user, order, 'charged'), send(limited, failing, 'failing')];
      await eventually('all three have a reservation', async () => (await heldBy(user)).reservations === 3);
      const [held, ofKey] = [await heldBy(user), (await heldBy(limited)).key];
      expect(held).toMatchObject({ free: 1, key: 0 });
      expect(held.user).toBeGreaterThan(ofKey);
      expect(ofKey).toBeGreaterThan(0);
      expect((await Promise.all([free, ...running])).map(({ status }) => status)).toEqual([200, 200, 502]);
      expect([await heldBy(user), await heldBy(limited)]).toEqual([NOTHING, NOTHING]);
      const { text } = await user.get('/api/v1/usage/breakdown?by=key');
      expect([text.includes(user.keyId), text.includes(limited.keyId)]).toEqual([true, false]);
      expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    },
  );

  it('is granted as far as the held sums allow while somebody else has the expired ones locked', async () => {
    const user = await createCaller({ at: services[0].url, freeQuota: 1, monthlySpendLimitUsd: 1000 });
    await abandon(user, 2);
    const { status } = await onDatabase(databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('select from reservations where user_id = $1 for update', [user.userId]);
      return user.compare({ prompt: 'Hello', models: ['sim-swift'] });
    });
    expect(status).toBe(200);
    // The free eval was held by an expired reservation, so this one was charged.
    expect((await user.get('/api/v1/usage')).body).toMatchObject({ eval_count: 1, free_evals_remaining: 1 });
  });

  it('is released once after it expired by the next requests that need it, however many come at the same time to two processes', async () => {
    const user = await createCaller({ at: services[0].url, freeQuota: 10, monthlySpendLimitUsd: 11 });
    await user.compare({ prompt: 'first', models: ['sim-swift'] });
    await abandon(user, 18);
    await abandon(user, 4, '2020-01');
    expect((await verifyLedger(databaseUrl)).status).toBe(0);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        user.at(services[index % 2]?.url ?? '').compare({ prompt: '[[sim:slow=30]]', models: ['sim-swift'] }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await user.usage()).toMatchObject({ eval_count: 61, free_evals_remaining: 0 });
    const { lines } = (await user.get('/api/v1/usage/statement')).body as { lines: { free: boolean }[] };
    expect(lines.filter(({ free }) => free)).toHaveLength(10);
    expect(await heldBy(user)).toEqual(NOTHING);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  const compareOf = (caller: Caller, body: object) => caller.post('/api/v1/compare?include=details', body);

  it('is settled at what a model thought without saying a word, which leads nothing beside a text', async () => {
    const user = await createCaller({ at: services[0].url, freeQuota: 0 });
    const { text } = await compareOf(user, {
      prompt: '[[sim-swift:think=9000]][[sim-sage:slow=300]] Hello',
      models: ['sim-swift', 'sim-sage'],
      options: { max_tokens: 100 },
    });
    const {
      results: [starved, other],
      meta,
      details,
    } = exact(text);
    // 13 × 0.15 + 100 × 0.6 millionths.
    expect(starved).toMatchObject({
      output: '',
      output_tokens: '100',
      cost_usd: '0.00006195',
      warnings: [
        {
          code: 'no_room_for_answer',
          message: expect.stringContaining('after 100 output tokens, 100 of them for thought'),
        },
      ],
    });
    expect(starved.details).toMatchObject({
      finish_reason: 'length',
      applied: { max_tokens: '100', temperature: '0.7' },
      tokens: { reasoning: '100' },
    });
    expect([meta.fastest_model, meta.cheapest_model]).toEqual(['sim-sage', 'sim-sage']);
    expect(details.charge_usd).toBe(timesOf(sumOf([starved.cost_usd, other.cost_usd]), 14n, 10n));
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  it('contains the default room of a model that thinks, as do the estimate and max_cost_usd', async () => {
    const user = await createCaller({ at: services[0].url, freeQuota: 0, monthlySpendLimitUsd: 1 });
    const order = (options: object) => ({
      prompt: '[[sim:think=90000]][[sim:slow=4000]]',
      models: ['sim-sage'],
      options: { reasoning_effort: 'high', ...options },
    });
    const estimateOf = async (options: object) =>
      exact((await user.post('/api/v1/compare/estimate', order(options))).text).models[0];
    const {
      max_output_tokens: limit,
      cost_usd: { most },
      charge_usd: charge,
    } = await estimateOf({});
    // (36 bytes + 256) × 3 + 2500 × 15 millionths.
    expect([limit, most]).toEqual(['2500', '0.038376']);
    expect(await estimateOf({ max_tokens: 500 })).toMatchObject({
      max_output_tokens: '500',
      cost_usd: { most: '0.008376' },
    });
    expect((await compareOf(user, order({ max_cost_usd: 0.038375 }))).body.error).toMatchObject({
      code: 'max_cost_exceeded',
      details: { most_cost_usd: 0.038376 },
    });
    const running = compareOf(user, order({ max_cost_usd: 0.038376 }));
    await eventually('it is held', async () => (await heldBy(user)).reservations === 1);
    expect((await heldBy(user)).user).toBe(Number(charge.most));
    const [roomy, narrow, both] = await Promise.all([
      running,
      compareOf(user, order({ max_tokens: 500 })),
      compareOf(user, order({ max_tokens: 16_000, reasoning_tokens: 1000 })),
    ]);
    const parts = [roomy, narrow, both].map(
      ({
        body: {
          results: [{ output_tokens: tokens, details }],
        },
      }) => [tokens, details.applied],
    );
    expect(parts).toEqual([
      [2500, { max_tokens: 2500, reasoning_tokens: 2000, reasoning_effort: 'high', temperature: 0.7 }],
      [500, { max_tokens: 500, reasoning_effort: 'high', temperature: 0.7 }],
      // The catalog's limit of the model, named with both options.
      [16_384, { max_tokens: 16_384, reasoning_tokens: 384, reasoning_effort: 'high', temperature: 0.7 }],
    ]);
    expect(both.body.results[0].warnings[0]).toMatchObject({
      code: 'max_tokens_clamped',
      message: expect.stringContaining('max_tokens and reasoning_tokens together'),
    });
    expect(await heldBy(user)).toEqual(NOTHING);
    const again = await user.post(`/api/v1/evals/${roomy.body.eval_id}/rerun?include=details`, undefined);
    expect(again.body.results[0].details.applied).toEqual(parts[0]?.[1]);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  it('contains the room of each arm of a model for its own thought', async () => {
    const user = await createCaller({ at: services[0].url, freeQuota: 0 });
    const {
      body: { results },
    } = await compareOf(user, { prompt: 'Hello', models: ['sim-sage', 'sim-sage@low', 'sim-sage@high'] });
    expect(
      results.map(({ output, details: { applied, tokens } }: Json) => [
        output !== '',
        applied.max_tokens,
        applied.reasoning_tokens,
        tokens.reasoning,
      ]),
    ).toEqual([
      [true, 500, undefined, 0],
      [true, 2500, 2000, 200],
      [true, 2500, 2000, 1600],
    ]);
  });

  it('is not taken by an eval that was granted one of the other kind, which is charged where another eval holds the free one', async () => {
    const user = await createCaller({ at: services[0].url, freeQuota: 1, monthlySpendLimitUsd: 10 });
    const running = user.compare({ prompt: '[[sim:slow=4000]]', models: ['sim-swift'] });
    await eventually('the free eval is held', async () => (await heldBy(user)).free === 1);
    // As two tries of one statement leave it, the first of which was done last; meanwhile another eval has reserved the
    // free one.
    await onDatabase(databaseUrl, async (client) => {
      await client.query('update reservations set is_free = false, max_charge = 1 where user_id = $1', [user.userId]);
      await client.query('update month_totals set held = 1 where user_id = $1', [user.userId]);
      await client.query(
        "insert into reservations (id, user_id, key_id, month, is_free, max_charge, expires_at) values ($1, $2, $3, $4, true, 0, now() + interval '1 hour')",
        [`rsv_${user.userId}`, user.userId, user.keyId, MONTH],
      );
    });
    const { eval_id: id } = (await running).body;
    expect((await user.get(`/api/v1/evals/${id}?include=details`)).body.details.free).toBe(false);
    expect(await heldBy(user)).toMatchObject({ free: 1, user: 1, reservations: 2 });
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  it('of a key without a limit is taken off the month alone once it has expired', async () => {
    const user = await createCaller({ at: services[0].url, freeQuota: 0, monthlySpendLimitUsd: 1 });
    await user.compare({ prompt: 'the key has a row', models: ['sim-swift'] });
    await onDatabase(databaseUrl, async (client) => {
      await client.query(
        "insert into reservations (id, user_id, key_id, month, is_free, max_charge, expires_at) values ($1, $2, $3, $4, false, 1, now() - interval '1 minute')",
        [`rsv_${user.userId}`, user.userId, user.keyId, MONTH],
      );
      await client.query('update month_totals set held = 1 where user_id = $1', [user.userId]);
    });
    expect((await user.compare({ prompt: 'needs what is held', models: ['sim-swift'] })).status).toBe(200);
    expect(await heldBy(user)).toEqual(NOTHING);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  it('stays held after it expired until it is needed or the periodic task releases it, also for users without another request', async () => {
    const [gone, other] = [await createCaller({ at: services[0].url }), await createCaller({ at: services[0].url })];
    await abandon(gone, 6);
    await abandon(other, 6);
    expect(await heldBy(gone)).toEqual({ free: 3, user: 3, key: 3, reservations: 6 });
    // Each process looks when it starts; two of them at once give nothing back twice, which the ledger would show.
    const late = await Promise.all([start(), start()]);
    for (const caller of [gone, other])
      await eventually('it is given back', async () => (await heldBy(caller)).reservations === 0);
    expect([await heldBy(gone), await heldBy(other)]).toEqual([NOTHING, NOTHING]);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    for (const service of late) await service.stop();
  });

  it('leaves its Idempotency-Key free again once it has expired, also from another month', async () => {
    const user = await createCaller({ at: services[0].url });
    await abandon(user, 2, '2020-01');
    await onDatabase(databaseUrl, (client) =>
      client.query(`update reservations set idempotency_key = 'again' where user_id = $1 and is_free`, [user.userId]),
    );
    const { status } = await user.compare(
      { prompt: 'again', models: ['sim-swift'] },
      { headers: { 'idempotency-key': 'again' } },
    );
    expect(status).toBe(200);
    expect(await heldBy(user)).toEqual(NOTHING);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });
});
