import {
  ModelComparison,
  Pages,
  type Agreement,
  type Check,
  type CompareRequest,
  type Drift,
  type Eval,
  type NewShare,
  type Projection,
  type QueuedRun,
  type Run,
  type Share,
  type Shared,
  type Statistics,
} from '../../../src/clients/client/client';
import { ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller, type UserOptions } from '../../support/factories';
import { startService } from '../../support/service';

const CHECKS: Check[] = [
  { type: 'contains', values: ['Paris'] },
  { type: 'length', max: 2, unit: 'words', name: 'brief' },
];
const BODY: CompareRequest = {
  prompt: '[[sim-swift:say=Paris]][[sim-quill:say=It is Lyon, I think]] Capital of France?',
  models: ['sim-swift', 'sim-quill'],
};
const CHECKED: CompareRequest = { ...BODY, checks: CHECKS, options: { samples: 2 } };

const clientOf = ({ url, key }: Caller) => new ModelComparison({ baseUrl: url, apiKey: key });
const newClient = async (options?: UserOptions) => clientOf(await createCaller(options));

/** At most `count` elements of a list. */
async function taken<T>(list: AsyncIterable<T>, count: number): Promise<T[]> {
  const all: T[] = [];
  for await (const item of list) if (all.push(item) >= count) break;
  return all;
}

