import { createHash, randomUUID } from 'node:crypto';
import type { Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import {
  anotherKey,
  chargedOf,
  decimalOf,
  exact,
  reservationsOf,
  sumOf,
  timesOf,
  units,
  verifyLedger,
} from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorLog, vendorScript, type ModelScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const SIMULATED = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'];
const VENDORS = ['gpt-5.4-mini', 'claude-haiku-4-5'];
const WITH_DETAILS = '/api/v1/compare?include=details';

const callsOf = (run: string) => vendorLog(worker().vendorUrl, run);

/** An order that the vendor server plays, and can tell of by its run. */
function anOrder(samples: number, script: ModelScript = {}, models = VENDORS) {
  const run = randomUUID();
  return { run, body: { prompt: vendorScript(run, { '*': script }), models, options: { samples } } };
}

/** The data of all events of a name in a stream. */
function eventsOf(text: string, name: string): Json[] {
  return [...text.matchAll(new RegExp(`^event: ${name}\\ndata: (.*)$`, 'gm'))].map(([, data]) =>
    JSON.parse(data ?? ''),
  );
}

describe('A compare with samples', () => {
  let databaseUrl: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    databaseUrl = await ownDatabase('samples');
    service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      FREE_MODELS: 'sim-swift,sim-quill',
      ...vendorVariables(worker().vendorUrl),
    });
  });
  afterAll(async () => {
    await service.stop();
    expect(await verifyLedger(databaseUrl)).toEqual({
      status: 0,
      output: expect.stringContaining('The ledger is consistent'),
    });
  });

  const aCaller = (options: Parameters<typeof createCaller>[0] = {}) =>
    createCaller({ at: service.url, freeQuota: 0, ...options });

  /** That nothing of a refused compare is left: no eval, no charge, no reservation, no call. */
  async function expectNothing(caller: Caller, run?: string): Promise<void> {
    expect(await caller.usage()).toMatchObject({ eval_count: 0, total_charge_usd: 0 });
    expect((await caller.get('/api/v1/evals')).body.evals).toEqual([]);
    expect(await reservationsOf(databaseUrl, caller.userId)).toBe(0);
    if (run !== undefined) expect((await callsOf(run)).calls).toEqual([]);
  }

  it('has one result for each model and sample, sample by sample, and is one eval and one charge: the sum of all calls', async () => {
    const caller = await aCaller();
    const { status, text, headers } = await caller.post(WITH_DETAILS, {
      prompt: '[[sim:vary=20]]',
      models: SIMULATED,
      options: { samples: 10 },
    });
    expect([status, headers.get('location')]).toEqual([200, `/api/v1/evals/${JSON.parse(text).eval_id}`]);
    const answer = exact(text);
    expect(answer.models).toEqual(SIMULATED);
    expect(answer.results.map(({ model }: Json) => model)).toEqual(
      Array.from({ length: 40 }, (_, position) => SIMULATED[position % 4]),
    );
    expect(answer.details.options).toEqual({ temperature: '0.7', max_tokens: '500', samples: '10' });
    expect(answer.details.free).toBe(false);
    const total = sumOf(answer.results.map(({ cost_usd: cost }: Json) => cost));
    expect([answer.meta.total_cost_usd, answer.details.charge_usd]).toEqual([total, timesOf(total, 14n, 10n)]);
    expect(sumOf(answer.results.map(({ details }: Json) => details.charge_usd))).toBe(answer.details.charge_usd);
    expect(await chargedOf(caller)).toBe(answer.details.charge_usd);
    expect((await caller.usage()).eval_count).toBe(1);
    expect((await caller.get(`/api/v1/evals/${answer.eval_id}?include=details`)).text).toBe(text);
  });

  it('shows no member in the eval that a plain one has not, without include', async () => {
    const caller = await aCaller();
    const { text, body } = await caller.compare({
      prompt: '[[sim:vary]]',
      models: ['sim-swift'],
      options: { samples: 3 },
    });
    const plain = (await caller.compare({ prompt: 'Hello', models: ['sim-swift'] })).body;
    expect(Object.keys(body)).toEqual(Object.keys(plain));
    expect(Object.keys(body.meta)).toEqual(Object.keys(plain.meta));
    for (const result of body.results) expect(Object.keys(result)).toEqual(Object.keys(plain.results[0]));
    expect((await caller.get(`/api/v1/evals/${body.eval_id}`)).text).toBe(text);
  });

  it('calls the models of a round at once, and begins no round before the last one has ended', async () => {
    const caller = await aCaller();
    const { run, body } = anOrder(4, { delayMs: 60 });
    expect((await caller.compare(body)).status).toBe(200);
    const { calls, mostAtOnce } = await callsOf(run);
    expect([calls.length, mostAtOnce]).toEqual([8, 2]);
    for (let round = 0; round < 4; round += 1) {
      expect(
        calls
          .slice(2 * round, 2 * round + 2)
          .map(({ vendor }) => vendor)
          .sort(),
      ).toEqual(['anthropic', 'openai']);
      if (round > 0)
        expect((calls[2 * round]?.receivedAt ?? 0) - (calls[2 * round - 1]?.receivedAt ?? 0)).toBeGreaterThan(50);
    }
  });

  it('is in the statement, the breakdown and the usage as one eval, with each model once', async () => {
    const caller = await aCaller();
    const { body } = await caller.compare({ prompt: '[[sim:vary=20]]', models: SIMULATED, options: { samples: 5 } });
    const charge = await chargedOf(caller);
    const { lines, total } = exact((await caller.get('/api/v1/usage/statement')).text);
    expect(lines).toEqual([expect.objectContaining({ eval_id: body.eval_id, models: SIMULATED, charge_usd: charge })]);
    expect(total).toMatchObject({ eval_count: '1', free_eval_count: '0', charge_usd: charge });
    const { items } = exact((await caller.get('/api/v1/usage/breakdown?by=model')).text);
    expect(items.map(({ item, eval_count: evals }: Json) => [item, evals])).toEqual(
      [...SIMULATED].sort().map((model) => [model, '1']),
    );
    expect(sumOf(items.map((part: Json) => part.charge_usd))).toBe(charge);
  });

  it('keeps a consistent ledger once it is erased', async () => {
    const caller = await aCaller();
    const { body } = await caller.compare({ prompt: '[[sim:vary=20]]', models: SIMULATED, options: { samples: 3 } });
    expect((await caller.delete(`/api/v1/evals/${body.eval_id}`)).status).toBe(204);
  });

  describe('with a number of them that is not possible', () => {
    const RANGE = 'options.samples must be a whole number from 1 to 50.';
    it.each<[unknown, number, string]>([
      [0, 1, RANGE],
      [-1, 1, RANGE],
      [1.5, 1, RANGE],
      [51, 1, RANGE],
      [1e300, 1, RANGE],
      [null, 1, RANGE],
      [[2], 1, RANGE],
      [true, 1, RANGE],
      ['3', 1, `${RANGE.slice(0, -1)}, not a string.`],
      [11, 1, 'options.samples must be a whole number from 1 to 10; up to 50 are possible with Prefer: respond-async.'],
      [
        10,
        5,
        '5 models with 10 samples each are 50 model calls; options.samples may lead to 40 at most, or 200 with Prefer: respond-async.',
      ],
      [
        6,
        7,
        '7 models with 6 samples each are 42 model calls; options.samples may lead to 40 at most, or 200 with Prefer: respond-async.',
      ],
    ])(
      '(%j of %d models) is refused in words, and nothing is called, stored or charged',
      async (samples, models, message) => {
        const caller = await aCaller();
        const { run, body } = anOrder(1, {}, [...SIMULATED, ...VENDORS, 'grok-4.3'].slice(0, models));
        for (const path of ['/api/v1/compare', '/api/v1/compare/estimate']) {
          const {
            status,
            body: { error },
          } = await caller.post(path, { ...body, options: { samples } });
          expect([status, error.code, error.param, error.message]).toEqual([
            400,
            'invalid_request',
            'options.samples',
            message,
          ]);
        }
        await expectNothing(caller, run);
      },
    );

    it.each([
      [10, 4],
      [8, 5],
    ])('(%d of %d models) is another matter: as many as are possible', async (samples, models) => {
      const caller = await aCaller();
      const { body } = anOrder(samples, {}, [...SIMULATED, ...VENDORS].slice(0, models));
      const answer = await caller.compare(body);
      expect([answer.status, answer.body.results.length]).toEqual([200, 40]);
    });
  });

  it('may have 50 samples and 200 calls in the background, which the estimate allows, and no more', async () => {
    const caller = await aCaller();
    const order = (samples: number) => ({
      prompt: '[[sim:vary=20]]',
      models: SIMULATED,
      options: { samples, max_tokens: 60 },
    });
    const prefer = { headers: { prefer: 'respond-async, wait=30', 'idempotency-key': 'once' } };
    const estimate = await caller.post('/api/v1/compare/estimate', order(50), prefer);
    expect(estimate.status).toBe(200);
    for (const path of ['/api/v1/compare', '/api/v1/compare/estimate']) {
      const {
        status,
        body: { error },
      } = await caller.post(path, { ...order(50), models: [...SIMULATED, ...VENDORS] }, prefer);
      expect([status, error.param, error.message]).toEqual([
        400,
        'options.samples',
        '6 models with 50 samples each are 300 model calls; options.samples may lead to 200 at most.',
      ]);
    }
    await expectNothing(caller);
    let answer: Json;
    await eventually('it has ended', async () => (answer = await caller.compare(order(50), prefer)).status !== 202);
    expect([
      answer.status,
      answer.body.results.length,
      answer.body.results.filter((result: object) => 'error' in result),
    ]).toEqual([200, 200, []]);
    expect(answer.body.results.map(({ model }: Json) => model)).toEqual(
      Array.from({ length: 200 }, (_, position) => SIMULATED[position % 4]),
    );
    expect(await chargedOf(caller)).toBe(
      timesOf(sumOf(exact(answer.text).results.map(({ cost_usd: cost }: Json) => cost)), 14n, 10n),
    );
    expect(units(await chargedOf(caller))).toBeLessThanOrEqual(units(exact(estimate.text).charge_usd.most));
    expect([
      (await caller.get(`/api/v1/evals/${answer.body.eval_id}`)).text,
      (await caller.usage()).eval_count,
    ]).toEqual([answer.text, 1]);
  }, 200_000);

  describe('and its price', () => {
    it('is never free, not even of free models with free evals left, and takes none of these', async () => {
      const caller = await aCaller({ freeQuota: 5 });
      const models = ['sim-swift', 'sim-quill'];
      const estimate = await caller.post('/api/v1/compare/estimate', {
        prompt: 'Hello',
        models,
        options: { samples: 2 },
      });
      expect(estimate.body).toMatchObject({ free: false, free_evals_remaining: 5 });
      expect(estimate.body.charge_usd.most).toBeGreaterThan(0);
      expect(
        (await caller.post(WITH_DETAILS, { prompt: 'Hello', models, options: { samples: 2 } })).body.details,
      ).toMatchObject({ free: false, charge_usd: expect.any(Number) });
      expect(await caller.usage()).toMatchObject({ eval_count: 1, free_evals_remaining: 5 });
      expect(units(await chargedOf(caller))).toBeGreaterThan(0n);
      expect(
        (await caller.post(WITH_DETAILS, { prompt: 'Hello', models, options: { samples: 1 } })).body.details,
      ).toMatchObject({ free: true, charge_usd: 0, options: { temperature: 0.7, max_tokens: 500 } });
      expect(await caller.usage()).toMatchObject({ eval_count: 2, free_evals_remaining: 4 });
    });

    it('is estimated for all samples', async () => {
      const caller = await aCaller();
      const order = { prompt: 'Hello', models: SIMULATED, options: { max_tokens: 50 } };
      const one = exact((await caller.post('/api/v1/compare/estimate', order)).text);
      const ten = exact(
        (await caller.post('/api/v1/compare/estimate', { ...order, options: { max_tokens: 50, samples: 10 } })).text,
      );
      const tenfold = ({ least, most }: Json) => ({ least: timesOf(least, 10n, 1n), most: timesOf(most, 10n, 1n) });
      expect([ten.cost_usd, ten.charge_usd]).toEqual([tenfold(one.cost_usd), tenfold(one.charge_usd)]);
      expect(ten.models).toEqual(
        one.models.map((model: Json) => ({
          ...model,
          cost_usd: tenfold(model.cost_usd),
          charge_usd: tenfold(model.charge_usd),
        })),
      );
      expect(sumOf(ten.models.map((model: Json) => model.charge_usd.most))).toBe(ten.charge_usd.most);
    });

    it('keeps below what was estimated, and exactly at options.max_cost_usd, to the picodollar', async () => {
      const caller = await aCaller();
      const order = { prompt: '[[sim:length=500]]', models: SIMULATED };
      const {
        cost_usd: { most },
      } = exact((await caller.post('/api/v1/compare/estimate', { ...order, options: { samples: 7 } })).text);
      const below = decimalOf(units(most) - units('0.000000000001'));
      const send = (limit: string) =>
        caller.compare(
          `{"prompt": "${order.prompt}", "models": ${JSON.stringify(SIMULATED)}, "options": {"samples": 7, "max_cost_usd": ${limit}}}`,
        );
      const refused = await send(below);
      expect(refused).toMatchObject({
        status: 402,
        body: { error: { code: 'max_cost_exceeded', param: 'options.max_cost_usd' } },
      });
      expect(exact(refused.text).error.details).toEqual({
        most_cost_usd: most,
        max_cost_usd: below,
        docs: '/docs/guide/errors#max_cost_exceeded',
      });
      await expectNothing(caller);
      const taken = await send(most);
      expect(taken.status).toBe(200);
      expect(units(exact(taken.text).meta.total_cost_usd)).toBeLessThanOrEqual(units(most));
    });

    it('is the most that was possible where a vendor counts more in every sample', async () => {
      const caller = await aCaller();
      const { body } = anOrder(3, { inputTokens: 3_000_000, outputTokens: 90_000 }, ['gpt-5.4-mini']);
      const {
        cost_usd: { most },
      } = exact((await caller.post('/api/v1/compare/estimate', body)).text);
      expect(exact((await caller.compare(body)).text).meta.total_cost_usd).toBe(most);
    });

    it('is only that of the calls that answered', async () => {
      const caller = await aCaller();
      const { body } = anOrder(6, { fault: 'bad-request', failFirst: 4 });
      const { status, text } = await caller.post(WITH_DETAILS, body);
      expect(status).toBe(200);
      const { results, details } = exact(text);
      expect(results.map(({ error }: Json) => error?.code)).toEqual([
        ...Array<string>(8).fill('invalid_request'),
        ...Array<undefined>(4).fill(undefined),
      ]);
      expect(
        results.slice(0, 8).map(({ cost_usd: cost, details: { charge_usd: charge } }: Json) => [cost, charge]),
      ).toEqual(Array(8).fill(['0', '0']));
      expect(details.charge_usd).toBe(
        timesOf(sumOf(results.slice(8).map(({ cost_usd: cost }: Json) => cost)), 14n, 10n),
      );
    });
  });

  describe('whose calls fail', () => {
    it('is an error only when every one of them did, and then nothing is stored or charged', async () => {
      const caller = await aCaller({ monthlySpendLimitUsd: 100 });
      const { run, body } = anOrder(3, { fault: 'bad-request' });
      const {
        status,
        body: { error },
      } = await caller.compare(body);
      expect([status, error.code]).toEqual([502, 'all_models_failed']);
      expect(error.details.models).toEqual(
        VENDORS.map((model) => ({ model, error: expect.objectContaining({ code: 'invalid_request' }) })),
      );
      expect((await callsOf(run)).calls).toHaveLength(6);
      await expectNothing(caller);
    });

    it('names as failed in the list only the models that never answered', async () => {
      const caller = await aCaller();
      const run = randomUUID();
      const script = vendorScript(run, {
        'gpt-5.4-mini': { fault: 'bad-request', failFirst: 2 },
        '*': { fault: 'bad-request' },
      });
      expect((await caller.compare({ prompt: script, models: VENDORS, options: { samples: 3 } })).status).toBe(200);
      for (const query of ['', '&model=gpt-5.4-mini']) {
        expect((await caller.get(`/api/v1/evals?include=details${query}`)).body.evals[0]).toMatchObject({
          models: VENDORS,
          details: { failed_models: ['claude-haiku-4-5'] },
        });
      }
    });
  });

  describe('under a spend limit', () => {
    it('needs room for all samples, and never exceeds the limit however many run at once', async () => {
      const order = {
        prompt: '[[sim:length=20]][[sim:slow=40]]',
        models: ['sim-sage'],
        options: { max_tokens: 20, samples: 4 },
      };
      const {
        charge_usd: { most },
      } = exact((await (await aCaller()).post('/api/v1/compare/estimate', order)).text);
      const limit = timesOf(most, 5n, 2n);
      const caller = await aCaller({ monthlySpendLimitUsd: Number(limit) });
      const answers = await Promise.all(Array.from({ length: 12 }, () => caller.compare(order)));
      const good = answers.filter(({ status }) => status === 200);
      // Two worst cases fit at once, and at least these run.
      expect(good.length).toBeGreaterThanOrEqual(2);
      for (const refused of answers.filter(({ status }) => status !== 200)) {
        expect(exact(refused.text).error).toMatchObject({ code: 'spend_limit_reached', details: { needed_usd: most } });
      }
      expect(await chargedOf(caller)).toBe(
        sumOf(good.map(({ text }) => timesOf(exact(text).meta.total_cost_usd, 14n, 10n))),
      );
      expect(units(await chargedOf(caller))).toBeLessThanOrEqual(units(limit));
      const key = await anotherKey(await aCaller(), {
        monthly_spend_limit_usd: Number((0.9 * Number(most)).toFixed(6)),
      });
      expect((await key.compare(order)).body.error.code).toBe('key_spend_limit_reached');
    });
  });

  describe('as an event stream', () => {
    it('names the sample of each event, in order, and ends with the eval', async () => {
      const caller = await aCaller();
      const { text } = await caller.compare(
        { prompt: '[[sim:vary=20]]', models: ['sim-swift', 'sim-quill'], options: { samples: 3 } },
        { headers: { accept: 'text/event-stream' } },
      );
      const [started, results, deltas, [stored]] = [
        eventsOf(text, 'eval-started'),
        eventsOf(text, 'result'),
        eventsOf(text, 'delta'),
        eventsOf(text, 'eval'),
      ];
      expect(started).toEqual([{ eval_id: stored.eval_id, models: ['sim-swift', 'sim-quill'], samples: 3 }]);
      expect(results.map(({ sample }) => sample)).toEqual([0, 0, 1, 1, 2, 2]);
      for (const [position, { model, output, ...rest }] of (stored.results as Json[]).entries()) {
        const sample = Math.floor(position / 2);
        expect(results).toContainEqual({ model, output, ...rest, sample });
        expect(
          deltas
            .filter((delta) => delta.model === model && delta.sample === sample)
            .map((delta) => delta.text)
            .join(''),
        ).toBe(output);
      }
      expect((await caller.get(`/api/v1/evals/${stored.eval_id}`)).body).toEqual(stored);
    });

    it('says nothing of samples where there is one', async () => {
      const caller = await aCaller();
      for (const options of [{}, { samples: 1 }]) {
        const { text } = await caller.compare(
          { prompt: 'Hello', models: ['sim-swift'], options },
          { headers: { accept: 'text/event-stream' } },
        );
        expect(text).toContain('event: eval\n');
        expect(text).not.toContain('sample');
      }
    });
  });

  describe('with an Idempotency-Key', () => {
    it('is replayed for the same number of samples and refused for another, where 1 is the same as none', async () => {
      const caller = await aCaller();
      const { run, body } = anOrder(3);
      const send = (options: object, key = 'sampled') =>
        caller.compare({ ...body, options }, { headers: { 'idempotency-key': key } });
      const first = await send({ samples: 3 });
      const again = await send({ samples: 3 });
      expect([again.status, again.headers.get('idempotency-replayed'), again.text]).toEqual([200, 'true', first.text]);
      for (const options of [{}, { samples: 1 }, { samples: 2 }])
        expect((await send(options)).body.error.code).toBe('idempotency_key_reused');
      expect((await callsOf(run)).calls).toHaveLength(6);
      const plain = await send({}, 'plain');
      expect((await send({ samples: 1 }, 'plain')).text).toBe(plain.text);
      expect((await send({ samples: 2 }, 'plain')).status).toBe(422);
    });

    it('has for one without samples the fingerprint that earlier releases gave it', async () => {
      const caller = await aCaller();
      await caller.compare(
        { prompt: 'Hello', models: ['sim-swift'] },
        { headers: { 'idempotency-key': 'fingerprint' } },
      );
      const { rows } = await onDatabase(databaseUrl, (client) =>
        client.query('select fingerprint from idempotency_keys where user_id = $1', [caller.userId]),
      );
      expect(rows).toEqual([
        { fingerprint: createHash('sha256').update('["Hello",null,["sim-swift"],0.7,500,null]').digest('hex') },
      ]);
    });
  });
});
