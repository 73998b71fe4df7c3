import { randomUUID } from 'node:crypto';
import { operator } from '../../support/api';
import { columnsWith, onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const MODELS = ['sim-swift', 'sim-sage'];
const withoutRequestId = (text: string) => text.replace(/req_\w+/, 'req');

/** The complete report of the ledger. */
async function ledgerOf(caller: Caller): Promise<string[]> {
  const paths = [
    'usage',
    'usage/statement',
    'usage/breakdown?by=model',
    'usage/breakdown?by=day',
    'usage/breakdown?by=key',
  ];
  return Promise.all(paths.map(async (path) => (await caller.get(`/api/v1/${path}`)).text));
}

describe('DELETE /api/v1/evals/:id', () => {
  const { databaseUrl } = worker();

  it('removes prompt, input and outputs from the database and leaves the ledger unchanged, to the last digit', async () => {
    const caller = await createCaller({ freeQuota: 1 });
    const [prompt, input] = [`PROMPT-${randomUUID()}`, `INPUT-${randomUUID()}`];
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1)
      ids.push(
        (await caller.compare({ prompt: `${prompt} {input}`, input: `${input} ${i}`, models: MODELS })).body.eval_id,
      );
    const before = await ledgerOf(caller);
    expect(await columnsWith(databaseUrl, prompt)).toEqual(['evals.prompt']);
    for (const id of ids) {
      const erased = await caller.delete(`/api/v1/evals/${id}`);
      expect([erased.status, erased.text]).toEqual([204, '']);
    }
    expect(await ledgerOf(caller)).toEqual(before);
    expect(JSON.parse(before[0] ?? '')).toMatchObject({ eval_count: 3, free_evals_remaining: 0 });
    for (const text of [prompt, input]) expect(await columnsWith(databaseUrl, text)).toEqual([]);
    await onDatabase(databaseUrl, async (client) => {
      expect((await client.query('select from results where eval_id = any($1)', [ids])).rowCount).toBe(0);
    });
  });

  it('removes the outputs, the checks and what they say, of every sample', async () => {
    // A separate database, because other specs leave evals that the ledger check would find.
    const ownUrl = await ownDatabase('erasure_checks');
    const service = await startService({ DATABASE_URL: ownUrl, MIGRATE_ON_START: 'true', SIMULATOR: 'on' });
    const caller = await createCaller({ at: service.url });
    const secret = `CHECK-${randomUUID()}`;
    const checks = [
      { type: 'equals', value: secret },
      { type: 'contains', values: [secret] },
      { type: 'regex', pattern: secret },
      { type: 'json', schema: { const: secret } },
      { type: 'similarity', value: secret, min: 0.5 },
    ];
    const order = {
      prompt: 'mine',
      models: MODELS,
      checks,
      options: {
        samples: 2,
        system: secret,
        history: [{ role: 'user', content: secret }],
        response_format: { type: 'json_schema', schema: { const: secret } },
      },
    };
    const { eval_id: id, results } = (await caller.compare(order)).body;
    const outputs = results.map(({ output }: { output: string }) => output) as string[];
    const again = (await caller.post(`/api/v1/evals/${id}/rerun`)).body.eval_id as string;
    const ledger = await ledgerOf(caller);
    expect(await columnsWith(ownUrl, outputs[0] ?? '')).toEqual(['results.output']);
    expect(await columnsWith(ownUrl, secret)).toEqual(['evals.checks', 'evals.options', 'results.checks']);
    for (const one of [id, again]) expect((await caller.delete(`/api/v1/evals/${one}`)).status).toBe(204);
    for (const text of [secret, ...outputs]) expect(await columnsWith(ownUrl, text)).toEqual([]);
    for (const path of [
      `${id}?include=checks`,
      `${id}?include=statistics`,
      `${id}/agreement`,
      `${id}/drift?against=${again}`,
      `${id}/projection?calls_per_month=1`,
    ])
      expect((await caller.get(`/api/v1/evals/${path}`)).status).toBe(404);
    expect(await ledgerOf(caller)).toEqual(ledger);
    expect(await verifyLedger(ownUrl)).toMatchObject({ status: 0 });
    await service.stop();
  });

  it("answers a second deletion, an unknown eval and another user's eval with the very 404 of GET", async () => {
    const [caller, otherUser] = [await createCaller(), await createCaller()];
    const { eval_id: id } = (await caller.compare({ prompt: 'mine', models: MODELS })).body;
    const foreign = await otherUser.delete(`/api/v1/evals/${id}`);
    expect((await caller.get(`/api/v1/evals/${id}`)).status).toBe(200);
    expect((await caller.delete(`/api/v1/evals/${id}`)).status).toBe(204);
    const others = [
      await caller.delete(`/api/v1/evals/${id}`),
      await caller.get(`/api/v1/evals/${id}`),
      await caller.delete('/api/v1/evals/eval_01k9z3t5v7x9b1d3f5h7k9m1n3'),
      await caller.delete('/api/v1/evals/nonsense'),
    ];
    expect(foreign.status).toBe(404);
    expect(foreign.body.error.code).toBe('not_found');
    for (const { status, text } of others)
      expect([status, withoutRequestId(text)]).toEqual([404, withoutRequestId(foreign.text)]);
    expect((await caller.get('/api/v1/evals')).body.evals).toEqual([]);
  });

  it('deletes once of many concurrent requests', async () => {
    const caller = await createCaller();
    const { eval_id: id } = (await caller.compare({ prompt: 'mine', models: MODELS })).body;
    const answers = await Promise.all(Array.from({ length: 8 }, () => caller.delete(`/api/v1/evals/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404, 404, 404]);
    const { entries } = (await operator().get(`/api/v1/admin/audit?target=${id}`)).body;
    expect(entries).toEqual([
      expect.objectContaining({
        action: 'eval.erased',
        actor: caller.keyId,
        changes: { user_id: { from: null, to: caller.userId } },
      }),
    ]);
  });

  it('keeps the Idempotency-Key of the eval used: neither the eval nor a second charge comes of it', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const order = { prompt: 'once', models: MODELS };
    const key = { headers: { 'idempotency-key': randomUUID() } };
    const { eval_id: id } = (await caller.compare(order, key)).body;
    const before = await ledgerOf(caller);
    await caller.delete(`/api/v1/evals/${id}`);
    for (const options of [key, { headers: { ...key.headers, accept: 'text/event-stream' } }]) {
      const again = await caller.compare(order, options);
      expect([again.status, again.body.error.code, again.body.error.param]).toEqual([
        410,
        'eval_erased',
        'Idempotency-Key',
      ]);
    }
    expect((await caller.compare({ ...order, prompt: 'other' }, key)).status).toBe(422);
    expect(await ledgerOf(caller)).toEqual(before);
    expect((await caller.compare(order)).status).toBe(200);
  });
});

describe('RETENTION_DAYS', () => {
  let databaseUrl: string;
  let old: ServiceProcess;
  let later: ServiceProcess;
  let newer: ServiceProcess;
  const callers: Caller[] = [];
  const before: string[][] = [];
  let remaining: string[];
  const OLD = 1200;
  const prompt = `PROMPT-${randomUUID()}`;

  const listed = async (caller: Caller) =>
    (await caller.get('/api/v1/evals?limit=100')).body.evals.map(
      ({ eval_id: id }: { eval_id: string }) => id,
    ) as string[];
  const start = (clock: string, days?: number) =>
    startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      RATE_LIMIT_COMPARE_PER_MINUTE: '1000000',
      TEST_CLOCK: clock,
      ...(days !== undefined && { RETENTION_DAYS: String(days) }),
    });

  beforeAll(async () => {
    databaseUrl = await ownDatabase('retention');
    old = await start('2031-01-01T00:00:00.000Z');
    callers.push(await createCaller({ at: old.url, freeQuota: 3 }), await createCaller({ at: old.url }));
    for (let i = 0; i < 5; i += 1)
      for (const caller of callers)
        expect((await caller.compare({ prompt, models: MODELS, options: { system: prompt } })).status).toBe(200);
    // More than two batches hold.
    await onDatabase(databaseUrl, (client) =>
      client.query(
        `
      insert into evals (id, user_id, prompt, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms)
      select 'eval_00' || lpad(n::text, 24, '0'), $1, $2, '{}', 0.7, 500, 0, 0, false, '', '', '2020-01-01', 1 from generate_series(1, ${OLD}) n`,
        [callers[1]?.userId, prompt],
      ),
    );
    newer = await start('2031-02-15T00:00:00.000Z');
    remaining = [];
    for (let i = 0; i < 2; i += 1)
      remaining.unshift(
        (await (callers[0] as Caller).at(newer.url).compare({ prompt: 'young', models: MODELS })).body.eval_id,
      );
    for (const caller of callers) before.push(await ledgerOf(caller));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([old, newer, later].map((service) => service?.stop()));
  });

  it('keeps everything when it is unset, and otherwise erases older evals, with several replicas at once, and nothing else', async () => {
    expect(await listed(callers[0] as Caller)).toHaveLength(7);
    const replicas = await Promise.all([start('2031-02-15T00:00:00.000Z', 30), start('2031-02-15T00:00:00.000Z', 30)]);
    later = replicas[0];
    try {
      await eventually('the expired are gone', async () => (await columnsWith(databaseUrl, prompt)).length === 0);
    } finally {
      await replicas[1].stop();
    }
    expect(await listed((callers[0] as Caller).at(later.url))).toEqual(remaining);
    expect(await listed((callers[1] as Caller).at(later.url))).toEqual([]);
    await onDatabase(databaseUrl, async (client) => {
      expect((await client.query('select from erased_evals')).rowCount).toBe(OLD + 10);
      expect((await client.query('select from results')).rowCount).toBe(remaining.length * MODELS.length);
      const { rows } = await client.query<{ actor: string; count: number }>(
        `select actor, (changes -> 'count' ->> 'to')::integer as count from audit_entries where action = 'evals.expired'`,
      );
      expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(OLD + 10);
      expect(rows.length).toBeGreaterThanOrEqual(3);
      expect(rows.every(({ actor, count }) => actor === 'retention' && count <= 500)).toBe(true);
    });
  });

  it('leaves every sum of the ledger unchanged', async () => {
    for (const [index, caller] of callers.entries()) expect(await ledgerOf(caller)).toEqual(before[index]);
    // The evals that were put there by hand have no charges.
    await onDatabase(databaseUrl, (client) =>
      client.query(`delete from erased_evals where eval_id like 'eval_00000%'`),
    );
    expect(await verifyLedger(databaseUrl)).toMatchObject({
      status: 0,
      output: expect.stringContaining('The ledger is consistent: 12 evals in 3 monthly totals.'),
    });
  });
});
