import { randomUUID } from 'node:crypto';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, untilWaitedFor, type Caller } from '../../support/factories';
import { chargedOf, exact, sumOf, verifyLedger } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorLog } from '../../support/vendor/vendor-log';
import { vendorScript } from '../../support/vendor/vendor-server';
import { startVendorGate } from '../../support/vendor-gate';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const ROWS = 500;
/** 50 take two minutes more. */
const KILLS = Number(process.env['KILLS'] ?? 12);
const SLOTS = 8;
/** All rows, on a machine with much else to do. */
const LONG_MS = 200_000;
const MODELS = ['gpt-5.4-mini', 'claude-haiku-5-5', 'gemini-3.8-flash', 'deepseek-v4-pro'];

async function aDatabase(name: string, settings: Record<string, string> = {}, vendorUrl = worker().vendorUrl) {
  const databaseUrl = await ownDatabase(name);
  const start = (more: Record<string, string> = {}) =>
    startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      RESERVATION_TTL_SECONDS: '1',
      MAX_CONCURRENT_RUNS: String(SLOTS),
      ...vendorVariables(vendorUrl),
      ...settings,
      ...more,
    });
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    onDatabase(databaseUrl, async (client) => (await client.query<Row>(text, values)).rows);
  return { databaseUrl, start, query };
}

async function dataset(caller: Caller, rows: number): Promise<string> {
  const { body } = await caller.post(
    '/api/v1/datasets?name=rows',
    Array.from({ length: rows }, (_, index) => JSON.stringify({ input: `row ${index}` })).join('\n'),
    { headers: { 'content-type': 'application/x-ndjson' } },
  );
  return body.dataset_id as string;
}

type Database = Awaited<ReturnType<typeof aDatabase>>;

/** Kills the two services in turns, at instants of chance while rows run. */
async function killInTurns(
  services: ServiceProcess[],
  start: Database['start'],
  query: Database['query'],
): Promise<void> {
  const stored = async () => (await query('select id from evals')).length;
  for (let kills = 0; kills < KILLS; kills += 1) {
    const before = await stored();
    if (kills % 5 > 0)
      await eventually('some rows have ended', async () => (await stored()) >= Math.min(before + (kills % 5), ROWS));
    const victim = kills % 2;
    await services[victim]?.kill();
    services[victim] = await start();
  }
}

/** An experiment and its judge have as many evals as given, with one charge each, and share one cap. */
async function expectOneCap(query: Database['query'], cap: number, rows: readonly number[]): Promise<void> {
  const all = await query<{ id: string; cost: string; max_cost: string; done: number }>(
    'select id, cost, max_cost, done from experiments order by judge_of nulls first',
  );
  expect(all.map(({ done }) => done)).toEqual(rows);
  const [asked = '', judged = ''] = all.map(({ max_cost: most }) => most);
  expect([sumOf([asked]), sumOf([asked, judged])]).toEqual([
    sumOf(all.slice(0, 1).map(({ cost }) => cost)),
    String(cap),
  ]);
  for (const { id, cost, done } of all) {
    const evals = await query<{ total_cost: string }>(
      'select total_cost from evals join charges on eval_id = evals.id where experiment_id = $1',
      [id],
    );
    expect([evals.length, sumOf(evals.map(({ total_cost: each }) => each))]).toEqual([done, sumOf([cost])]);
  }
}

