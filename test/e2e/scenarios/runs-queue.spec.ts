import { randomUUID } from 'node:crypto';
import { operator, type Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { queue, ended, runOf, runRows } from '../../support/runs';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorLog, type RunLog } from '../../support/vendor/vendor-log';
import { vendorScript } from '../../support/vendor/vendor-server';
import { startVendorGate } from '../../support/vendor-gate';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const ORDER = { prompt: 'Hello', models: ['sim-swift', 'sim-quill'] };
// eslint-disable-next-line local/plain-words -- the word of the interface
const CANCELED = 'cancelled';

const key = (name: string) => ({ headers: { 'idempotency-key': name } });

describe('Queued runs', () => {
  let databaseUrl: string;
  let accepting: ServiceProcess;
  const start = (variables: Record<string, string> = {}) =>
    startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      ...vendorVariables(worker().vendorUrl),
      ...variables,
    });

  beforeAll(async () => {
    databaseUrl = await ownDatabase('queue');
    // Takes runs and runs none, so that they stay queued.
    accepting = await start({ MAX_CONCURRENT_RUNS: '0' });
  });
  afterAll(() => accepting.stop());

  const aCaller = (options: object = {}) => createCaller({ at: accepting.url, ...options });

  /** Lets a second process run what is queued, until that is done. */
  async function work(until: () => Promise<unknown>, variables: Record<string, string> = {}): Promise<ServiceProcess> {
    const working = await start(variables);
    await until().finally(() => working.stop());
    return working;
  }

  it('never run once they are canceled, and give their Idempotency-Keys back', async () => {
    const caller = await aCaller({ freeQuota: 0 });
    const { run_id: id } = (await queue(caller, ORDER, key('taken back'))).body;
    expect((await caller.delete(`/api/v1/runs/${id}`)).status).toBe(204);
    expect(await runOf(caller, id)).toEqual({
      run_id: id,
      status: CANCELED,
      eval_id: expect.any(String),
      created_at: expect.any(String),
      finished_at: expect.any(String),
    });
    expect(await runRows(databaseUrl, caller.userId)).toEqual([
      expect.objectContaining({ body: null, lease_until: null }),
    ]);
    const again = await caller.delete(`/api/v1/runs/${id}`);
    expect([again.status, again.body.error]).toMatchObject([
      409,
      { code: 'conflict', message: `This run has ended already (${CANCELED}).` },
    ]);
    const inBackground = await queue(caller, ORDER, key('taken back'));
    expect([
      inBackground.status,
      inBackground.body.run_id === id,
      inBackground.headers.get('idempotency-replayed'),
    ]).toEqual([202, false, null]);
    expect((await caller.delete(`/api/v1/runs/${inBackground.body.run_id}`)).status).toBe(204);
    expect((await caller.compare(ORDER, key('taken back'))).headers.get('idempotency-replayed')).toBeNull();
    const { run_id: next } = (await queue(caller, ORDER)).body;
    await work(() => ended(caller, next, 'succeeded'));
    expect((await caller.usage()).eval_count).toBe(2);
    const ended409 = await caller.delete(`/api/v1/runs/${next}`);
    expect(ended409.body.error).toMatchObject({ code: 'conflict', message: 'This run has ended already (succeeded).' });
  });

  it('are listed by when they were asked for, with that time, and are charged from when they began', async () => {
    const caller = await aCaller({ freeQuota: 0 });
    const { run_id: id, eval_id: first } = (await queue(caller, ORDER)).body;
    const { eval_id: second, meta } = (await caller.compare(ORDER)).body;
    await work(() => ended(caller, id, 'succeeded'));
    const run = await runOf(caller, id);
    const { evals } = (await caller.get('/api/v1/evals')).body;
    expect(evals.map(({ eval_id: evalId, created_at: at }: Json) => [evalId, at])).toEqual([
      [second, meta.created_at],
      [first, run.created_at],
    ]);
    expect((await caller.get(`/api/v1/evals/${first}`)).body.meta.created_at).toBe(run.created_at);
    const { lines } = (await caller.get('/api/v1/usage/statement')).body;
    expect(lines.map(({ eval_id: evalId }: Json) => evalId)).toEqual([second, first]);
    expect([lines[0].time, lines[1].time >= run.started_at, run.started_at > run.created_at]).toEqual([
      meta.created_at,
      true,
      true,
    ]);
    // A run that waited over the end of a month is in the month of its charge.
    await onDatabase(databaseUrl, (client) =>
      client.query("update evals set created_at = created_at - interval '1 month' where id = $1", [first]),
    );
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  it('cannot be canceled once they run', async () => {
    const [caller, gate] = [await aCaller(), await startVendorGate(worker().vendorUrl)];
    gate.shut();
    const { run_id: id } = (await queue(caller, { prompt: 'Hello', models: ['gpt-5.4-mini'] })).body;
    await work(async () => {
      await ended(caller, id, 'running');
      const refused = await caller.delete(`/api/v1/runs/${id}`);
      expect([refused.status, refused.body.error.message]).toEqual([
        409,
        'This run has begun and cannot be stopped; its eval will be stored and charged.',
      ]);
      gate.open();
      await ended(caller, id, 'succeeded');
    }, vendorVariables(gate.url));
    await gate.close();
  });

  it('are as many of one user as is allowed, also when they are asked for at the same instant, and do not count for others', async () => {
    const [caller, other] = [await aCaller(), await aCaller()];
    // 994 more like this one, so that five more are allowed.
    const { run_id: first } = (await queue(caller, ORDER)).body;
    await onDatabase(databaseUrl, (client) =>
      client.query(
        `
      insert into runs select copy.* from runs, generate_series(1, 994) as n, jsonb_populate_record(runs, jsonb_build_object('id', 'run_00' || n, 'eval_id', 'eval_00' || n)) as copy where runs.id = $1`,
        [first],
      ),
    );
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => queue(caller, ORDER, key(`n${index}`))));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
    const refused = answers.find(({ status }) => status !== 202);
    expect([refused?.status, refused?.body.error, refused?.headers.get('retry-after')]).toMatchObject([
      429,
      {
        code: 'rate_limited',
        message: 'Too many runs of this user are queued; wait until some have ended, or cancel some.',
      },
      '10',
    ]);
    expect((await queue(other, ORDER)).status).toBe(202);
    // Who was refused has used no Idempotency-Key up.
    const index = answers.findIndex(({ status }) => status !== 202);
    expect((await caller.compare(ORDER, key(`n${index}`))).status).toBe(200);
    await onDatabase(databaseUrl, (client) =>
      client.query("delete from runs where id like 'run\\_00%' or id = $1", [first]),
    );
    for (const { body } of answers)
      if (body.run_id !== undefined) expect((await caller.delete(`/api/v1/runs/${body.run_id}`)).status).toBe(204);
    expect((await queue(caller, ORDER)).status).toBe(202);
  });

  it('fail when their key was revoked, has expired, or lost the scope before they ran', async () => {
    const admin = operator(accepting.url);
    const refusals: [(caller: Caller) => Promise<unknown>, object][] = [
      [
        (caller) => admin.delete(`/api/v1/admin/keys/${caller.keyId}`),
        {
          code: 'unauthorized',
          message: 'The API key of this run was revoked or has expired before it began; nothing was charged.',
        },
      ],
      [
        (caller) =>
          onDatabase(databaseUrl, (client) =>
            client.query("update api_keys set expires_at = now() - interval '1 hour' where id = $1", [caller.keyId]),
          ),
        { code: 'unauthorized', message: expect.any(String) },
      ],
      [
        (caller) => admin.patch(`/api/v1/admin/keys/${caller.keyId}`, { scopes: ['evals:read'] }),
        {
          code: 'insufficient_scope',
          message: 'The API key of this run lost the scope `compare` before it began; nothing was charged.',
        },
      ],
      [
        (caller) => admin.patch(`/api/v1/admin/keys/${caller.keyId}`, { allowed_models: ['sim-titan'] }),
        {
          code: 'model_not_allowed',
          message: 'This key may not call that model.',
          param: 'models[0]',
          details: { allowed_models: ['sim-titan'] },
        },
      ],
    ];
    const run = randomUUID();
    const body = { prompt: vendorScript(run, {}), models: ['gpt-5.4-mini'] };
    const cases: { userId: string; error: object }[] = [];
    for (const [change, error] of refusals) {
      const caller = await aCaller();
      await queue(caller, body);
      await change(caller);
      cases.push({ userId: caller.userId, error });
    }
    const rows = async () => (await Promise.all(cases.map(({ userId }) => runRows(databaseUrl, userId)))).flat();
    await work(() =>
      eventually('all have failed', async () => (await rows()).every(({ state }) => state === 'failed')),
    );
    expect((await rows()).map(({ error }) => error)).toEqual(cases.map(({ error }) => error));
    expect((await vendorLog(worker().vendorUrl, run)).calls).toEqual([]);
  });

  it('of several users take turns, so that one with many does not keep another waiting', async () => {
    const [many, one] = [await aCaller({ freeQuota: 0 }), await aCaller({ freeQuota: 0 })];
    const script = vendorScript(randomUUID(), { '*': { delayMs: 100 } });
    const body = { prompt: script, models: ['gpt-5.4-mini'] };
    const runs: string[] = [];
    for (let index = 0; index < 5; index += 1) runs.push((await queue(many, body)).body.run_id);
    const late = (await queue(one, body)).body.run_id;
    await work(
      async () => {
        for (const id of runs) await ended(many, id, 'succeeded');
        await ended(one, late, 'succeeded');
      },
      { MAX_CONCURRENT_RUNS: '1' },
    );
    const order = await onDatabase(
      databaseUrl,
      async (client) =>
        (
          await client.query<{ user_id: string }>(
            'select user_id from runs where user_id = any($1) order by finished_at, id',
            [[many.userId, one.userId]],
          )
        ).rows,
    );
    expect(order.findIndex(({ user_id: userId }) => userId === one.userId)).toBeLessThanOrEqual(1);
  });

  it('run as many at the same time as there are slots, and no more', async () => {
    const run = randomUUID();
    const body = { prompt: vendorScript(run, { '*': { delayMs: 1000 } }), models: ['gpt-5.4-mini'] };
    const callers = [await aCaller(), await aCaller(), await aCaller()];
    for (const caller of callers)
      for (let index = 0; index < 5; index += 1) expect((await queue(caller, body)).status).toBe(202);
    let log: RunLog | undefined;
    await work(
      () =>
        eventually('all have run', async () => {
          log = await vendorLog(worker().vendorUrl, run);
          return (
            log.calls.length === 15 &&
            log.open === 0 &&
            (await Promise.all(callers.map(({ userId }) => runRows(databaseUrl, userId))))
              .flat()
              .every(({ state }) => state === 'succeeded')
          );
        }),
      { MAX_CONCURRENT_RUNS: '4' },
    );
    expect(log).toMatchObject({ mostAtOnce: 4 });
  });

  it('are deleted 30 days later, unless they have not ended', async () => {
    const caller = await aCaller();
    const [old, waiting, recent] = [
      (await queue(caller, ORDER)).body.run_id,
      (await queue(caller, ORDER)).body.run_id,
      (await queue(caller, ORDER)).body.run_id,
    ];
    for (const id of [old, recent]) await caller.delete(`/api/v1/runs/${id}`);
    await onDatabase(databaseUrl, (client) =>
      client.query(`update runs set created_at = created_at - interval '31 days' where id = any($1)`, [[old, waiting]]),
    );
    await work(
      () => eventually('the old one is deleted', async () => (await caller.get(`/api/v1/runs/${old}`)).status === 404),
      { MAX_CONCURRENT_RUNS: '0' },
    );
    expect([(await runOf(caller, waiting)).status, (await runOf(caller, recent)).status]).toEqual(['queued', CANCELED]);
  });
});
