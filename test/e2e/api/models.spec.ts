import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../../support/api';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { startService } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

describe('GET /api/v1/models', () => {
  it('lists the available models, sorted by provider and id, with exactly the fields of the contract', async () => {
    const { status, body } = await (await createCaller()).get('/api/v1/models');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['models']);
    const keys = body.models.map((model: { provider: string; id: string }) => `${model.provider} ${model.id}`);
    expect(keys).toEqual([...keys].sort());
    for (const model of body.models) {
      expect(Object.keys(model).sort()).toEqual(['id', 'input_per_1m', 'name', 'output_per_1m', 'provider']);
      expect(typeof model.input_per_1m).toBe('number');
      expect(typeof model.output_per_1m).toBe('number');
    }
    expect(body.models).toContainEqual({
      id: 'sim-swift',
      name: 'Simulated Swift',
      provider: 'simulator',
      input_per_1m: 0.15,
      output_per_1m: 0.6,
    });
  });

  it('lists only models that a compare accepts', async () => {
    const caller = await createCaller();
    const ids: string[] = (await caller.get('/api/v1/models')).body.models.map((model: { id: string }) => model.id);
    for (let from = 0; from < ids.length; from += 8) {
      const { status, body } = await caller.compare({ prompt: 'Hello', models: ids.slice(from, from + 8) });
      expect(status).toBe(200);
      expect(body.results.filter((result: object) => 'error' in result)).toEqual([]);
    }
  });
});

describe('GET /api/v1/models?include=details', () => {
  it('adds limits, accepted parameters, dated prices and deprecation', async () => {
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      ...vendorVariables(worker().vendorUrl),
      TZ: 'America/New_York',
      TEST_CLOCK: '2026-11-23T02:00:00Z',
    });
    const { body } = await (await createCaller()).at(service.url).get('/api/v1/models?include=details');
    const byId = (id: string) => body.models.find((model: { id: string }) => model.id === id);
    expect(byId('gpt-4.1-mini').details).toMatchObject({
      accepts: { temperature: { min: 0, max: 2 } },
      deprecation: { on: '2027-01-14', successor: 'gpt-6-luna' },
      reasoning: null,
      response_format: 'json_schema',
    });
    expect(byId('gpt-6.2-sol').details.reasoning).toEqual({
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      default: null,
      mandatory: true,
    });
    expect(Object.keys(byId('deepseek-flash').details.accepts)).toEqual(['temperature']);
    expect(byId('gemini-3.8-flash').details).toMatchObject({
      context_window: 1_048_576,
      max_output_tokens: 65_536,
      accepts: { temperature: null },
      stage: null,
      deprecation: null,
      prices_seen: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      prices: [
        { from: '2026-09-02', until: '2026-12-31', input_per_1m: 0.75, output_per_1m: 3.75 },
        { from: '2027-01-01', until: null, input_per_1m: 1.5, output_per_1m: 7.5 },
      ],
    });
    expect(byId('gemini-3.1-pro-preview').details.stage).toBe('preview');
    // Monday at 02:00 UTC is an hour of the peak; in New York it is Sunday.
    expect(byId('deepseek-v4-pro')).toMatchObject({ input_per_1m: 1.32, output_per_1m: 3.96 });
    expect(byId('grok-4.3').details.long_context.above_input_tokens).toBe(199_999);
    expect(byId('local/llama3.2')).toMatchObject({ input_per_1m: 0, output_per_1m: 0, provider: 'Local' });
  });

  it('rejects any other value of include', async () => {
    expect((await (await createCaller()).get('/api/v1/models?include=secrets')).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'include',
    });
  });

  it('carries an ETag, and answers 304 to a client that has it already', async () => {
    const caller = await createCaller();
    const first = await caller.get('/api/v1/models');
    expect(first.headers.get('cache-control')).toContain('private');
    const etag = first.headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `W/"other" ,W/${etag}`, '*', ' * ']) {
      const again = await caller.get('/api/v1/models', { headers: { 'if-none-match': known } });
      expect([known, again.status, again.text, again.headers.get('etag')]).toEqual([known, 304, '', etag]);
    }
    for (const known of ['"other"', etag.replaceAll('"', ''), `"*"`, `W/"other"`, ''])
      expect([known, (await caller.get('/api/v1/models', { headers: { 'if-none-match': known } })).status]).toEqual([
        known,
        200,
      ]);
    expect((await caller.get('/api/v1/models?include=details', { headers: { 'if-none-match': etag } })).status).toBe(
      200,
    );
  });
});

