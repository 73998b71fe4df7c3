import { operator } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';

const ORDER = { prompt: 'Hello', models: ['sim-swift'] };

/** Runs one eval and says whether it was free. */
async function runOne(caller: Caller): Promise<boolean> {
  const { status, body } = await caller.post('/api/v1/compare?include=details', ORDER);
  expect(status).toBe(200);
  expect(body.details.free).toBe(body.details.charge_usd === 0);
  return body.details.free;
}

/** Takes the month's row of a user back to an earlier count of free evals, as a restored backup does. */
async function restore(databaseUrl: string, caller: Caller, freeEvals: number): Promise<void> {
  await onDatabase(databaseUrl, async (client) => {
    const { rowCount } = await client.query('update month_totals set free_eval_count = $2 where user_id = $1', [
      caller.userId,
      freeEvals,
    ]);
    expect(rowCount).toBe(1);
  });
}

async function setQuota(caller: Caller, freeQuota: number): Promise<void> {
  expect(
    (await operator(caller.url).patch(`/api/v1/admin/users/${caller.userId}`, { free_quota: freeQuota })).status,
  ).toBe(200);
}

let services: ServiceProcess[] = [];
// Its own, because what is reverted here makes the ledger inconsistent.
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await ownDatabase('restored');
  const variables = {
    DATABASE_URL: databaseUrl,
    MIGRATE_ON_START: 'true',
    SIMULATOR: 'on',
    TEST_CLOCK: '2032-04-30T12:00:00.000Z',
  };
  services = await Promise.all([
    startService(variables),
    startService({ ...variables, BILLING_ENFORCEMENT: 'require_payment_method' }),
  ]);
});
afterAll(async () => {
  for (const service of services) await service.stop();
});

describe('Free evals after the database was restored to an earlier state', () => {
  it('are free again at once, in every process and as often as the usage reports', async () => {
    const caller = await createCaller({ at: services[0]?.url ?? '', freeQuota: 2, hasPaymentMethod: true });
    const other = caller.at(services[1]?.url ?? '');
    for (const free of [true, true, false, false]) expect(await runOne(caller)).toBe(free);
    expect(await runOne(other)).toBe(false);
    for (const one of [caller, other]) {
      await restore(databaseUrl, caller, 1);
      expect(await caller.usage()).toMatchObject({ free_evals_remaining: 1 });
      expect(await runOne(one)).toBe(true);
      expect(await caller.usage()).toMatchObject({ free_evals_remaining: 0 });
      expect(await runOne(one)).toBe(false);
    }
  });

  it('are free also where the whole month is missing', async () => {
    const caller = await createCaller({ at: services[0]?.url ?? '', freeQuota: 1 });
    for (const free of [true, false]) expect(await runOne(caller)).toBe(free);
    await onDatabase(databaseUrl, (client) =>
      client.query('delete from month_totals where user_id = $1', [caller.userId]),
    );
    for (const free of [true, false]) expect(await runOne(caller)).toBe(free);
  });

  it('are not refused to a user who could not pay', async () => {
    const caller = await createCaller({ at: services[1]?.url ?? '', freeQuota: 1 });
    expect(await runOne(caller)).toBe(true);
    for (let again = 0; again < 2; again += 1) expect((await caller.compare(ORDER)).status).toBe(402);
    await restore(databaseUrl, caller, 0);
    expect(await runOne(caller)).toBe(true);
    expect((await caller.compare(ORDER)).status).toBe(402);
  });

  it('are granted once each to concurrent requests', async () => {
    const caller = await createCaller({ at: services[0]?.url ?? '', freeQuota: 3 });
    for (const free of [true, true, true, false]) expect(await runOne(caller)).toBe(free);
    await restore(databaseUrl, caller, 1);
    const answers = await Promise.all(Array.from({ length: 10 }, () => runOne(caller)));
    expect(answers.filter(Boolean)).toHaveLength(2);
    expect(await caller.usage()).toMatchObject({ free_evals_remaining: 0 });
  });
});

describe('The free quota of a user', () => {
  it('is restored in the next month of the same process, once', async () => {
    const caller = await createCaller({ at: services[0]?.url ?? '', freeQuota: 1 });
    expect(await runOne(caller)).toBe(true);
    expect(await runOne(caller)).toBe(false);
    for (const service of services) await service.moveClock(12 * 3_600_000);
    expect(await runOne(caller)).toBe(true);
    for (let more = 0; more < 3; more += 1) expect(await runOne(caller)).toBe(false);
    const months = await Promise.all(
      ['2032-04', '2032-05'].map(async (month) => (await caller.get(`/api/v1/usage?month=${month}`)).body),
    );
    expect(months).toMatchObject([
      { eval_count: 2, free_evals_remaining: 0 },
      { eval_count: 4, free_evals_remaining: 0 },
    ]);
  });

  it('is used by an eval of which one model failed, and that eval is free', async () => {
    const caller = await createCaller({ freeQuota: 1 });
    const { body } = await caller.post('/api/v1/compare?include=details', {
      prompt: '[[sim-sage:fail=rejected]]',
      models: ['sim-swift', 'sim-sage'],
    });
    expect(body.results.map((result: object) => 'error' in result)).toEqual([false, true]);
    expect(body.details).toMatchObject({ free: true, charge_usd: 0 });
    expect(await caller.usage()).toMatchObject({ eval_count: 1, free_evals_remaining: 0, total_charge_usd: 0 });
    expect(await runOne(caller)).toBe(false);
  });

  it('leaves zero, never less, when it is lowered below what was used', async () => {
    const caller = await createCaller({ freeQuota: 3 });
    for (let used = 0; used < 3; used += 1) expect(await runOne(caller)).toBe(true);
    for (const quota of [1, 0]) {
      await setQuota(caller, quota);
      expect(await caller.usage()).toMatchObject({ eval_count: 3, free_evals_remaining: 0 });
      expect((await caller.post('/api/v1/compare/estimate', ORDER)).body).toMatchObject({
        free: false,
        free_evals_remaining: 0,
      });
    }
    expect(await runOne(caller)).toBe(false);
    await setQuota(caller, 5);
    expect(await caller.usage()).toMatchObject({ eval_count: 4, free_evals_remaining: 2 });
    expect(await runOne(caller)).toBe(true);
  });
});
