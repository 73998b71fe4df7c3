import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCaller } from '../support/factories';
import { startService } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';
import { worker } from '../support/worker';

describe('GET /api/v1/models', () => {
  it('lists what can be called, sorted by provider and id, with exactly the fields of the contract', async () => {
    const { status, body } = await (await aCaller()).get('/api/v1/models');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['models']);
    const keys = body.models.map((model: { provider: string; id: string }) => `${model.provider} ${model.id}`);
    expect(keys).toEqual([...keys].sort());
    for (const model of body.models) {
      expect(Object.keys(model).sort()).toEqual(['id', 'input_per_1m', 'name', 'output_per_1m', 'provider']);
      expect(typeof model.input_per_1m).toBe('number');
      expect(typeof model.output_per_1m).toBe('number');
    }
    expect(body.models).toContainEqual({ id: 'sim-swift', name: 'Simulated Swift', provider: 'simulator', input_per_1m: 0.15, output_per_1m: 0.6 });
  });

  it('lists only models that a compare takes', async () => {
    const caller = await aCaller();
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
    const { body } = await (await aCaller()).get('/api/v1/models?include=details');
    const byId = (id: string) => body.models.find((model: { id: string }) => model.id === id);
    expect(byId('gpt-4.1-mini').details).toMatchObject({ accepts: { temperature: { min: 0, max: 2 } }, deprecation: { on: '2027-01-14', successor: 'gpt-6-luna' } });
    expect(byId('gemini-3.8-flash').details).toMatchObject({
      context_window: 1_048_576, max_output_tokens: 65_536, accepts: { temperature: null }, deprecation: null, prices_seen: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      prices: [{ from: '2026-09-02', until: '2026-12-31', input_per_1m: 0.75, output_per_1m: 3.75 }, { from: '2027-01-01', until: null, input_per_1m: 1.5, output_per_1m: 7.5 }],
    });
    expect(byId('grok-4.3').details.long_context.above_input_tokens).toBe(199_999);
    expect(byId('local/llama3.2')).toMatchObject({ input_per_1m: 0, output_per_1m: 0, provider: 'Local' });
  });

  it('refuses to include anything else', async () => {
    expect((await (await aCaller()).get('/api/v1/models?include=secrets')).body.error).toMatchObject({ code: 'invalid_request', param: 'include' });
  });

  it('carries an ETag, and answers 304 to who has it already', async () => {
    const caller = await aCaller();
    const first = await caller.get('/api/v1/models');
    expect(first.headers.get('cache-control')).toContain('private');
    const etag = first.headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `W/"other" ,W/${etag}`, '*', ' * ']) {
      const again = await caller.get('/api/v1/models', { headers: { 'if-none-match': known } });
      expect([known, again.status, again.text, again.headers.get('etag')]).toEqual([known, 304, '', etag]);
    }
    for (const known of ['"other"', etag.replaceAll('"', ''), `"*"`, `W/"other"`, '']) expect([known, (await caller.get('/api/v1/models', { headers: { 'if-none-match': known } })).status]).toEqual([known, 200]);
    expect((await caller.get('/api/v1/models?include=details', { headers: { 'if-none-match': etag } })).status).toBe(200);
  });
});

describe('MODEL_CATALOGUE', () => {
  const folder = temporaryFolder();
  const variables = (models: unknown) => {
    const file = join(folder, `${randomUUID()}.json`);
    writeFileSync(file, typeof models === 'string' ? models : JSON.stringify(models));
    return { DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', MODEL_CATALOGUE: file };
  };
  const swift = {
    id: 'sim-swift', name: 'Dearer', provider: 'simulator', vendor: 'simulator', vendorModel: 'sim-swift', contextWindow: 1000, maxOutputTokens: 10,
    accepts: { temperature: null }, dialect: { maxTokensField: 'max_tokens' }, prices: [{ from: '2026-01-01', input: '1', output: '2.5' }], source: { what: 'us', seen: '2026-11-20' },
  };

  it('adds models and overrides prices, which the next eval costs', async () => {
    const service = await startService(variables([swift, { ...swift, id: 'sim-new', name: 'New' }]));
    try {
      const caller = await aCaller({ at: service.url });
      expect((await caller.get('/api/v1/models')).body.models.map(({ id }: { id: string }) => id)).toEqual(['sim-new', 'sim-quill', 'sim-sage', 'sim-swift', 'sim-titan']);
      const [result] = (await caller.compare({ prompt: '[[sim:length=4]]', models: ['sim-swift'] })).body.results;
      // 4 tokens in at 1, 4 out at 2.5: 14 millionths of a dollar.
      expect(result).toMatchObject({ input_tokens: 4, output_tokens: 4, cost_usd: 0.000014, warnings: [{ code: 'temperature_ignored' }, { code: 'max_tokens_clamped' }] });
    } finally {
      await service.stop();
    }
  });

  it.each([
    ['overlapping prices', [{ ...swift, prices: [{ from: '2026-01-01', input: '1', output: '2' }, { from: '2026-02-01', input: '1', output: '2' }] }], 'sim-swift: the prices from 2026-01-01 and 2026-02-01 overlap'],
    ['a gap between prices', [{ ...swift, prices: [{ from: '2026-01-01', until: '2026-01-31', input: '1', output: '2' }, { from: '2026-02-02', input: '1', output: '2' }] }], 'sim-swift: there is no price between 2026-01-31 and 2026-02-02'],
    ['a price of zero', [{ ...swift, prices: [{ from: '2026-01-01', input: '0', output: '2' }] }], 'sim-swift: the price from 2026-01-01 is zero'],
    ['an unknown member', [{ ...swift, colour: 'red' }], 'colour'],
    ['no JSON', '[', 'MODEL_CATALOGUE: is not valid JSON'],
  ])('stops the start for %s, with a message that says so', async (_, models, message) => {
    await expect(startService(variables(models))).rejects.toThrow(message);
  });
});