describe('A user of the client who evaluates', () => {
  it('asks several times, has the answers checked, and gets what was included alone', async () => {
    const mcs = await newClient();
    const estimate = await mcs.estimate(CHECKED);
    expect([estimate.free, Number(estimate.cost_usd.most) > Number((await mcs.estimate(BODY)).cost_usd.most)]).toEqual([
      false,
      true,
    ]);
    const stored: Eval = await mcs.compare(CHECKED, { details: true, checks: true, statistics: true });
    expect(
      stored.results.map(({ model, checks }) => [
        model,
        checks?.map(({ name, outcome }) => `${name} ${outcome}`).join(),
      ]),
    ).toEqual(
      [0, 1].flatMap(() => [
        ['sim-swift', 'contains-1 pass,brief pass'],
        ['sim-quill', 'contains-1 fail,brief fail'],
      ]),
    );
    expect([stored.details?.free, stored.checks?.definitions.map(({ type }) => type)]).toEqual([
      false,
      ['contains', 'length'],
    ]);
    const statistics: Statistics | undefined = stored.statistics;
    // Amounts within an amount are exact text, too; figures are numbers.
    expect(
      statistics?.models.map(({ cost_usd: cost, checks, latency_ms: latency }) => [
        typeof cost?.mean,
        typeof cost?.max,
        checks?.passed,
        typeof latency?.p50,
        latency?.p50_ci,
      ]),
    ).toEqual([
      ['string', 'string', 2, 'number', null],
      ['string', 'string', 0, 'number', null],
    ]);
    expect(await mcs.evals.get(stored.eval_id, { details: true, checks: true, statistics: true })).toEqual(stored);
    const plain = await mcs.evals.get(stored.eval_id);
    expect([plain.details, plain.checks, plain.statistics, plain.results[0]?.checks]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(Object.keys(await mcs.evals.get(stored.eval_id, { checks: true }))).toEqual([
      'eval_id',
      'prompt',
      'models',
      'results',
      'meta',
      'checks',
    ]);
    expect(Object.keys(await mcs.evals.get(stored.eval_id, { statistics: true, details: false }))).toEqual([
      'eval_id',
      'prompt',
      'models',
      'results',
      'meta',
      'statistics',
    ]);
  });

  it('watches the samples, and leaves them without ending the run', async () => {
    const caller = await createCaller();
    const mcs = clientOf(caller);
    const run = mcs.stream(CHECKED, { checks: true, statistics: true });
    const samples: (number | undefined)[] = [];
    for await (const event of run) if (event.event === 'result') samples.push(event.data.sample);
    const stored = await run.eval();
    expect([samples, stored.statistics?.samples, stored.results[3]?.checks?.[0]?.outcome]).toEqual([
      [0, 0, 1, 1],
      2,
      'fail',
    ]);
    const stop = new AbortController();
    const left = mcs.stream({ ...CHECKED, prompt: '[[sim:pace=50]] [[sim:length=20]]' }, { signal: stop.signal });
    await expect(
      (async () => {
        for await (const event of left) if (event.event === 'delta') stop.abort(new Error('Seen enough.'));
      })(),
    ).rejects.toThrow('Seen enough.');
    await expect(left.eval()).rejects.toThrow('Seen enough.');
    await eventually(
      'it is stored',
      async () => (await caller.get(`/api/v1/evals/${left.evalId}`)).body.results?.length === 4,
    );
  });

  it('runs checks on a submitted text, which costs nothing', async () => {
    const mcs = await newClient();
    const { verdicts } = await mcs.check({ output: 'Paris, of course', checks: CHECKS });
    expect(verdicts.map(({ name, outcome, reason }) => [name, outcome, reason])).toEqual([
      ['contains-1', 'pass', undefined],
      ['brief', 'fail', 'It is 3 words long.'],
    ]);
    await expect(mcs.check({ output: 'x', checks: [{ type: 'regex', pattern: '(' }] })).rejects.toMatchObject({
      name: 'InvalidRequestError',
      code: 'invalid_request',
      param: 'checks[0].pattern',
      status: 400,
    });
    expect((await mcs.usage.get()).eval_count).toBe(0);
  });

  it('asks who agrees, what a month costs, runs it again and asks what changed', async () => {
    const mcs = await newClient();
    const { eval_id: id } = await mcs.compare(CHECKED);
    const agreement: Agreement = await mcs.evals.agreement(id);
    expect([agreement.models, agreement.groups, agreement.matrix[0]?.[1]?.agree, agreement.matrix[0]?.[0]]).toEqual([
      BODY.models,
      [['sim-swift'], ['sim-quill']],
      0,
      { agree: 1, similarity: 1 },
    ]);
    const projection: Projection = await mcs.evals.projection(id, { calls_per_month: 50_000 });
    expect([
      projection.calls_per_month,
      projection.models.map(({ months }) => typeof months[0]?.monthly_cost_usd),
    ]).toEqual([50_000, ['string', 'string']]);
    expect((await mcs.evals.projection(id)).calls_per_month).toBe(1000);
    const again = await mcs.evals.rerun(id, { idempotencyKey: 'again', checks: true });
    expect([again.eval_id === id, again.results.length, again.checks?.definitions.length]).toEqual([false, 4, 2]);
    expect(await mcs.evals.rerun(id, { idempotencyKey: 'again', checks: true })).toEqual(again);
    const drift: Drift = await mcs.evals.drift(again.eval_id);
    expect([
      drift.against,
      drift.models.map(({ output, cost_usd: cost }) => [output, typeof cost.before, cost.change]),
    ]).toEqual([
      id,
      [
        ['same', 'string', '0'],
        ['same', 'string', '0'],
      ],
    ]);
    expect((await mcs.evals.drift(id, { against: again.eval_id })).against).toBe(again.eval_id);
    await expect(mcs.evals.drift(id)).rejects.toMatchObject({ name: 'InvalidRequestError', param: 'against' });
  });

  it('leaves a compare to the service, waits for it, lists it, and cannot take back what has begun', async () => {
    const mcs = await newClient();
    const queued: QueuedRun = await mcs.runs.start(
      { ...CHECKED, options: { samples: 11 } },
      { idempotencyKey: 'background' },
    );
    expect(queued).toEqual({
      run_id: expect.stringMatching(/^run_/),
      eval_id: expect.stringMatching(/^eval_/),
      status: 'queued',
    });
    const done = await mcs.runs.eval(queued.run_id, { statistics: true });
    expect([done.eval_id, done.results.length, done.statistics?.samples]).toEqual([queued.eval_id, 22, 11]);
    // The key stands for the eval, now that there is one.
    expect(
      (await mcs.runs.start({ ...CHECKED, options: { samples: 11 } }, { idempotencyKey: 'background' })).eval_id,
    ).toBe(queued.eval_id);
    const waited = await mcs.runs.start(BODY, { wait: 30 });
    expect('results' in waited && waited.results.length).toBe(2);
    const slow = await mcs.runs.start({ prompt: '[[sim:slow=60000]]', models: ['sim-swift'] }, { wait: 1 });
    if ('results' in slow) throw new Error('It took no time.');
    await eventually('it runs', async () => (await mcs.runs.get(slow.run_id)).status === 'running');
    await expect(mcs.runs.cancel(slow.run_id)).rejects.toMatchObject({
      name: 'InvalidRequestError',
      code: 'conflict',
      status: 409,
    });
    const runs: Run[] = await taken(mcs.runs.list({ limit: 1 }), 3);
    expect(runs.map(({ status }) => status)).toEqual(['running', 'succeeded', 'succeeded']);
    expect(runs[2]?.run_id).toBe(queued.run_id);
    expect((await mcs.runs.list({ limit: 2 }).pages().next()).value?.runs).toHaveLength(2);
    const stop = new AbortController();
    const waiting = mcs.runs.eval(slow.run_id, { signal: stop.signal });
    stop.abort(new Error('No time.'));
    await expect(waiting).rejects.toThrow('No time.');
  });

  it('removes a run from the queue, and ends the wait for it', async () => {
    const databaseUrl = await ownDatabase('client_queue');
    const accepting = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      MAX_CONCURRENT_RUNS: '0',
    });
    const mcs = await newClient({ at: accepting.url });
    const { run_id: id } = await mcs.runs.start(BODY);
    const waiting = mcs.runs.eval(id).catch((error: unknown) => error);
    expect(await mcs.runs.cancel(id)).toBeUndefined();
    expect(await waiting).toMatchObject({
      name: 'ServiceError',
      code: 'run_canceled',
      message: `The run ${id} was canceled.`,
    });
    await expect(mcs.runs.cancel(id)).rejects.toMatchObject({ name: 'InvalidRequestError', code: 'conflict' });
  });

  it('receives the error of a run with the class of the synchronous error', async () => {
    const [mcs, poor] = [await newClient(), await newClient({ freeQuota: 0, monthlySpendLimitUsd: 1e-6 })];
    const failing = await mcs.runs.start({ ...BODY, prompt: '[[sim:fail=rejected]]' });
    await expect(mcs.runs.eval(failing.run_id)).rejects.toMatchObject({
      name: 'AllModelsFailedError',
      code: 'all_models_failed',
      details: {
        models: [
          { model: 'sim-swift', error: { code: 'rejected' } },
          { model: 'sim-quill', error: { code: 'rejected' } },
        ],
      },
    });
    await expect(poor.runs.eval((await poor.runs.start(BODY)).run_id)).rejects.toMatchObject({
      name: 'PaymentError',
      code: 'spend_limit_reached',
    });
    await expect(poor.compare(BODY)).rejects.toMatchObject({
      name: 'PaymentError',
      code: 'spend_limit_reached',
      status: 402,
    });
    await expect(mcs.compare({ ...BODY, options: { samples: 11 } })).rejects.toMatchObject({
      name: 'InvalidRequestError',
      param: 'options.samples',
    });
    for (const call of [
      () => mcs.runs.get('run_x'),
      () => mcs.runs.eval('run_x'),
      () => mcs.evals.agreement('eval_x'),
      () => mcs.evals.projection('eval_x'),
      () => mcs.evals.rerun('eval_x'),
      () => mcs.shares.revoke('shr_x'),
      () => mcs.shares.open('mcs_share_x'),
    ]) {
      await expect(call()).rejects.toMatchObject({
        name: 'InvalidRequestError',
        code: 'not_found',
        status: 404,
        requestId: expect.stringMatching(/^req_/),
      });
    }
  });

  it('shares an eval with a person without a key, and revokes the link', async () => {
    const caller = await createCaller();
    const [mcs, anybody] = [clientOf(caller), new ModelComparison({ baseUrl: caller.url, apiKey: null })];
    const { eval_id: id } = await mcs.compare(BODY);
    const share: NewShare = await mcs.shares.create({ subject: id, redact: ['prompt', 'models'], expires_in_days: 7 });
    const token = share.url.split('/').at(-1) ?? '';
    const shown: Shared = await anybody.shares.open(token);
    expect(JSON.stringify(shown)).toContain('Model A');
    expect(JSON.stringify(shown)).not.toMatch(/sim-swift|Capital/);
    await mcs.shares.create({ subject: id });
    const listed: Share[] = await taken(mcs.shares.list({ limit: 1, subject: id }), 5);
    expect(listed.map(({ redact, status }) => [redact, status])).toEqual([
      [[], 'live'],
      [['prompt', 'models'], 'live'],
    ]);
    expect(mcs.shares.list()).toBeInstanceOf(Pages);
    await mcs.shares.revoke(share.share_id);
    await expect(anybody.shares.open(token)).rejects.toMatchObject({ name: 'InvalidRequestError', code: 'not_found' });
    await expect(anybody.shares.list().pages().next()).rejects.toMatchObject({
      name: 'AuthenticationError',
      code: 'unauthorized',
    });
  });

  it('gets amounts as numbers everywhere, where it wants them so', async () => {
    const { url, key } = await createCaller();
    const mcs = new ModelComparison({ baseUrl: url, apiKey: key, money: 'number' });
    const { eval_id: id, statistics } = await mcs.compare(CHECKED, { statistics: true });
    const mean: number | undefined = statistics?.models[0]?.cost_usd?.mean;
    const month: number | undefined = (await mcs.evals.projection(id)).models[0]?.months[0]?.monthly_cost_usd;
    const before: number | null | undefined = (await mcs.evals.drift((await mcs.evals.rerun(id)).eval_id)).models[0]
      ?.cost_usd.before;
    expect([mean, month, before].map((amount) => typeof amount)).toEqual(['number', 'number', 'number']);
  });

  it('stops waiting for any of it by a signal', async () => {
    const mcs = await newClient();
    const signal = AbortSignal.abort(new Error('Enough.'));
    const calls: Promise<unknown>[] = [
      mcs.check({ output: '', checks: CHECKS }, { signal }),
      mcs.evals.agreement('e', { signal }),
      mcs.evals.projection('e', {}, { signal }),
      mcs.evals.rerun('e', { signal }),
      mcs.evals.drift('e', {}, { signal }),
      mcs.runs.start(BODY, { signal }),
      mcs.runs.get('r', { signal }),
      mcs.runs.eval('r', { signal }),
      mcs.runs.cancel('r', { signal }),
      mcs.runs.list({}, { signal }).pages().next(),
      mcs.shares.create({ subject: 'e' }, { signal }),
      mcs.shares.list({}, { signal }).pages().next(),
      mcs.shares.revoke('s', { signal }),
      mcs.shares.open('t', { signal }),
    ];
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({ status: 'rejected', reason: { message: 'Enough.' } });
  });
});
