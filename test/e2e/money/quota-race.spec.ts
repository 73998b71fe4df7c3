import { operator } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

/**
 * Without rate limits, which would refuse requests first, and with the time that many of them need for the row of one
 * month.
 */
const UNLIMITED = {
  RATE_LIMIT_COMPARE_PER_MINUTE: '100000',
  MAX_CONCURRENT_COMPARES: '1000',
  MAX_CONCURRENT_COMPARES_PER_KEY: '1000',
  DATABASE_TIMEOUT_MS: '60000',
};

/** The statements that wait for a lock. */
const waiting = () =>
  onDatabase(
    worker().databaseUrl,
    async (client) =>
      (
        await client.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rowCount ?? 0,
  );

async function runAtOnce(callers: Caller[], model = 'sim-swift'): Promise<{ status: number }[]> {
  return Promise.all(callers.map((caller) => caller.compare({ prompt: '[[sim:slow=50]]', models: [model] })));
}

let services: ServiceProcess[];
beforeAll(async () => {
  const variables = {
    DATABASE_URL: worker().databaseUrl,
    SIMULATOR: 'on',
    FREE_MODELS: 'sim-swift,sim-sage',
    ...UNLIMITED,
  };
  services = await Promise.all([
    startService(variables),
    startService({ ...variables, BILLING_ENFORCEMENT: 'require_payment_method' }),
  ]);
});
afterAll(async () => {
  for (const service of services) await service.stop();
});

const urlOf = (index: number) => services[index % services.length]?.url ?? '';

describe('The free quota', () => {
  it('grants exactly 100 of 120 concurrent compares', async () => {
    const caller = await createCaller({ at: urlOf(0) });
    const answers = await runAtOnce(Array.from({ length: 120 }, () => caller));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const usage = await caller.usage();
    expect(usage).toMatchObject({ eval_count: 120, free_evals_remaining: 0 });
    // 20 were charged: prompt of 15 characters = 4 tokens in; the same answer each time.
    const one = (await caller.compare({ prompt: '[[sim:slow=50]]', models: ['sim-swift'] })).body.results[0];
    const exact = (4n * 150_000n + BigInt(one.output_tokens) * 600_000n) * 14n * 21n; // tenths of picodollars
    expect(BigInt(Math.round((await caller.usage()).total_charge_usd * 1e13))).toBe(exact);
  });

  it('grants exactly one of 20 concurrent compares with one left', async () => {
    const caller = await createCaller({ at: urlOf(0), freeQuota: 1 });
    await runAtOnce(Array.from({ length: 20 }, () => caller));
    const evals = await caller.usage();
    expect(evals).toMatchObject({ eval_count: 20, free_evals_remaining: 0 });
  });

  it('holds over two processes on one database', async () => {
    const caller = await createCaller({ at: urlOf(0), freeQuota: 25, hasPaymentMethod: true });
    const other = caller.at(urlOf(1));
    const answers = await runAtOnce(Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? caller : other)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await caller.usage()).toMatchObject({ eval_count: 50, free_evals_remaining: 0 });
  });

  it('grants what is added to a quota that was used up', async () => {
    const caller = await createCaller({ at: urlOf(0), freeQuota: 2 });
    for (const left of [1, 0, 0]) {
      await runAtOnce([caller]);
      expect(await caller.usage()).toMatchObject({ free_evals_remaining: left });
    }
    await operator(urlOf(0)).patch(`/api/v1/admin/users/${caller.userId}`, { free_quota: 12 });
    await runAtOnce(Array.from({ length: 20 }, () => caller));
    const free = (await caller.get('/api/v1/usage/statement')).body.lines.filter(
      (line: { free: boolean }) => line.free,
    );
    expect(free).toHaveLength(12);
  });

  it('does not cover other models, whose first evals of a month may run concurrently', async () => {
    const caller = await createCaller({ at: urlOf(0) });
    const answers = await runAtOnce(
      Array.from({ length: 20 }, () => caller),
      'sim-titan',
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const [usage, { body: statement }] = [await caller.usage(), await caller.get('/api/v1/usage/statement')];
    expect(usage).toMatchObject({ eval_count: 20, free_evals_remaining: 100 });
    expect(
      new Set(
        statement.lines.map((line: { charge_usd: number; free: boolean }) => `${line.free} ${line.charge_usd > 0}`),
      ),
    ).toEqual(new Set(['false true']));
    expect(statement.lines).toHaveLength(20);
    expect(statement.total.charge_usd).toBe(usage.total_charge_usd);
  });

  it('is not used up by evals in which every model failed', async () => {
    const caller = await createCaller({ at: urlOf(0) });
    const { status, body } = await caller.compare({ prompt: '[[sim:fail=bad]]', models: ['sim-swift', 'sim-sage'] });
    expect(status).toBe(502);
    expect(body.error.code).toBe('all_models_failed');
    expect(body.error.details.models.map(({ model }: { model: string }) => model)).toEqual(['sim-swift', 'sim-sage']);
    expect(await caller.usage()).toMatchObject({ eval_count: 0, free_evals_remaining: 100, total_charge_usd: 0 });
    expect((await caller.get('/api/v1/evals')).body.evals).toEqual([]);
  });
});

describe('BILLING_ENFORCEMENT=require_payment_method', () => {
  it('answers 402 to what is neither free nor can be charged, exactly at the quota', async () => {
    const caller = await createCaller({ at: urlOf(1), freeQuota: 3 });
    const answers = await runAtOnce(Array.from({ length: 10 }, () => caller));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(7);
    expect(await caller.usage()).toMatchObject({ eval_count: 3, free_evals_remaining: 0, total_charge_usd: 0 });
  });

  it('decides by what others have just reserved, however many have waited for the same row', async () => {
    const caller = await createCaller({ at: urlOf(1), freeQuota: 2 });
    await runAtOnce([caller]);
    const { databaseUrl } = worker();
    const answers = await onDatabase(databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('select from month_totals where user_id = $1 for update', [caller.userId]);
      const running = runAtOnce(Array.from({ length: 8 }, () => caller));
      await eventually('all of them wait for it', async () => (await waiting()) === 8);
      await client.query('commit');
      return running;
    });
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(402)]);
  });

  it.each([
    ['free quota', { freeQuota: 1 }, { free_quota: 0 }, { code: 'payment_required' }],
    [
      'spend limit',
      { freeQuota: 0, hasPaymentMethod: true, monthlySpendLimitUsd: 1 },
      { monthly_spend_limit_usd: 0.00001 },
      { code: 'spend_limit_reached', details: { limit_usd: 0.00001, charged_usd: 0 } },
    ],
  ])('decides by a %s that was lowered after the authentication', async (_, options, lowered, refusal) => {
    const caller = await createCaller({ at: urlOf(1), ...options });
    const { status, body } = await onDatabase(worker().databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('lock table reservations in share mode');
      const running = caller.compare({ prompt: 'Hello', models: ['sim-swift'] });
      await eventually('the compare waits for its reservation', async () => (await waiting()) > 0);
      expect((await operator(urlOf(1)).patch(`/api/v1/admin/users/${caller.userId}`, lowered)).status).toBe(200);
      await client.query('rollback');
      return running;
    });
    expect(status).toBe(402);
    expect(body.error).toMatchObject(refusal);
    expect(await caller.usage()).toMatchObject({ eval_count: 0, total_charge_usd: 0 });
  });

  it('admits a user with a payment method', async () => {
    const caller = await createCaller({ at: urlOf(1), freeQuota: 0, hasPaymentMethod: true });
    expect((await caller.compare({ prompt: 'Hello', models: ['sim-swift'] })).status).toBe(200);
  });
});
