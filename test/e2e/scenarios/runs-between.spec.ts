import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { chargedOf, exact, reservationsOf, sumOf, timesOf, verifyLedger } from '../../support/ledger';
import { requestText } from '../../support/raw';
import { ended, queue, runOf, runRows } from '../../support/runs';
import { workerVariables } from '../../support/redis';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorLog } from '../../support/vendor/vendor-log';
import { vendorScript } from '../../support/vendor/vendor-server';
import { startVendorGate } from '../../support/vendor-gate';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const ORDER = { prompt: 'Hello', models: ['sim-swift', 'sim-quill'] };
const CHECKS = [
  { type: 'length', min: 1, name: 'says-something' },
  { type: 'regex', pattern: '^never this$' },
  { type: 'cost', max_usd: 1 },
];

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
  return { databaseUrl, start, query };
}

describe('Runs with samples and checks', () => {
  it('that are under way in two workers when the service stops are done by the next one: each once, whole, with one charge', async () => {
    const gate = await startVendorGate(worker().vendorUrl);
    // Leases would last for an hour: only requeued runs start again.
    const { databaseUrl, start, query } = await aService(
      'runs_samples',
      { RESERVATION_TTL_SECONDS: '3600', MAX_CONCURRENT_RUNS: '3', ...(await workerVariables(2)) },
      gate.url,
    );
    const first = await start();
    const caller = await createCaller({ at: first.url, freeQuota: 0, monthlySpendLimitUsd: 1 });
    gate.shut();
    const body = {
      prompt: vendorScript(randomUUID(), {}),
      models: ['gpt-5.4-mini', 'claude-haiku-4-5'],
      options: { samples: 4, max_tokens: 20 },
      checks: CHECKS,
    };
    const accepted: Json[] = [];
    for (let index = 0; index < 8; index += 1) accepted.push((await queue(caller, body)).body);
    // Both workers have taken as many as they have slots for, and hold the money of each.
    await eventually('six have reserved', async () => (await reservationsOf(databaseUrl, caller.userId)) === 6);
    const stopped = first.stop();
    await eventually(
      'it begins nothing more',
      async () =>
        (await caller.compare({ prompt: 'x', models: ['no-model'] }).catch(() => undefined))?.body.error?.message ===
        'The service is stopping.',
    );
    gate.open();
    expect(await stopped).toBe(0);
    expect(await query('select state, retries, count(*)::int from runs group by 1, 2')).toEqual([
      { state: 'queued', retries: 0, count: 8 },
    ]);
    expect([
      await reservationsOf(databaseUrl, caller.userId),
      await query('select 1 from evals'),
      await query('select 1 from charges'),
    ]).toEqual([0, [], []]);

    const second = await start();
    const back = caller.at(second.url);
    const costs: string[] = [];
    for (const { run_id: id, eval_id: evalId } of accepted) {
      expect(await ended(back, id)).toMatchObject({ status: 'succeeded', eval_id: evalId });
      const stored = await back.get(`/api/v1/evals/${evalId}?include=checks`);
      expect([
        stored.body.results.length,
        stored.body.results.filter(({ error }: Json) => error !== undefined),
      ]).toEqual([8, []]);
      expect(stored.body.checks.by_model.map(({ passed, failed, errored }: Json) => [passed, failed, errored])).toEqual(
        [
          [8, 4, 0],
          [8, 4, 0],
        ],
      );
      expect(stored.text).not.toContain('not_called');
      costs.push(exact(stored.text).meta.total_cost_usd as string);
    }
    expect(await query('select eval_id, count(*)::int from charges group by 1 having count(*) <> 1')).toEqual([]);
    expect([await chargedOf(back), (await back.usage()).eval_count]).toEqual([timesOf(sumOf(costs), 14n, 10n), 8]);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    expect(await second.stop()).toBe(0);
    await gate.close();
  });
});

let set: Awaited<ReturnType<typeof aService>>;
/** Accepts runs and executes none. */
let accepting: ServiceProcess;
beforeAll(async () => {
  set = await aService('runs_between', { MAX_CONCURRENT_RUNS: '4' });
  accepting = await set.start({
    MAX_CONCURRENT_RUNS: '0',
    MAX_CONCURRENT_COMPARES_PER_KEY: '1',
    RATE_LIMIT_COMPARE_PER_MINUTE: '100000',
  });
});
afterAll(() => accepting.stop());

const acceptedCaller = (options: Parameters<typeof createCaller>[0] = {}) =>
  createCaller({ at: accepting.url, ...options });

