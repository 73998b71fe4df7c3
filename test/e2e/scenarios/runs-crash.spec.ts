import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { chargedOf, reservationsOf, timesOf, verifyLedger } from '../../support/ledger';
import { ended, queue, runRows } from '../../support/runs';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorLog } from '../../support/vendor/vendor-log';
import { vendorScript } from '../../support/vendor/vendor-server';
import { startVendorGate } from '../../support/vendor-gate';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

/** A service on a separate database, which can be started repeatedly. */
async function aService(name: string, settings: Record<string, string>, vendorUrl = worker().vendorUrl) {
  const databaseUrl = await ownDatabase(name);
  const start = (more: Record<string, string> = {}) =>
    startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      ...vendorVariables(vendorUrl),
      ...settings,
      ...more,
    });
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    onDatabase(databaseUrl, async (client) => (await client.query<Row>(text, values)).rows);
  const expireLeases = () => query("update runs set lease_until = clock_timestamp() where state = 'running'");
  return { databaseUrl, start, query, expireLeases };
}

describe('Runs and kill -9', () => {
  it('make of 100 runs, two times killed, 100 evals: each once, under its announced id, with one charge', async () => {
    const { databaseUrl, start, query } = await aService('runs', {
      RESERVATION_TTL_SECONDS: '2',
      FREE_MODELS: 'gpt-5.4-mini',
    });
    // Queued by a process that runs none, so that all of them wait when the killing begins.
    const accepting = await start({ MAX_CONCURRENT_RUNS: '0' });
    const name = randomUUID();
    const body = { prompt: vendorScript(name, { '*': { delayMs: 200 } }), models: ['gpt-5.4-mini'] };
    // Half of them are covered by the free quota, to the last one; the others have a limit, so that each run holds
    // money. Every second one has an Idempotency-Key.
    const callers = [
      await createCaller({ at: accepting.url, freeQuota: 50 }),
      await createCaller({ at: accepting.url, freeQuota: 0, monthlySpendLimitUsd: 1000 }),
    ] as const;
    const headersOf = (index: number): Record<string, string> =>
      index % 4 < 2 ? { 'idempotency-key': `run ${index}` } : {};
    const ask = (index: number, url: string) =>
      queue((callers[index % 2] as Caller).at(url), body, { headers: headersOf(index) });
    const accepted: Json[] = [];
    for (let index = 0; index < 100; index += 1) accepted.push((await ask(index, accepting.url)).body);
    expect(await accepting.stop()).toBe(0);
    let service = await start();

    const stored = async () => (await query('select id from evals')).length;
    const kills: object[] = [];
    for (const most of [20, 60]) {
      await eventually(`${most} evals are stored`, async () => (await stored()) >= most);
      await service.kill();
      kills.push({
        evals: await stored(),
        running: (await query("select 1 from runs where state = 'running'")).length,
      });
      service = await start();
    }
    await eventually(
      'all have ended',
      async () => (await query("select 1 from runs where state in ('queued', 'running')")).length === 0,
    );

    const runs = await query<{ id: string; eval_id: string; state: string; body: null; retries: number }>(
      'select * from runs order by id collate "C"',
    );
    expect(runs.map(({ id, state, body: left }) => [id, state, left])).toEqual(
      accepted.map(({ run_id: id }) => [id, 'succeeded', null]),
    );
    const evals = await query<{ id: string }>('select id from evals');
    expect(evals.map(({ id }) => id).sort()).toEqual(accepted.map(({ eval_id: id }) => id).sort());
    const charges = await query<{ eval_id: string; cost: string }>('select eval_id, cost from charges');
    expect(charges.map(({ eval_id: id }) => id).sort()).toEqual(accepted.map(({ eval_id: id }) => id).sort());
    const { calls } = await vendorLog(worker().vendorUrl, name);
    const begunAnew = runs.reduce((sum, { retries }) => sum + retries, 0);
    expect(calls.length).toBeGreaterThanOrEqual(100);
    // More than those of killed processes where a busy machine lets a lease run out.
    expect(calls.length).toBeLessThanOrEqual(100 + begunAnew);
    // No free eval and no money was lost to a reservation of a dead process.
    const [free, paying] = [callers[0].at(service.url), callers[1].at(service.url)];
    expect([await chargedOf(free), await free.usage()]).toMatchObject([
      '0',
      { eval_count: 50, free_evals_remaining: 0 },
    ]);
    expect([await chargedOf(paying), (await paying.usage()).eval_count]).toEqual([
      timesOf(charges[0]?.cost ?? '', 50n * 14n, 10n),
      50,
    ]);
    for (const { userId } of callers)
      await eventually('nothing is reserved', async () => (await reservationsOf(databaseUrl, userId)) === 0);
    // The same keys stand for the same runs.
    for (const index of [0, 1, 96, 97])
      expect((await ask(index, service.url)).body).toEqual({ ...accepted[index], status: 'succeeded' });
    const ledger = await verifyLedger(databaseUrl);
    expect(ledger).toEqual({
      status: 0,
      output: expect.stringContaining('The ledger is consistent: 100 evals in 2 monthly totals.'),
    });
    process.stdout.write(
      `100 runs through two kill -9: ${JSON.stringify({ kills, evals: evals.length, charges: charges.length, vendorCalls: calls.length, begunAnew, ledger: ledger.output.trim() })}\n`,
    );
    expect(await service.stop()).toBe(0);
  });

  it.each([
    ['its free eval', { freeQuota: 1 }, '0'],
    ['what its limit leaves', { freeQuota: 0, monthlySpendLimitUsd: 0.15 }, undefined],
  ])(
    'leave a run %s, although the dead process had it reserved and the reservation would last',
    async (_, options, charged) => {
      const gate = await startVendorGate(worker().vendorUrl);
      const { databaseUrl, start, expireLeases } = await aService(
        'runs_money',
        { RESERVATION_TTL_SECONDS: '3600', FREE_MODELS: 'gpt-5.4-mini' },
        gate.url,
      );
      const first = await start();
      // At the most it can cost, it fits into the limit once and not twice.
      const caller = await createCaller({ at: first.url, ...options });
      gate.shut();
      const { run_id: id } = (
        await queue(caller, { prompt: 'x'.repeat(20_000), models: ['gpt-5.4-mini'], options: { max_tokens: 12_000 } })
      ).body;
      await eventually('it has reserved', async () => (await reservationsOf(databaseUrl, caller.userId)) === 1);
      await first.kill();
      await expireLeases();
      gate.open();
      const second = await start();
      const back = caller.at(second.url);
      expect(await ended(back, id)).toMatchObject({ status: 'succeeded' });
      if (charged !== undefined) expect(await chargedOf(back)).toBe(charged);
      expect((await back.usage()).eval_count).toBe(1);
      expect(await reservationsOf(databaseUrl, caller.userId)).toBe(0);
      expect((await verifyLedger(databaseUrl)).status).toBe(0);
      expect(await second.stop()).toBe(0);
      await gate.close();
    },
  );

  it('end, when a run outlives every process that begins it, in an error and not in one more process', async () => {
    const { start, query } = await aService('runs_poison', { RESERVATION_TTL_SECONDS: '2' });
    const accepting = await start({ MAX_CONCURRENT_RUNS: '0' });
    const caller = await createCaller({ at: accepting.url });
    const { run_id: id } = (await queue(caller, { prompt: 'Hello', models: ['sim-swift'] })).body;
    await query("update runs set state = 'running', retries = 10, fence = 11");
    const working = await start();
    expect(await ended(caller, id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'internal_error',
        message: 'The run was begun 10 times and never came to an end; nothing was charged.',
      },
    });
    expect((await caller.usage()).eval_count).toBe(0);
    for (const service of [accepting, working]) expect(await service.stop()).toBe(0);
  });
});