describe('MODEL_CATALOG_FILE', () => {
  const folder = temporaryFolder();
  const variables = (models: unknown) => {
    const file = join(folder, `${randomUUID()}.json`);
    writeFileSync(file, typeof models === 'string' ? models : JSON.stringify(models));
    return { DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', MODEL_CATALOG_FILE: file };
  };
  const swift = {
    id: 'sim-swift',
    name: 'Dearer',
    provider: 'simulator',
    vendor: 'simulator',
    vendorModel: 'sim-swift',
    contextWindow: 1000,
    maxOutputTokens: 10,
    accepts: { temperature: null },
    dialect: { maxTokensField: 'max_tokens' },
    prices: [{ from: '2026-01-01', input: '1', output: '2.5' }],
    source: { what: 'us', seen: '2026-11-20' },
  };

  it('adds models and overrides prices, at which the next eval is charged, beside FREE_MODELS that name one twice, one without a key, and a local one', async () => {
    const service = await startService({
      ...variables([swift, { ...swift, id: 'sim-new', name: 'New' }]),
      LOCAL_MODELS: 'own',
      // One twice, and one whose vendor has no key.
      FREE_MODELS: 'sim-swift,sim-swift,gpt-6-luna,local/own',
    });
    try {
      const caller = await createCaller({ at: service.url });
      expect((await caller.get('/api/v1/models')).body.models.map(({ id }: { id: string }) => id)).toEqual([
        'local/own',
        'sim-new',
        'sim-quill',
        'sim-sage',
        'sim-swift',
        'sim-titan',
      ]);
      const [result] = (
        await caller.compare({ prompt: '[[sim:length=4]]', models: ['sim-swift'], options: { temperature: 0.7 } })
      ).body.results;
      // 4 tokens in at 1, 4 out at 2.5: 14 millionths of a dollar.
      expect(result).toMatchObject({
        input_tokens: 4,
        output_tokens: 4,
        cost_usd: 0.000014,
        warnings: [{ code: 'temperature_ignored' }, { code: 'max_tokens_clamped' }],
      });
      expect((await caller.get('/api/v1/usage')).body.pricing.free_models).toEqual(['local/own', 'sim-swift']);
    } finally {
      await service.stop();
    }
  });

  it('is read again on SIGHUP, all or nothing, while a compare that runs keeps its prices', async () => {
    const settings = variables([swift]);
    const write = (models: unknown) =>
      writeFileSync(settings.MODEL_CATALOG_FILE, typeof models === 'string' ? models : JSON.stringify(models));
    const service = await startService({ ...settings, LOG_LEVEL: 'info' });
    const lines = (level: string) =>
      service
        .output()
        .split('\n')
        .filter((line) => line.startsWith(`{"level":"${level}"`) && line.includes('the catalog was'));
    const hangUp = async (level: string) => {
      const before = lines(level).length;
      service.child.kill('SIGHUP');
      await eventually('the catalog is read', async () => lines(level).length > before);
    };
    try {
      const caller = await createCaller({ at: service.url });
      const order = { prompt: '[[sim:length=4]] [[sim:slow=1500]]', models: ['sim-swift'] };
      const slow = caller.compare(order);
      await eventually('the compare runs', async () =>
        (await new Api(undefined, service.url).get('/metrics')).text.includes('\nmcs_compares_running 1'),
      );
      write([
        { ...swift, prices: [{ from: '2026-01-01', input: '10', output: '25' }] },
        { ...swift, id: 'sim-new' },
      ]);
      await hangUp('info');
      expect(
        (await caller.get('/api/v1/models')).body.models.map(
          ({ id, input_per_1m: input }: { id: string; input_per_1m: number }) => [id, input],
        ),
      ).toContainEqual(['sim-new', 1]);
      const costs = async (answer: ReturnType<Caller['compare']>) => (await answer).body.results[0].cost_usd;
      const [old, now] = [await costs(slow), await costs(caller.compare(order))];
      expect([now / old, old < now]).toEqual([expect.closeTo(10, 9), true]);
      for (const broken of [
        '[',
        [
          { ...swift, id: 'sim-other' },
          { ...swift, id: 'a@b' },
        ],
      ]) {
        write(broken);
        await hangUp('error');
      }
      write([{ ...swift, id: 'sim-last' }]);
      service.child.kill('SIGHUP');
      await hangUp('info');
      expect((await caller.get('/api/v1/models')).body.models.map(({ id }: { id: string }) => id)).toEqual([
        'sim-last',
        'sim-quill',
        'sim-sage',
        'sim-swift',
        'sim-titan',
      ]);
      expect([lines('info').length >= 2, lines('error').length]).toEqual([true, 2]);
      expect(lines('error')[0]).toContain(
        'the catalog was not read again, and the old one stays: The model catalog is invalid: - MODEL_CATALOG_FILE: is not valid JSON',
      );
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });

  it.each([
    [
      'overlapping prices, a gap between prices, and a price of zero',
      [
        {
          ...swift,
          prices: [
            { from: '2026-01-01', input: '1', output: '2' },
            { from: '2026-02-01', input: '1', output: '2' },
          ],
        },
        {
          ...swift,
          id: 'sim-gap',
          prices: [
            { from: '2026-01-01', until: '2026-01-31', input: '1', output: '2' },
            { from: '2026-02-02', input: '1', output: '2' },
          ],
        },
        { ...swift, id: 'sim-zero', prices: [{ from: '2026-01-01', input: '0', output: '2' }] },
      ],
      [
        'sim-swift: the prices from 2026-01-01 and 2026-02-01 overlap',
        'sim-gap: there is no price between 2026-01-31 and 2026-02-02',
        'sim-zero: the price from 2026-01-01 is zero',
      ],
    ],
    ['an unknown member', [{ ...swift, color: 'red' }], ['color']],
    ['no JSON', '[', ['MODEL_CATALOG_FILE: is not valid JSON']],
  ])('stops the start for %s, with a message that says so', async (_, models, sentences) => {
    const refused = await startService(variables(models)).catch((error: Error) => error.message);
    for (const sentence of sentences) expect(refused).toContain(sentence);
  });

  describe('MODEL_CATALOG_FILE with a model whose end is announced', () => {
    const ending = { ...swift, id: 'sim-ending', deprecation: { on: '2026-12-01', successor: 'sim-sage' } };
    const order = { prompt: 'Hello', models: ['sim-ending', 'sim-quill'] };
    const idsOf = async (caller: Caller) =>
      (await caller.get('/api/v1/models')).body.models.map(({ id }: { id: string }) => id) as string[];

    it('lists and calls the model until the last minute of the day before, and no longer on the day itself', async () => {
      const settings = {
        ...variables([ending, { ...ending, id: 'sim-gone', deprecation: { on: '2026-11-30' } }]),
        FREE_MODELS: 'sim-ending,sim-quill,sim-gone',
      };
      const service = await startService({ ...settings, TEST_CLOCK: '2026-11-30T23:58:00.000Z' });
      try {
        const caller = await createCaller({ at: service.url });
        const first = await caller.get('/api/v1/models');
        expect(await idsOf(caller)).toContain('sim-ending');
        expect(await idsOf(caller)).not.toContain('sim-gone');
        const {
          status,
          body: { eval_id: evalId, results },
        } = await caller.compare(order, { headers: { 'idempotency-key': 'ending' } });
        expect([status, results.map((result: object) => 'error' in result)]).toEqual([200, [false, false]]);
        expect((await caller.get('/api/v1/usage')).body.free_evals_remaining).toBe(99);
        await service.moveClock(120_000);
        const listed = await caller.get('/api/v1/models', {
          headers: { 'if-none-match': first.headers.get('etag') ?? '' },
        });
        expect(listed.status).toBe(200);
        expect(await idsOf(caller)).not.toContain('sim-ending');
        for (const path of ['/api/v1/compare', '/api/v1/compare/estimate']) {
          const { status, body } = await caller.post(path, {
            prompt: 'Hello',
            models: ['sim-quill', 'sim-ending', 'sim-unheard-of', 'sim-gone'],
          });
          expect([status, body.error.code, body.error.param]).toEqual([400, 'unknown_model', 'models[1]']);
          expect(body.error.message).toBe(
            'Unknown or unavailable models: sim-unheard-of; sim-ending was discontinued on 2026-12-01 (successor: sim-sage); sim-gone was discontinued on 2026-11-30; GET /api/v1/models lists the available models.',
          );
          expect(body.error.details).toMatchObject({ unknown_models: ['sim-ending', 'sim-unheard-of', 'sim-gone'] });
        }
        expect((await caller.get(`/api/v1/evals/${evalId}`)).status).toBe(200);
        const replayed = await caller.compare(order, { headers: { 'idempotency-key': 'ending' } });
        expect([replayed.status, replayed.body.eval_id, replayed.headers.get('idempotency-replayed')]).toEqual([
          200,
          evalId,
          'true',
        ]);
      } finally {
        await service.stop();
      }
    });
  });
});

describe('FREE_MODELS', () => {
  it('stops the start with each id that the catalog does not contain', async () => {
    const start = startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      FREE_MODELS: 'sim-swift,sim-swfit,gpt-2',
    });
    await expect(start).rejects.toThrow(
      'The configuration is not usable:\n  - FREE_MODELS: the catalog has no model with the id sim-swfit, gpt-2',
    );
  });
});

describe('A model that accepts no temperature', () => {
  it('has a warning about the temperature only where the caller gave one', async () => {
    const caller = await createCaller();
    const order = { prompt: 'Hello', models: ['gemini-3.8-flash'] };
    const codes = async (body: object) =>
      (await caller.compare(body)).body.results[0].warnings?.map(({ code }: { code: string }) => code) ?? [];
    expect(await codes(order)).toEqual([]);
    expect(await codes({ ...order, options: { max_tokens: 100 } })).toEqual([]);
    expect(await codes({ ...order, options: { temperature: 0.7 } })).toEqual(['temperature_ignored']);
  });
});