describe('Between the asking for a run and its begin', () => {
  it('an eval that is erased is still run again, from what was asked for, and says that there is nothing to compare it with', async () => {
    const caller = await acceptedCaller();
    const { eval_id: source } = (await caller.compare({ ...ORDER, options: { samples: 2 }, checks: CHECKS })).body;
    const { run_id: id, eval_id: evalId } = (
      await caller.post(`/api/v1/evals/${source}/rerun`, undefined, { headers: { prefer: 'respond-async' } })
    ).body;
    // The eval of a run that waits is not there yet, and so can be neither read, erased nor shared.
    for (const answer of [
      await caller.get(`/api/v1/evals/${evalId}`),
      await caller.delete(`/api/v1/evals/${evalId}`),
      await caller.post('/api/v1/shares', { subject: evalId }),
    ]) {
      expect([answer.status, answer.body.error.message]).toEqual([404, 'No eval with this id exists.']);
    }
    expect((await caller.delete(`/api/v1/evals/${source}`)).status).toBe(204);
    const working = await set.start();
    await ended(caller, id, 'succeeded');
    const again = (await caller.get(`/api/v1/evals/${evalId}?include=checks`)).body;
    expect([again.results.length, again.checks.definitions.map(({ type }: Json) => type)]).toEqual([
      4,
      ['length', 'regex', 'cost'],
    ]);
    const drift = await caller.get(`/api/v1/evals/${evalId}/drift`);
    expect([drift.status, drift.body.error.param, drift.body.error.message]).toEqual([
      404,
      'against',
      'The eval that this one re-ran was erased; name another one in against.',
    ]);
    await working.stop();
  });

  it('nothing of its money is looked at or held, and what has become of it then decides', async () => {
    const caller = await acceptedCaller({ freeQuota: 1 });
    const { run_id: id } = (await queue(caller, { prompt: vendorScript(randomUUID(), {}), models: ['gpt-5.4-mini'] }))
      .body;
    expect([await reservationsOf(set.databaseUrl, caller.userId), (await caller.usage()).free_evals_remaining]).toEqual(
      [0, 1],
    );
    const working = await set.start();
    await ended(caller, id, 'succeeded');
    await working.stop();
  });

  it('an eval that its run has made and its user erased is gone for the Idempotency-Key too, and not made again', async () => {
    const caller = await acceptedCaller();
    const key = { 'idempotency-key': randomUUID() };
    const { run_id: id, eval_id: evalId } = (await queue(caller, ORDER, { headers: key })).body;
    const working = await set.start();
    await ended(caller, id, 'succeeded');
    expect((await caller.delete(`/api/v1/evals/${evalId}`)).status).toBe(204);
    const answers = [
      await queue(caller, ORDER, { headers: key }),
      await queue(caller, ORDER, { headers: { ...key, prefer: 'respond-async, wait=5' } }),
      await caller.compare(ORDER, { headers: key }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error?.code ?? body.status])).toEqual(
      answers.map(() => [410, 'eval_erased']),
    );
    expect((await caller.usage()).eval_count).toBe(1);
    expect((await vendorLog(worker().vendorUrl, id)).calls).toEqual([]);
    await working.stop();
  });
});

