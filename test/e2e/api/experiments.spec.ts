import type { Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { endedExperiment } from '../../support/ended-experiment';
import { createCaller, eventually, untilWaitedFor, type Caller } from '../../support/factories';
import { anotherKey } from '../../support/ledger';
import { worker } from '../../support/worker';

const CAPITALS = [
  ['France', 'Paris'],
  ['Italy', 'Rome'],
  ['Spain', 'Madrid'],
  ['Austria', 'Vienna'],
  ['Peru', 'Lima'],
].map(([input, expected]) => ({ input, expected }));
const CHECKS = [{ type: 'contains', values: ['{expected}'] }];

async function dataset(caller: Caller, rows: readonly object[] = CAPITALS): Promise<string> {
  const { body } = await caller.post('/api/v1/datasets?name=rows', rows.map((row) => JSON.stringify(row)).join('\n'), {
    headers: { 'content-type': 'application/x-ndjson' },
  });
  return body.dataset_id as string;
}

async function start(caller: Caller, members: object = {}, rows?: readonly object[]): Promise<Json> {
  const { body } = await caller.post('/api/v1/experiments', {
    dataset: await dataset(caller, rows),
    prompt: 'What is the capital of {input}? [[sim:say=Rome]]',
    models: ['sim-swift', 'sim-quill'],
    checks: CHECKS,
    max_cost_usd: 1,
    ...members,
  });
  return body;
}

describe('An experiment', () => {
  it('runs every row once, and its cost is the sum of its evals', async () => {
    const caller = await createCaller();
    const body = {
      name: 'Capitals',
      dataset: await dataset(caller),
      prompt: 'What is the capital of {input}? [[sim:say=Rome]]',
      models: ['sim-swift', 'sim-quill'],
      checks: CHECKS,
      max_cost_usd: 1,
    };
    const started = await caller.post('/api/v1/experiments', body);
    expect(started.status).toBe(202);
    const id = started.body.experiment_id as string;
    expect(started.headers.get('location')).toBe(`/api/v1/experiments/${id}`);
    const end = await endedExperiment(caller, id);
    expect(end).toMatchObject({
      experiment_id: id,
      name: 'Capitals',
      state: 'finished',
      reason: null,
      dataset_id: body.dataset,
      limit: null,
      prompt: body.prompt,
      models: body.models,
      options: null,
      parallel: 8,
      checks: [{ name: 'contains-1', type: 'contains', values: ['{expected}'] }],
      rows: { total: 5, done: 5, failed: 0, running: 0, waiting: 0 },
      max_cost_usd: 1,
      max_charge_usd: 1.4,
      finished_at: expect.any(String),
    });
    const { body: usage } = await caller.get('/api/v1/usage');
    // Never free, although it compares free models once.
    expect([usage.eval_count, usage.total_charge_usd]).toEqual([5, end.charge_usd]);
    expect(end.cost_usd).toBeGreaterThan(0);
    expect(end.charge_usd).toBeCloseTo(1.4 * end.cost_usd, 12);
  });

  it('fills the texts of a row into prompt and checks in one pass', async () => {
    const caller = await createCaller();
    const rows = [
      {
        id: 'r',
        input: 'in {expected} $& {{x}} {tone}',
        expected: '{input}',
        variables: { tone: '{input} {expected}' },
      },
    ];
    const { experiment_id: id } = await start(
      caller,
      {
        prompt: '{tone}: {input} {other}',
        models: ['sim-swift'],
        checks: [{ type: 'contains', values: ['{expected}|{tone}|{other}'] }],
      },
      rows,
    );
    expect(await endedExperiment(caller, id)).toMatchObject({ state: 'finished' });
    const [row] = (await caller.get(`/api/v1/experiments/${id}/rows`)).body.rows;
    const { body: stored } = await caller.get(`/api/v1/evals/${row.eval_id}?include=checks`);
    expect(stored.prompt).toBe('{input} {expected}: in {expected} $& {{x}} {tone} {other}');
    expect(stored.results[0].warnings).toBeUndefined();
    expect(JSON.stringify(stored.checks)).toContain('{input}|{input} {expected}|{other}');
  });

  it('is the same one for the same Idempotency-Key, also at the same instant', async () => {
    const caller = await createCaller();
    const body = { dataset: await dataset(caller), prompt: '{input}', models: ['sim-swift'], max_cost_usd: 1 };
    const post = (members: object) =>
      caller.post('/api/v1/experiments', { ...body, ...members }, { headers: { 'idempotency-key': 'one' } });
    const answers = await Promise.all([post({}), post({}), post({})]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body: { experiment_id: id } }) => id as string)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(2);
    expect((await post({ limit: 1 })).body.error.code).toBe('idempotency_key_reused');
  });

  it('is read with an ETag that changes with its progress', async () => {
    const caller = await createCaller();
    const { experiment_id: id } = await start(caller);
    await endedExperiment(caller, id);
    const first = await caller.get(`/api/v1/experiments/${id}`);
    const again = await caller.get(`/api/v1/experiments/${id}`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect([first.status, again.status, again.text]).toEqual([200, 304, '']);
    const { body: list } = await caller.get('/api/v1/experiments?limit=1');
    expect(list).toEqual({ experiments: [first.body], limit: 1 });
  });

  it.each([
    ['an unknown data set', { dataset: 'ds_01k9z3t5v7x9b1d3f5h7k9m1n3' }, 404, 'not_found'],
    ['an unknown model', { models: ['nobody'] }, 400, 'unknown_model'],
    ['an unusable check', { checks: [{ type: 'regex', pattern: '(' }] }, 400, 'invalid_request'],
    ['a name that a row lacks', { prompt: '{city}' }, 400, 'invalid_request'],
    ['no cap', { max_cost_usd: undefined }, 400, 'invalid_request'],
    ['too many samples', { options: { samples: 21 } }, 400, 'invalid_request'],
    ['an option of compares', { options: { store: false } }, 400, 'invalid_request'],
    ['41 checks', { checks: Array.from({ length: 41 }, () => CHECKS[0]) }, 400, 'invalid_request'],
  ])('is refused with %s', async (_, members, status, code) => {
    const caller = await createCaller();
    const answer = await caller.post('/api/v1/experiments', {
      dataset: await dataset(caller, [
        { id: 'one', input: 'a', variables: { city: 'Rome' } },
        { id: 'two', input: 'b' },
      ]),
      prompt: '{input}',
      models: ['sim-swift'],
      max_cost_usd: 1,
      ...members,
    });
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    expect((await caller.get('/api/v1/experiments')).body.experiments).toEqual([]);
  });

  it('of another user does not exist, and needs its scopes', async () => {
    const [owner, other] = [await createCaller(), await createCaller()];
    const { experiment_id: id } = await start(owner);
    const unknown = 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3';
    const tries = (which: string): [string, string, object?][] => [
      ['GET', `/api/v1/experiments/${which}`],
      ['PATCH', `/api/v1/experiments/${which}`, { state: 'paused' }],
      ['GET', `/api/v1/experiments/${which}/summary`],
      ['GET', `/api/v1/experiments/${which}/comparison?against=${id}`],
    ];
    const told = async (which: string) =>
      Promise.all(
        tries(which).map(async ([method, path, body]) => {
          const answer = await other.call(method, path, body);
          return [answer.status, { ...answer.body.error, request_id: '' }];
        }),
      );
    expect(await told(id)).toEqual(await told(unknown));
    expect((await told(id)).map(([status]) => status)).toEqual([404, 404, 404, 404]);
    const reader = await anotherKey(owner, { scopes: ['experiments:read'] });
    expect((await reader.get(`/api/v1/experiments/${id}`)).status).toBe(200);
    expect((await reader.patch(`/api/v1/experiments/${id}`, { state: 'paused' })).body.error.code).toBe(
      'insufficient_scope',
    );
    const comparer = await anotherKey(owner, { scopes: ['compare', 'evals:read'] });
    expect((await comparer.get(`/api/v1/experiments/${id}`)).body.error.code).toBe('insufficient_scope');
  });

  it('says what it would cost before it runs', async () => {
    const caller = await createCaller();
    const body = {
      dataset: await dataset(caller),
      prompt: '{input}',
      models: ['sim-swift', 'sim-quill'],
      options: { samples: 2, max_tokens: 10 },
      checks: CHECKS,
    };
    const { body: estimate } = await caller.post('/api/v1/experiments/estimate', body);
    expect(estimate).toMatchObject({ rows: 5, calls: 20, fits_cap: null, detectable_difference: expect.any(Number) });
    expect(estimate.likely_cost_usd).toBeLessThan(estimate.most_cost_usd);
    expect(estimate.most_charge_usd).toBeCloseTo(1.4 * estimate.most_cost_usd, 12);
    const fits = async (max_cost_usd: number) =>
      (await caller.post('/api/v1/experiments/estimate', { ...body, max_cost_usd })).body.fits_cap;
    expect([await fits(estimate.most_cost_usd), await fits(estimate.most_cost_usd - 1e-12)]).toEqual([true, false]);
    expect((await caller.get('/api/v1/usage')).body.eval_count).toBe(0);
  });

  it.each([
    [1, 0.00011975, 0.00145075],
    [2, 0.0002395, 0.0029015],
    [3, 0.00035925, 0.00435225],
  ])('with %d samples costs likely %d and at most %d', async (samples, likely, most) => {
    const caller = await createCaller();
    // One token counted, and 257 at most; 5 and 10 tokens of output; $0.15 and $0.80, $0.60 and $4 a million.
    const body = {
      dataset: await dataset(
        caller,
        ['a', 'b', 'c', 'd', 'e'].map((input) => ({ input })),
      ),
      prompt: '{input}',
      models: ['sim-swift', 'sim-quill'],
      options: { samples, max_tokens: 10 },
    };
    expect((await caller.post('/api/v1/experiments/estimate', body)).body).toMatchObject({
      calls: 10 * samples,
      likely_cost_usd: likely,
      most_cost_usd: most,
    });
  });

  it('deals under its cap what all samples of a row can cost', async () => {
    const caller = await createCaller();
    const rows = ['a', 'b', 'c', 'd', 'e'].map((input) => ({ input }));
    // Three samples of a row cost at most $0.00087045. A cap for two rows at the highest price leaves room for others
    // when they cost less, but never for a third beside two.
    const { experiment_id: id } = await start(
      caller,
      {
        prompt: '{input} [[sim:slow=60]]',
        checks: undefined,
        options: { samples: 3, max_tokens: 10 },
        max_cost_usd: 0.00187,
        parallel: 8,
      },
      rows,
    );
    let most = 0;
    await onDatabase(worker().databaseUrl, (client) =>
      eventually('it pauses', async () => {
        const {
          rows: [row],
        } = await client.query<{ dealt: number }>(
          "select count(*)::integer as dealt from experiment_rows where experiment_id = $1 and state = 'dealt'",
          [id],
        );
        most = Math.max(most, row?.dealt ?? 0);
        return (await caller.get(`/api/v1/experiments/${id}`)).body.state !== 'running';
      }),
    );
    expect(most).toBe(2);
    expect((await endedExperiment(caller, id)).cost_usd).toBeLessThanOrEqual(0.00187);
  });

  it('pauses at its cap, never exceeds it, and goes on under a higher one', async () => {
    const caller = await createCaller();
    const { most_cost_usd: most } = (
      await caller.post('/api/v1/experiments/estimate', {
        dataset: await dataset(caller),
        prompt: '{input} [[sim:length=400]]',
        models: ['sim-swift'],
        options: { max_tokens: 50 },
      })
    ).body;
    const cap = Number((most * 0.25).toFixed(9));
    const { experiment_id: id } = await start(caller, {
      prompt: '{input} [[sim:length=400]]',
      models: ['sim-swift'],
      options: { max_tokens: 50 },
      max_cost_usd: cap,
    });
    const paused = await endedExperiment(caller, id);
    expect(paused).toMatchObject({
      state: 'paused',
      reason: 'cap_reached',
      rows: { failed: 0, running: 0, waiting: 0 },
    });
    expect(paused.cost_usd).toBeLessThanOrEqual(cap);
    // The rest is less than the worst case of one row.
    expect(cap - paused.cost_usd).toBeLessThan(most / 4);
    expect((await caller.patch(`/api/v1/experiments/${id}`, { state: 'running' })).body.error.code).toBe('conflict');
    expect(
      (await caller.patch(`/api/v1/experiments/${id}`, { max_cost_usd: paused.cost_usd / 2 })).body.error.code,
    ).toBe('conflict');
    expect((await caller.patch(`/api/v1/experiments/${id}`, { max_cost_usd: 1 })).body).toMatchObject({
      state: 'running',
      max_cost_usd: 1,
    });
    expect(await endedExperiment(caller, id)).toMatchObject({ state: 'finished', rows: { done: 5 } });
  });

  it('goes on under a cap that was raised while it was found too low', async () => {
    const caller = await createCaller();
    const { experiment_id: id } = await start(caller, { max_cost_usd: 0 });
    expect(await endedExperiment(caller, id)).toMatchObject({ state: 'paused', reason: 'cap_reached' });
    await onDatabase(worker().databaseUrl, async (client) => {
      // The dealer reads the low cap, and waits for the lock before it pauses.
      await client.query(
        `update experiments set state = 'running' where id = '${id}'; commit; begin; select from experiments where id = '${id}' for update`,
      );
      // Wakes the dealer.
      await start(caller);
      await untilWaitedFor(client);
      await client.query('update experiments set max_cost = 1, reason = null, reason_detail = null where id = $1', [
        id,
      ]);
      await client.query('commit');
    });
    expect(await endedExperiment(caller, id)).toMatchObject({ state: 'finished', rows: { done: 5 } });
  });

  it('is paused, goes on, and is canceled for good', async () => {
    const caller = await createCaller();
    const { experiment_id: id } = await start(caller, {
      prompt: '{input} [[sim:pace=10]] [[sim:length=20]]',
      parallel: 1,
    });
    const patch = (body: object) => caller.patch(`/api/v1/experiments/${id}`, body);
    expect((await patch({ state: 'paused' })).body).toMatchObject({ state: 'paused', reason: 'by_user' });
    expect((await patch({ state: 'paused' })).status).toBe(200);
    const { dataset_id: datasetId } = (await caller.get(`/api/v1/experiments/${id}`)).body;
    expect((await caller.delete(`/api/v1/datasets/${datasetId}`)).body.error.code).toBe('conflict');
    expect((await patch({ state: 'running' })).body).toMatchObject({ state: 'running', reason: null });
    // eslint-disable-next-line local/plain-words -- the word of the interface
    expect((await patch({ state: 'cancelled' })).body).toMatchObject({ state: 'cancelled', rows: { waiting: 0 } });
    expect((await patch({ state: 'running' })).body.error.code).toBe('conflict');
    expect((await patch({ max_cost_usd: 5 })).body.error.code).toBe('conflict');
    expect((await patch({ retry: 'failed' })).body.error.code).toBe('conflict');
    expect((await caller.delete(`/api/v1/datasets/${datasetId}`)).status).toBe(204);
    await caller.delete(`/api/v1/experiments/${id}`);
    for (const change of [{ state: 'running' }, { max_cost_usd: 5 }, { retry: 'failed' }])
      expect((await patch(change)).body.error.code).toBe('conflict');
  });

  it('asks again only where no answer came', async () => {
    const caller = await createCaller();
    const rows = [
      { input: 'good' },
      { input: '[[sim-quill:fail]]' },
      { input: '[[sim-quill:fail]] [[sim-swift:fail]]' },
    ];
    const { experiment_id: id } = await start(caller, { prompt: '{input}', checks: undefined }, rows);
    const end = await endedExperiment(caller, id);
    expect(end).toMatchObject({ state: 'finished', rows: { done: 2, failed: 1 } });
    const usage = async () => (await caller.get('/api/v1/usage')).body;
    const { eval_count: before } = await usage();
    const again = await Promise.all([1, 2].map(() => caller.patch(`/api/v1/experiments/${id}`, { retry: 'missing' })));
    expect(again.map(({ status }) => status)).toEqual([200, 200]);
    // They fail again: one further attempt for sim-quill alone, and the failed row.
    expect(await endedExperiment(caller, id)).toMatchObject({
      state: 'finished',
      rows: { total: 3, done: 2, failed: 1, running: 0, waiting: 0 },
    });
    expect([before, (await usage()).eval_count, (await usage()).total_charge_usd]).toEqual([2, 2, end.charge_usd]);
    // A row with two attempts counts once, also in a further retry.
    await caller.patch(`/api/v1/experiments/${id}`, { retry: 'missing' });
    expect(await endedExperiment(caller, id)).toMatchObject({
      state: 'finished',
      rows: { total: 3, done: 2, failed: 1, running: 0, waiting: 0 },
    });
  });

  it('that is canceled before a retry still has its failures', async () => {
    const caller = await createCaller();
    const rows = [
      { input: 'good' },
      { input: '[[sim-quill:refusal]]' },
      { input: '[[sim:refusal]]' },
      { input: '[[sim:refusal]] too' },
    ];
    const { experiment_id: id } = await start(caller, { prompt: '{input}', checks: undefined }, rows);
    const end = await endedExperiment(caller, id);
    const [missing, summary] = [`/api/v1/experiments/${id}/rows?state=missing`, `/api/v1/experiments/${id}/summary`];
    const before = [(await caller.get(missing)).body, (await caller.get(summary)).body];
    expect((await caller.patch(`/api/v1/experiments/${id}`, { retry: 'missing', state: 'paused' })).body.rows).toEqual({
      total: 4,
      done: 2,
      failed: 0,
      running: 0,
      waiting: 3,
    });
    // eslint-disable-next-line local/plain-words -- the word of the interface
    expect((await caller.patch(`/api/v1/experiments/${id}`, { state: 'cancelled' })).body.rows).toEqual(end.rows);
    expect([(await caller.get(missing)).body, (await caller.get(summary)).body]).toEqual(before);
  });

  it('has no final summary while a retry runs, and another one after it', async () => {
    const caller = await createCaller();
    const { experiment_id: id } = await start(caller, { prompt: '{input}', checks: undefined }, [
      { input: 'good' },
      { input: '[[sim:slow=300]] [[sim:fail=rejected]]' },
    ]);
    await endedExperiment(caller, id);
    const summary = async () => (await caller.get(`/api/v1/experiments/${id}/summary`)).body;
    const before = await summary();
    expect([before.final, before.models.map(({ latency_ms: latency, failed }: Json) => [latency.p50, failed])]).toEqual(
      [
        true,
        [
          [expect.any(Number), 1],
          [expect.any(Number), 1],
        ],
      ],
    );
    expect((await caller.patch(`/api/v1/experiments/${id}`, { retry: 'failed' })).body).toMatchObject({
      state: 'running',
      rows: { failed: 0, waiting: 1 },
    });
    expect((await summary()).final).toBe(false);
    await endedExperiment(caller, id);
    expect(await summary()).toMatchObject({ final: true, rows: 2, models: [{ failed: 1 }, { failed: 1 }] });
  });

  it('keeps no summary whose experiment went on while it was computed', async () => {
    const caller = await createCaller();
    const { experiment_id: id } = await start(caller);
    await endedExperiment(caller, id);
    await caller.get(`/api/v1/experiments/${id}/summary`);
    await onDatabase(worker().databaseUrl, async (client) => {
      const kept = async () =>
        (
          await client.query<{ kept: boolean }>('select summary is not null as kept from experiments where id = $1', [
            id,
          ])
        ).rows[0]?.kept === true;
      await eventually('the summary is kept', kept);
      await client.query('update experiments set summary = null where id = $1', [id]);
      await client.query('begin');
      await client.query('select from experiments where id = $1 for update', [id]);
      const summary = caller.get(`/api/v1/experiments/${id}/summary`);
      await untilWaitedFor(client);
      // A retry has begun and ended meanwhile.
      await client.query(`update experiments set finished_at = finished_at + interval '1 second' where id = $1`, [id]);
      await client.query('commit');
      expect([(await summary).status, await kept()]).toEqual([200, false]);
      await caller.get(`/api/v1/experiments/${id}/summary`);
      expect(await kept()).toBe(true);
    });
  });

  it('is summarized, and compared with an earlier one', async () => {
    const caller = await createCaller();
    const rows = Array.from({ length: 40 }, (_, index) => ({
      id: `r${index}`,
      input: `number ${index}`,
      expected: index % 2 === 0 ? 'Rome' : 'Paris',
    }));
    const first = await start(caller, {}, rows);
    await endedExperiment(caller, first.experiment_id);
    const { body: summary } = await caller.get(`/api/v1/experiments/${first.experiment_id}/summary`);
    expect(summary).toMatchObject({
      final: true,
      rows: 40,
      groups: 0,
      coverage: 1,
      models: [
        { model: 'sim-swift', rows: 40, answered: 40, failed: 0, passed: { rate: 0.5 } },
        { model: 'sim-quill' },
      ],
      ranking: { metric: 'passed' },
    });
    const second = await start(caller, { prompt: 'Name {expected}. {input} [[sim:say=Paris and Rome]]' }, rows);
    await endedExperiment(caller, second.experiment_id);
    const { body: comparison } = await caller.get(
      `/api/v1/experiments/${second.experiment_id}/comparison?against=${first.experiment_id}`,
    );
    expect(comparison).toMatchObject({
      final: true,
      rows: 40,
      unmatched: { count: 0 },
      verdict: 'better',
      request_changed: ['prompt'],
      models: [{ model: 'sim-swift', flips: { gained_count: 20, lost_count: 0 } }, { model: 'sim-quill' }],
    });
    const other = await start(caller, {}, CAPITALS);
    expect(
      (await caller.get(`/api/v1/experiments/${other.experiment_id}/comparison?against=${first.experiment_id}`)).body
        .error.code,
    ).toBe('not_comparable');
  });
});