describe('An experiment and kill -9', () => {
  it(
    `makes of ${ROWS} rows in two processes, killed ${KILLS} times, one eval and one charge a row, and the books agree to the last digit`,
    async () => {
      const { databaseUrl, start, query } = await aDatabase('experiments');
      const services: ServiceProcess[] = await Promise.all([start(), start()]);
      const caller = await createCaller({ at: services[0]?.url ?? '', freeQuota: 100, monthlySpendLimitUsd: 1000 });
      const name = randomUUID();
      const body = {
        dataset: await dataset(caller, ROWS),
        prompt: `{input} ${vendorScript(name, { '*': { delayMs: 60 } })}`,
        models: MODELS,
        options: { max_tokens: 50 },
        max_cost_usd: 100,
        parallel: 16,
      };
      const { experiment_id: id } = (await caller.post('/api/v1/experiments', body)).body;
      await killInTurns(services, start, query);
      const [service] = services;
      const back = caller.at(service?.url ?? '');
      await eventually(
        'it has finished',
        async () => (await back.get(`/api/v1/experiments/${id}`)).body.state === 'finished',
        LONG_MS,
      );
      const end = exact((await back.get(`/api/v1/experiments/${id}`)).text);
      expect(end.rows).toEqual({ total: String(ROWS), done: String(ROWS), failed: '0', running: '0', waiting: '0' });
      const evals = await query<{ id: string; total_cost: string; charge: string; is_free: boolean }>(
        'select id, total_cost, charge, is_free from evals where experiment_id = $1',
        [id],
      );
      const charges = await query<{ eval_id: string; cost: string; charge: string }>(
        'select eval_id, cost, charge from charges',
      );
      expect([evals.length, charges.length, evals.some(({ is_free: isFree }) => isFree)]).toEqual([ROWS, ROWS, false]);
      expect(new Set(charges.map(({ eval_id: evalId }) => evalId)).size).toBe(ROWS);
      const total = sumOf(evals.map(({ total_cost: cost }) => cost));
      const [month] = await query<{ cost: string; charge: string }>('select cost, charge from month_totals');
      expect([end.cost_usd, sumOf(charges.map(({ cost }) => cost)), sumOf([month?.cost ?? ''])]).toEqual([
        total,
        total,
        total,
      ]);
      expect([end.charge_usd, await chargedOf(back)]).toEqual([
        sumOf(charges.map(({ charge }) => charge)),
        sumOf(charges.map(({ charge }) => charge)),
      ]);
      const rows = await query<{ eval_id: string; state: string; retries: number }>(
        'select eval_id, state, retries from experiment_rows',
      );
      expect(rows.map(({ eval_id: evalId }) => evalId).sort()).toEqual(evals.map((one) => one.id).sort());
      const { calls } = await vendorLog(worker().vendorUrl, name);
      const begunAnew = rows.reduce((sum, { retries }) => sum + retries, 0);
      expect(calls.length).toBeGreaterThanOrEqual(ROWS * MODELS.length);
      // More than those of killed processes where a busy machine lets a lease of a second run out.
      expect(calls.length).toBeLessThanOrEqual((ROWS + begunAnew) * MODELS.length);
      const ledger = await verifyLedger(databaseUrl);
      expect(ledger).toMatchObject({ status: 0 });
      process.stdout.write(
        `${ROWS} rows through ${KILLS} kill -9: ${JSON.stringify({ evals: evals.length, charges: charges.length, cost: end.cost_usd, vendorCalls: calls.length, begunAnew, ledger: ledger.output.trim() })}\n`,
      );
      for (const one of services) expect(await one.stop()).toBe(0);
    },
    300_000 + KILLS * 20_000,
  );

  it('leaves the row of a paused experiment, whose process died, without a second call', async () => {
    const gate = await startVendorGate(worker().vendorUrl);
    const { start, query } = await aDatabase('experiments_paused', {}, gate.url);
    const first = await start();
    const caller = await createCaller({ at: first.url, freeQuota: 0 });
    const name = randomUUID();
    gate.shut();
    const { experiment_id: id } = (
      await caller.post('/api/v1/experiments', {
        dataset: await dataset(caller, 3),
        prompt: `{input} ${vendorScript(name, {})}`,
        models: ['gpt-5.4-mini'],
        max_cost_usd: 1,
        parallel: 1,
      })
    ).body;
    await eventually('a row runs', async () => (await caller.get(`/api/v1/experiments/${id}`)).body.rows.running === 1);
    expect((await caller.patch(`/api/v1/experiments/${id}`, { state: 'paused' })).body.state).toBe('paused');
    await first.kill();
    gate.open();
    const second = await start();
    const back = caller.at(second.url);
    await eventually(
      'the row waits',
      async () => (await back.get(`/api/v1/experiments/${id}`)).body.rows.waiting === 1,
    );
    expect((await query('select 1 from charges')).length).toBe(0);
    await back.patch(`/api/v1/experiments/${id}`, { state: 'running' });
    await eventually(
      'it has finished',
      async () => (await back.get(`/api/v1/experiments/${id}`)).body.state === 'finished',
    );
    expect((await query('select 1 from charges')).length).toBe(3);
    expect(await second.stop()).toBe(0);
    await gate.close();
  });

  it('discards the answers of a process that was suspended beyond its lease', async () => {
    const gate = await startVendorGate(worker().vendorUrl);
    const { start, query, databaseUrl } = await aDatabase('experiments_fence', {}, gate.url);
    const first = await start();
    const caller = await createCaller({ at: first.url, freeQuota: 0, monthlySpendLimitUsd: 1000 });
    gate.shut();
    const { experiment_id: id } = (
      await caller.post('/api/v1/experiments', {
        dataset: await dataset(caller, 1),
        prompt: `{input} ${vendorScript(randomUUID(), {})}`,
        models: ['gpt-5.4-mini'],
        max_cost_usd: 1,
      })
    ).body;
    await eventually('it calls its vendor', () => gate.waiting() === 1);
    first.child.kill('SIGSTOP');
    gate.open();
    const second = await start();
    const back = caller.at(second.url);
    await eventually(
      'it has finished',
      async () => (await back.get(`/api/v1/experiments/${id}`)).body.state === 'finished',
    );
    first.child.kill('SIGCONT');
    await eventually('its answers are discarded', () => first.output().includes('are discarded'));
    expect([(await query('select 1 from evals')).length, (await query('select 1 from charges')).length]).toEqual([
      1, 1,
    ]);
    expect((await verifyLedger(databaseUrl)).status).toBe(0);
    for (const one of [first, second]) expect(await one.stop()).toBe(0);
    await gate.close();
  });

  it('begins the judge of a rubric exactly once, under one cap, when processes die between the last row and the judge', async () => {
    const { start, query, databaseUrl } = await aDatabase('experiments_rubric');
    const first = await start();
    const caller = await createCaller({ at: first.url, freeQuota: 0 });
    const cap = 0.5;
    const { experiment_id: id } = (
      await caller.post('/api/v1/experiments', {
        dataset: await dataset(caller, 6),
        prompt: '{input} [[sim:slow=300]]',
        models: ['sim-swift', 'sim-quill'],
        checks: [{ type: 'rubric', criterion: 'It is kind. [[sim:slow=200]]', judge: 'sim-titan' }],
        max_cost_usd: cap,
        parallel: 2,
      })
    ).body;
    const judges = () =>
      query<{ id: string; state: string; reason: string | null; done: number; cost: string; max_cost: string }>(
        'select * from experiments where judge_of = $1',
        [id],
      );
    // The transaction that ends the last row cannot begin the judge before it is killed.
    await onDatabase(databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('select from experiments where judge_of = $1 for update', [id]);
      await untilWaitedFor(client);
      await first.kill();
      await client.query('rollback');
    });
    expect(await judges()).toMatchObject([{ state: 'paused', reason: 'waiting_for_answers', done: 0 }]);
    expect(await query('select state from experiments where id = $1', [id])).toEqual([{ state: 'running' }]);
    let service: ServiceProcess = await start();
    await eventually('the judge has begun', async () => (await judges())[0]?.state === 'running');
    for (let kills = 0; kills < 3; kills += 1) {
      await service.kill();
      service = await start();
      const [before] = await judges();
      await eventually('a row has ended', async () => {
        const [now] = await judges();
        return now?.state === 'finished' || (now?.done ?? 0) > (before?.done ?? 0);
      });
    }
    await eventually('the judge has finished', async () => (await judges())[0]?.state === 'finished');
    await expectOneCap(query, cap, [6, 8 + 12]);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    expect(await service.stop()).toBe(0);
  });
});