describe('A process that is suspended beyond the lease of its run', () => {
  let services: [ServiceProcess, ServiceProcess];
  let set: Awaited<ReturnType<typeof aService>>;
  let gate: Awaited<ReturnType<typeof startVendorGate>>;
  beforeAll(async () => {
    gate = await startVendorGate(worker().vendorUrl);
    set = await aService('runs_fence', { RESERVATION_TTL_SECONDS: '4', LOG_LEVEL: 'warn' }, gate.url);
    services = await Promise.all([set.start(), set.start({ MAX_CONCURRENT_RUNS: '0' })]);
  });
  afterEach(() => {
    gate.open();
    services[0].child.kill('SIGCONT');
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    await gate.close();
  });

  /** Lets a run begin in the first process, suspends that, and gives what the second can see of it. */
  async function suspended(
    body: object,
    options: object = {},
  ): Promise<{ caller: Caller; id: string; evalId: string }> {
    const caller = await createCaller({ at: services[1].url, freeQuota: 0, monthlySpendLimitUsd: 1000, ...options });
    gate.shut();
    const { run_id: id, eval_id: evalId } = (await queue(caller, body)).body;
    // Later than its reservation, and before its answer.
    await eventually('it calls its vendor', () => gate.waiting() === 1);
    services[0].child.kill('SIGSTOP');
    return { caller, id, evalId };
  }

  it('stores nothing and charges nothing when another has run it meanwhile, whose eval stays', async () => {
    const name = randomUUID();
    const { caller, id, evalId } = await suspended({ prompt: vendorScript(name, {}), models: ['gpt-5.4-mini'] });
    gate.open();
    const third = await set.start();
    expect(await ended(caller, id)).toMatchObject({ status: 'succeeded' });
    const stored = (await caller.get(`/api/v1/evals/${evalId}`)).text;
    services[0].child.kill('SIGCONT');
    await eventually('its answers are discarded', () =>
      services[0].output().includes(`The answers for ${evalId} are discarded`),
    );
    expect((await caller.get(`/api/v1/evals/${evalId}`)).text).toBe(stored);
    expect((await caller.usage()).eval_count).toBe(1);
    expect((await vendorLog(worker().vendorUrl, name)).calls).toHaveLength(2);
    expect((await verifyLedger(set.databaseUrl)).status).toBe(0);
    await third.stop();
  });

  it('does not store an eval for a run that has failed meanwhile', async () => {
    const { caller, id, evalId } = await suspended({
      prompt: vendorScript(randomUUID(), {}),
      models: ['gpt-5.4-mini'],
    });
    await set.query('update api_keys set revoked_at = now() where id = $1', [caller.keyId]);
    gate.open();
    const third = await set.start();
    await eventually(
      'it has failed',
      async () => (await runRows(set.databaseUrl, caller.userId))[0].state === 'failed',
    );
    services[0].child.kill('SIGCONT');
    await eventually('its answers are discarded', () =>
      services[0].output().includes(`The answers for ${evalId} are discarded`),
    );
    expect(await set.query('select 1 from evals where id = $1', [evalId])).toEqual([]);
    expect(await set.query('select 1 from charges where user_id = $1', [caller.userId])).toEqual([]);
    expect(await runRows(set.databaseUrl, caller.userId)).toEqual([
      expect.objectContaining({ id, state: 'failed', body: null }),
    ]);
    await third.stop();
  });

  it('continues it if no other process has claimed it, and calls no vendor twice', async () => {
    const name = randomUUID();
    const { caller, id } = await suspended({ prompt: vendorScript(name, {}), models: ['gpt-5.4-mini'] });
    const isHeld = async () =>
      (await set.query('select 1 from runs where id = $1 and lease_until > clock_timestamp()', [id])).length === 1;
    await eventually('the lease has run out', async () => !(await isHeld()));
    services[0].child.kill('SIGCONT');
    await eventually('it is held again', isHeld);
    gate.open();
    expect(await ended(caller, id)).toMatchObject({ status: 'succeeded' });
    expect((await vendorLog(worker().vendorUrl, name)).calls).toHaveLength(1);
    expect((await caller.usage()).eval_count).toBe(1);
  });
});