describe('A caller that waits for a run', () => {
  it('holds a slot of the key until it leaves, and none where it does not wait', async () => {
    const caller = await acceptedCaller();
    const leaving = new AbortController();
    const waiting = queue(caller, ORDER, {
      headers: { prefer: 'respond-async, wait=999999999' },
      signal: leaving.signal,
    }).catch((error: unknown) => (error as Error).name);
    await eventually('it is queued', async () => (await runRows(set.databaseUrl, caller.userId)).length === 1);
    const refused = await queue(caller, ORDER, { headers: { prefer: 'respond-async, wait=1' } });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect((await queue(caller, ORDER)).status).toBe(202);
    expect((await queue(caller, ORDER, { headers: { prefer: 'respond-async, wait=0' } })).status).toBe(202);
    const left = performance.now();
    leaving.abort();
    expect(await waiting).toBe('AbortError');
    await eventually(
      'the slot is free',
      async () => (await queue(caller, ORDER, { headers: { prefer: 'respond-async, wait=1' } })).status === 202,
    );
    // Long before the wait was over; and a client that leaves does not cancel the run.
    expect(performance.now() - left).toBeLessThan(15_000);
    const { runs } = (await caller.get('/api/v1/runs')).body;
    expect((await runOf(caller, runs.at(-1).run_id)).status).toBe('queued');
  });

  it('is answered with the run at once when it has closed its sending half, since it may as well be gone', async () => {
    const caller = await acceptedCaller();
    const socket = connect({ port: Number(new URL(accepting.url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.end(
      requestText(
        'POST',
        '/api/v1/compare',
        {
          authorization: `Bearer ${caller.key ?? ''}`,
          'content-type': 'application/json',
          prefer: 'respond-async, wait=30',
        },
        JSON.stringify(ORDER),
      ),
    );
    const begun = performance.now();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 202 [^]*"status":"queued"\}/);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it('is answered with the run when the process is asked to stop', async () => {
    const service = await set.start({ MAX_CONCURRENT_RUNS: '0' });
    const caller = await createCaller({ at: service.url });
    const waiting = queue(caller, ORDER, { headers: { prefer: 'respond-async, wait=30' } });
    await eventually('it is queued', async () => (await caller.get('/api/v1/runs')).body.runs.length === 1);
    const stopped = service.stop();
    expect(await waiting).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(await stopped).toBe(0);
  });
});

describe('A rerun', () => {
  it('counts as one request a minute for each sample, as the compare did, also in the background', async () => {
    const service = await set.start({ RATE_LIMIT_COMPARE_PER_MINUTE: '30' });
    const caller = await createCaller({ at: service.url });
    const left = (answer: { headers: Headers }) => /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1];
    const compared = await caller.compare({ ...ORDER, options: { samples: 10 } });
    expect([compared.status, left(compared)]).toEqual([200, '20']);
    const again = await caller.post(`/api/v1/evals/${compared.body.eval_id}/rerun`);
    expect([again.status, again.body.results.length, left(again)]).toEqual([200, 20, '10']);
    const queued = await caller.post(`/api/v1/evals/${compared.body.eval_id}/rerun`, undefined, {
      headers: { prefer: 'respond-async' },
    });
    expect([queued.status, left(queued)]).toEqual([202, '0']);
    await service.stop();
  });

  it.each([
    ['respond-async=1', 'Prefer is malformed: respond-async takes no value.'],
    ['respond-async, wait=1e3', 'Prefer is malformed: wait must be a whole number of seconds, such as wait=20.'],
    ['respond-async; wait', undefined],
  ])('reads Prefer: %s as a compare does', async (prefer, message) => {
    const caller = await createCaller();
    const { eval_id: id } = (await caller.compare(ORDER)).body;
    const answer = await caller.post(`/api/v1/evals/${id}/rerun`, undefined, { headers: { prefer } });
    if (message === undefined) return expect(answer.status).toBe(202);
    expect([answer.status, answer.body.error.code, answer.body.error.param, answer.body.error.message]).toEqual([
      400,
      'invalid_request',
      'Prefer',
      message,
    ]);
    expect([(await caller.usage()).eval_count, (await caller.get('/api/v1/runs')).body.runs]).toEqual([1, []]);
  });
});

describe('A run that an earlier release has queued', () => {
  it('runs as its request was understood then; one of a later release stays in the queue', async () => {
    const before = await set.start({ MAX_CONCURRENT_RUNS: '0' });
    const caller = await createCaller({ at: before.url });
    const { run_id: earlier, eval_id: evalId } = (await queue(caller, ORDER)).body;
    const { run_id: later } = (await queue(caller, ORDER)).body;
    const request = {
      prompt: 'Say {input}',
      input: 'hello',
      models: ['sim-swift'],
      options: { samples: 2, max_cost_usd: 0.5 },
      checks: [{ type: 'cost', max_usd: 1 }],
    };
    await set.query('update runs set body = $2 where id = $1', [earlier, JSON.stringify({ request })]);
    await set.query("update runs set body = jsonb_set(body, '{version}', '3') where id = $1", [later]);
    expect(await before.stop()).toBe(0);

    const service = await set.start();
    const back = caller.at(service.url);
    expect(await ended(back, earlier)).toMatchObject({ status: 'succeeded', eval_id: evalId });
    const [stored] = await set.query(
      'select prompt, input, models, temperature, max_tokens, samples, max_cost::text, checks from evals where id = $1',
      [evalId],
    );
    expect(stored).toEqual({
      prompt: request.prompt,
      input: request.input,
      models: request.models,
      temperature: 0.7,
      max_tokens: 500,
      samples: 2,
      max_cost: '0.5',
      checks: [{ type: 'cost', name: 'cost-1', weight: 1, not: false, max_usd: '1' }],
    });
    expect((await runOf(back, later)).status).toBe('queued');
    expect(await service.stop()).toBe(0);
  });
});