describe('A process that is asked to stop', () => {
  it('finishes what it runs, leaves what is queued to the next one, and calls no vendor twice', async () => {
    const gate = await startVendorGate(worker().vendorUrl);
    const { start, query } = await aService('runs_stop', { MAX_CONCURRENT_RUNS: '2' }, gate.url);
    const first = await start();
    const caller = await createCaller({ at: first.url, freeQuota: 0, monthlySpendLimitUsd: 1000 });
    const name = randomUUID();
    gate.shut();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.push((await queue(caller, { prompt: vendorScript(name, {}), models: ['gpt-5.4-mini'] })).body.run_id);
    await eventually('two call their vendor', () => gate.waiting() === 2);
    const stopped = first.stop();
    await eventually(
      'it begins nothing more',
      async () =>
        (await caller.compare({ prompt: 'x', models: ['no-model'] })).body.error?.message ===
        'The service is stopping.',
    );
    gate.open();
    expect(await stopped).toBe(0);
    expect(
      (await query<{ state: string }>('select state from runs order by id collate "C"')).map(({ state }) => state),
    ).toEqual(['succeeded', 'succeeded', 'queued', 'queued', 'queued']);
    const second = await start();
    for (const id of ids) expect(await ended(caller.at(second.url), id)).toMatchObject({ status: 'succeeded' });
    expect((await vendorLog(worker().vendorUrl, name)).calls).toHaveLength(5);
    expect(await second.stop()).toBe(0);
    await gate.close();
  });

  it('requeues a run between two rounds; the next process runs it at once, from the beginning, and charges once', async () => {
    const gate = await startVendorGate(worker().vendorUrl);
    // The lease would last for an hour.
    const { start, query, databaseUrl } = await aService('runs_late', { RESERVATION_TTL_SECONDS: '3600' }, gate.url);
    const first = await start();
    const caller = await createCaller({ at: first.url, freeQuota: 0, monthlySpendLimitUsd: 1 });
    gate.shut();
    const { run_id: id, eval_id: evalId } = (
      await queue(caller, { prompt: 'Hello', models: ['gpt-5.4-mini'], options: { samples: 12 } })
    ).body;
    await eventually('it has reserved', async () => (await reservationsOf(databaseUrl, caller.userId)) === 1);
    const stopped = first.stop();
    await eventually(
      'it begins nothing more',
      async () =>
        (await caller.compare({ prompt: 'x', models: ['no-model'] })).body.error?.message ===
        'The service is stopping.',
    );
    gate.open();
    expect(await stopped).toBe(0);
    expect(await query('select state, retries, fence from runs')).toEqual([{ state: 'queued', retries: 0, fence: 1 }]);
    const second = await start();
    const back = caller.at(second.url);
    expect(await ended(back, id)).toMatchObject({ status: 'succeeded' });
    const { results } = (await back.get(`/api/v1/evals/${evalId}`)).body;
    expect([results.length, results.filter(({ error }: Json) => error !== undefined)]).toEqual([12, []]);
    expect((await back.usage()).eval_count).toBe(1);
    expect((await verifyLedger(databaseUrl)).status).toBe(0);
    expect(await second.stop()).toBe(0);
    await gate.close();
  });
});

describe('Two processes', () => {
  it('run each of 60 runs once', async () => {
    const { start, query } = await aService('runs_two', { MAX_CONCURRENT_RUNS: '4' });
    const services = await Promise.all([start(), start()]);
    const caller = await createCaller({ at: services[0].url });
    const name = randomUUID();
    const body = { prompt: vendorScript(name, { '*': { delayMs: 20 } }), models: ['gpt-5.4-mini'] };
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => queue(caller.at(services[index % 2 === 0 ? 0 : 1].url), body)),
    );
    await eventually(
      'all have succeeded',
      async () => (await query("select 1 from runs where state = 'succeeded'")).length === 60,
    );
    expect((await vendorLog(worker().vendorUrl, name)).calls).toHaveLength(60);
    expect((await caller.usage()).eval_count).toBe(60);
    for (const service of services) expect(await service.stop()).toBe(0);
  });
});
