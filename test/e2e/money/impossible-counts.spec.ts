import { randomUUID } from 'node:crypto';
import { operator, type Json } from '../../support/api';
import { ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { anotherKey, chargedOf, verifyLedger, exact, streamedEval, sumOf, timesOf, units } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorLog, vendorScript, type ModelScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const DETAILS = '/api/v1/compare?include=details';

interface Order {
  prompt: string;
  models: string[];
  options?: object;
}

function anOrder(script: ModelScript, model = 'gpt-6-luna', options: object = { max_tokens: 50 }, words = ''): Order {
  return { prompt: `${words}${vendorScript(randomUUID(), { '*': script })}`, models: [model], options };
}

async function compare(caller: Caller, order: Order): Promise<Json> {
  const { status, text } = await caller.post(DETAILS, order);
  expect({ status, text }).toMatchObject({ status: 200 });
  return exact(text);
}

const estimateOf = async (caller: Caller, order: Order) =>
  exact((await caller.post('/api/v1/compare/estimate', order)).text);
const linesOf = async (caller: Caller) => exact((await caller.get('/api/v1/usage/statement')).text).lines as Json[];
/** Codes of the warnings about counts. */
const codesOf = ({ warnings = [] }: Json) =>
  (warnings as { code: string }[]).map(({ code }) => code).filter((code) => code.startsWith('usage'));

describe('A vendor that reports implausible counts, another model or another cost', () => {
  let databaseUrl: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    databaseUrl = await ownDatabase('counts');
    service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      ...vendorVariables(worker().vendorUrl),
      METRICS_TOKEN: 'metrics-token-0123456789',
      // A Tuesday noon, because prices depend on the day and at DeepSeek on the hour.
      TEST_CLOCK: '2026-11-24T12:00:00.000Z',
    });
  });
  afterAll(async () => {
    const { status, output } = await verifyLedger(databaseUrl);
    await service.stop();
    expect({ status, output }).toMatchObject({ status: 0 });
  });

  const metrics = async () =>
    (
      await (
        await fetch(`${service.url}/metrics`, { headers: { authorization: 'Bearer metrics-token-0123456789' } })
      ).text()
    ).split('\n');
  const aPayer = (options: { monthlySpendLimitUsd?: number } = {}) =>
    createCaller({ at: service.url, freeQuota: 0, ...options });

  it('costs its caller no more than the estimated maximum, and result, eval, charge, statement, breakdown and usage agree', async () => {
    const caller = await aPayer();
    const order = anOrder({ outputTokens: 100_000_000 }, 'gpt-6-luna', { max_tokens: 50, max_cost_usd: 0.01 });
    const estimate = await estimateOf(caller, order);
    const done = await compare(caller, order);
    const [result] = done.results;
    // 10 × $0.10 + 50 × $0.50 a million
    expect(result).toMatchObject({ input_tokens: '10', output_tokens: '50', total_tokens: '60', cost_usd: '0.000026' });
    expect(result.details).toMatchObject({
      charge_usd: '0.0000364',
      reported: { input_tokens: '10', output_tokens: '100000000', cached_input: '0', cache_write: '0', reasoning: '0' },
    });
    expect(codesOf(result)).toEqual(['usage_above_limit']);
    expect(units(result.cost_usd)).toBeLessThanOrEqual(units(estimate.cost_usd.most));
    expect(units(done.details.charge_usd)).toBeLessThanOrEqual(units(timesOf('0.01', 14n, 10n)));
    expect(done).toMatchObject({ meta: { total_cost_usd: '0.000026' }, details: { charge_usd: '0.0000364' } });
    expect(exact((await caller.get(`/api/v1/evals/${done.eval_id}?include=details`)).text)).toEqual(done);
    const expected = { cost_usd: '0.000026', charge_usd: '0.0000364', input_tokens: '10', output_tokens: '50' };
    expect(await linesOf(caller)).toMatchObject([{ eval_id: done.eval_id, reason: null, ...expected }]);
    for (const dimension of ['model', 'day', 'key']) {
      const { body, text } = await caller.get(`/api/v1/usage/breakdown?by=${dimension}`);
      expect(Object.values(body).filter(Array.isArray)).toHaveLength(1);
      expect(text).toContain('"charge_usd":0.0000364');
    }
    expect(await chargedOf(caller)).toBe('0.0000364');
  });

  it('leaves a line in the log without the prompt, and the dollars in a metric', async () => {
    const caller = await aPayer();
    await compare(
      caller,
      anOrder({ outputTokens: 2_000_050 }, 'claude-haiku-4-5', { max_tokens: 50 }, 'MARKER-PROMPT '),
    );
    // 2,000,000 × $5 a million
    await eventually('the line is logged', () => service.output().includes('"lostUsd":"10"'));
    const line = JSON.parse(
      service
        .output()
        .split('\n')
        .find((text) => text.includes('"lostUsd":"10"')) ?? '',
    );
    expect(line).toMatchObject({
      level: 'error',
      event: 'usage-above-limit',
      model: 'claude-haiku-4-5',
      reported: { inputTokens: 10, outputTokens: 2_000_050 },
      possible: { outputTokens: 50 },
    });
    expect(service.output()).not.toContain('MARKER-PROMPT');
    expect(await metrics()).toContain('mcs_usage_above_limit_usd_total{provider="anthropic"} 10');
  });

  it.each<[string, ModelScript]>([
    ['input', { inputTokens: 10_000_000 }],
    ['output', { outputTokens: 10_000_000 }],
    ['cached input', { inputTokens: 9_000_000, cachedTokens: 9_000_000 }],
    ['written input', { inputTokens: 9_000_000, cacheWriteTokens: 8_999_999 }],
    ['reasoning', { outputTokens: 9_000_000, reasoningTokens: 8_999_999 }],
  ])('never raises the charge above a limit, and needs no correction: %s', async (_, script) => {
    const caller = await aPayer({ monthlySpendLimitUsd: 0.01 });
    const narrow = await anotherKey(caller, { monthly_spend_limit_usd: 0.005 });
    const order = anOrder(script);
    const {
      charge_usd: { most },
    } = await estimateOf(caller, order);
    const charges: string[] = [];
    for (const key of [caller, narrow]) {
      const {
        results: [result],
        details,
      } = await compare(key, order);
      expect(codesOf(result)).toEqual(['usage_above_limit']);
      expect(units(details.charge_usd)).toBeLessThanOrEqual(units(most));
      charges.push(details.charge_usd);
    }
    expect((await linesOf(caller)).map(({ eval_id: id, charge_usd: charge }) => [id === null, charge])).toEqual(
      charges.map((charge) => [false, charge]),
    );
    expect(await chargedOf(caller)).toBe(sumOf(charges));
  });

  it("leaves the admin's own corrections unchanged", async () => {
    const caller = await aPayer({ monthlySpendLimitUsd: 0.01 });
    const order = anOrder({ inputTokens: 1_000_000, delayMs: 2000 });
    const run = /"run":"([^"]+)"/.exec(order.prompt)?.[1] ?? '';
    const running = compare(caller, order);
    await eventually('the vendor is called', async () => (await vendorLog(worker().vendorUrl, run)).calls.length === 1);
    await operator(service.url).post(`/api/v1/admin/users/${caller.userId}/adjustments`, {
      amount_usd: 5,
      reason: 'Setting up',
    });
    const { details } = await running;
    expect(await chargedOf(caller)).toBe(sumOf(['5', details.charge_usd]));
  });

  it.each<[string, ModelScript, string[], object]>([
    [
      'gpt-6-luna',
      { inputTokens: 3_000_000_000 },
      ['usage_estimated', 'usage_above_limit'],
      { input_tokens: 3_000_000_000, output_tokens: 5 },
    ],
    [
      'claude-haiku-4-5',
      { outputTokens: 3_000_000_000 },
      ['usage_estimated', 'usage_above_limit'],
      { input_tokens: 10, output_tokens: 3_000_000_000 },
    ],
    ['claude-haiku-4-5', { inputTokens: -5 }, ['usage_estimated'], { input_tokens: -5, output_tokens: 5 }],
    ['gpt-6-luna', { inputTokens: -5 }, ['usage_estimated'], { input_tokens: -5, output_tokens: 5 }],
    ['claude-haiku-4-5', { inputTokens: 1.5 }, ['usage_estimated'], { input_tokens: 1.5, output_tokens: 5 }],
    [
      'mistral-small-2603',
      { outputTokens: 1e300 },
      ['usage_estimated', 'usage_above_limit'],
      { input_tokens: 10, output_tokens: 1e300 },
    ],
    ['gpt-6-luna', { inputTokens: 0, outputTokens: 0 }, ['usage_estimated'], { input_tokens: 0, output_tokens: 0 }],
    ['local/llama3.2', { inputTokens: 0, outputTokens: 0 }, ['usage_estimated'], { input_tokens: 0, output_tokens: 0 }],
    ['claude-sonnet-5-5', { outputTokens: 0 }, ['usage_estimated'], { input_tokens: 10, output_tokens: 0 }],
  ])(
    'is ignored when no count could be like that, and affects no other result: %s %j',
    async (model, script, codes, reported) => {
      const caller = await aPayer();
      const { status, body } = await caller.post(DETAILS, { ...anOrder(script, model), models: [model, 'sim-swift'] });
      expect(status).toBe(200);
      const [result, other] = body.results;
      expect(codesOf(result)).toEqual(codes);
      expect(result.input_tokens).toBeGreaterThan(5);
      expect(result.output_tokens).toBeGreaterThan(2);
      expect(result.total_tokens).toBeLessThan(400);
      expect(result.details.reported).toMatchObject(reported);
      expect(other).not.toHaveProperty('error');
      expect((await caller.get(`/api/v1/evals/${body.eval_id}?include=details`)).body).toEqual(body);
    },
  );

  it('is ignored when it reports far too few tokens for the prompt and the answer', async () => {
    const caller = await aPayer();
    const words = 'A long story about many different things. '.repeat(200);
    const {
      results: [result],
    } = await compare(
      caller,
      anOrder(
        { inputTokens: 3, outputTokens: 2, text: words.slice(0, 2000) },
        'gpt-5.4-mini',
        { max_tokens: 5000 },
        words,
      ),
    );
    expect(result.warnings).toEqual([
      {
        code: 'usage_estimated',
        message: "The vendor's count of input and output tokens is implausible; the count and the cost are estimated.",
      },
    ]);
    expect(Number(result.input_tokens)).toBeGreaterThan(1500);
    expect(Number(result.output_tokens)).toBeGreaterThan(300);
    expect(result.details.reported).toMatchObject({ input_tokens: '3', output_tokens: '2' });
  });

  /**
   * That result, statement, breakdown, usage and stored eval have the same charge for an eval of one model; the ledger
   * is verified at the end.
   */
  async function expectCharged(caller: Caller, done: Json, cost: string): Promise<void> {
    const charge = timesOf(cost, 14n, 10n);
    expect(done).toMatchObject({
      meta: { total_cost_usd: cost },
      details: { charge_usd: charge },
      results: [{ cost_usd: cost, details: { charge_usd: charge } }],
    });
    expect(exact((await caller.get(`/api/v1/evals/${done.eval_id}?include=details`)).text)).toEqual(done);
    expect((await linesOf(caller)).at(-1)).toMatchObject({ eval_id: done.eval_id, cost_usd: cost, charge_usd: charge });
    expect((await caller.get('/api/v1/usage/statement', { headers: { accept: 'text/csv' } })).text).toContain(
      `,${cost},0.4,${charge},`,
    );
    expect((await caller.get('/api/v1/usage/breakdown?by=model')).text).toContain(`"cost_usd":${cost}`);
    expect(await chargedOf(caller)).toBe(charge);
  }

  /** 20 tokens in and 100 out: 1,050 millionths at sim-titan's price, 63 at sim-swift's, 1,560 at sim-sage's. */
  const promptWith = (trigger: string) => `[[sim:length=100]]${trigger}`.padEnd(80);
  const EVENTS = { headers: { accept: 'text/event-stream' } };

  it.each<[string, string, string[] | undefined, string]>([
    ['a cheaper model', 'sim-swift', ['model_substituted'], '0.000063'],
    ['a dearer model', 'sim-sage', ['model_substituted'], '0.00105'],
    ['an unknown model', 'sim-what', ['model_substituted'], '0.00105'],
    ['a dated form of its name', 'sim-titan-2026-11-17', undefined, '0.00105'],
  ])('is charged at the lower price, with a warning, where the answer names %s', async (_, name, codes, cost) => {
    const caller = await aPayer();
    const done = await compare(caller, { prompt: promptWith(`[[sim:answered-by=${name}]]`), models: ['sim-titan'] });
    const [result] = done.results;
    expect(result).toMatchObject({
      model: 'sim-titan',
      details: {
        vendor_model: 'sim-titan',
        answered_by: name,
        cost_source: 'catalog',
        prices: { output_per_1m: cost === '0.000063' ? '0.6' : '10' },
      },
    });
    expect(result.warnings?.map(({ code }: Json) => code)).toEqual(codes);
    await expectCharged(caller, done, cost);
  });

  it.each<[string, string, string, string[] | undefined]>([
    ['0.000000000001', '0.000000000001', 'vendor', undefined],
    ['0.00105', '0.00105', 'catalog', undefined],
    ['0.001050000001', '0.00105', 'catalog', ['price_differs']],
    ['123456789', '0.00105', 'catalog', ['price_differs']],
  ])('is charged the lower of the stated and the listed cost: %s', async (stated, cost, source, codes) => {
    const caller = await aPayer();
    const done = await compare(caller, { prompt: promptWith(`[[sim:stated-cost=${stated}]]`), models: ['sim-titan'] });
    expect(done.results[0].details).toMatchObject({
      cost_source: source,
      prices: { input_per_1m: '2.5', output_per_1m: '10' },
    });
    expect(done.results[0].warnings?.map(({ code }: Json) => code)).toEqual(codes);
    await expectCharged(caller, done, cost);
    if (stated === '123456789')
      expect(
        (await metrics()).find((line) => line.startsWith('mcs_stated_above_list_usd_total{provider="simulator"}')),
      ).toMatch(/ 123456788\.99895/);
  });

  // 10 in and 5 out; both name the model in another form, and Gemini lets a cheaper model answer.
  it.each<[string, ModelScript, string, string[] | undefined]>([
    ['grok-4.3', { costUsd: 0.0000000123, answersAs: 'grok-4.3-20261117' }, '0.0000000123', undefined],
    ['openrouter/glm-5.3', { costUsd: 0.000001, answersAs: 'GLM-5.3:nitro' }, '0.000001', undefined],
    ['gemini-3.8-flash', { answersAs: 'models/gemini-3.5-flash-lite-001' }, '', ['model_substituted']],
  ])('is charged what %s states, or the rates of the model that it names', async (model, script, cost, codes) => {
    const caller = await aPayer();
    const done = await compare(caller, anOrder(script, model));
    const [result] = done.results;
    expect([
      result.warnings?.map(({ code }: Json) => code),
      result.details.answered_by,
      result.details.cost_source,
    ]).toEqual([codes, script.answersAs, cost === '' ? 'catalog' : 'vendor']);
    await expectCharged(caller, done, cost === '' ? result.cost_usd : cost);
    if (cost !== '') return;
    const listed = exact((await caller.get('/api/v1/models?include=details')).text).models.find(
      ({ id }: Json) => id === 'gemini-3.5-flash-lite',
    );
    expect(result.details.prices).toMatchObject({
      input_per_1m: listed.input_per_1m,
      output_per_1m: listed.output_per_1m,
    });
  });

  it('costs nothing if it states so, and drift and projection tell price from tokens', async () => {
    const caller = await aPayer();
    const before = await compare(caller, {
      prompt: promptWith('[[sim:answered-by=sim-titan-1]]'),
      models: ['sim-titan'],
    });
    const after = await compare(caller, {
      prompt: promptWith('[[sim:stated-cost=0]][[sim:answered-by=sim-titan]]'),
      models: ['sim-titan'],
    });
    expect(after).toMatchObject({ meta: { total_cost_usd: '0' }, details: { charge_usd: '0' } });
    const {
      models: [drift],
    } = exact((await caller.get(`/api/v1/evals/${after.eval_id}/drift?against=${before.eval_id}`)).text);
    expect(drift).toMatchObject({
      cost_change_usd: { by_tokens: '0', by_price: '-0.00105' },
      answered_by: { before: ['sim-titan-1'], after: ['sim-titan'], changed: true },
      prices: { changed: false },
    });
    const {
      models: [projected],
    } = exact((await caller.get(`/api/v1/evals/${after.eval_id}/projection`)).text);
    expect(projected).toMatchObject({
      months: [{ cost_per_call_usd: '0', monthly_charge_usd: '0' }],
      notes: [expect.stringContaining('charged less than its list price for 1 of 1 answers'), expect.anything()],
    });
  });

  it('has a failed result at no cost with exact_model, streamed or not, and the operator sees the loss', async () => {
    const caller = await aPayer();
    const order = {
      prompt: promptWith('[[sim-titan:answered-by=sim-swift]]'),
      models: ['sim-titan', 'sim-quill'],
      options: { exact_model: true },
    };
    const done = await compare(caller, order);
    const [refused, quill] = done.results;
    expect(refused).toMatchObject({
      output: '',
      cost_usd: '0',
      output_tokens: '0',
      error: { code: 'model_substituted', retryable: false },
      details: { answered_by: 'sim-swift', cost_source: null, prices: null, charge_usd: '0' },
    });
    expect([done.meta.total_cost_usd, done.details.charge_usd]).toEqual([
      quill.cost_usd,
      timesOf(quill.cost_usd, 14n, 10n),
    ]);
    const { text } = await caller.post('/api/v1/compare', order, EVENTS);
    expect(text).toMatch(/event: delta\ndata: \{"model":"sim-titan"/);
    expect(exact(streamedEval(text)).results[0]).toMatchObject({ output: '', error: { code: 'model_substituted' } });
    // As with every failure, nothing is stored or charged where all models failed.
    const alone = await caller.compare({ ...order, models: ['sim-titan'] });
    expect([alone.status, alone.body.error.code, JSON.stringify(alone.body)]).toEqual([
      502,
      'all_models_failed',
      expect.stringContaining('model_substituted'),
    ]);
    expect(await chargedOf(caller)).toBe(timesOf(quill.cost_usd, 28n, 10n));
    // Each at sim-swift's price.
    expect(await metrics()).toContain(`mcs_refused_substitutes_usd_total{provider="simulator"} ${3 * 0.000063}`);
    expect(service.output()).toContain('"event":"substitute-refused"');
  });

  it('reports no more reasoning than output', async () => {
    const {
      results: [result],
    } = await compare(await aPayer(), anOrder({ reasoningTokens: 600 }));
    expect(result).toMatchObject({
      output_tokens: '5',
      details: { tokens: { reasoning: '5' }, reported: { reasoning: '600' } },
    });
    expect(codesOf(result)).toEqual([]);
  });
});

/** A model of each vendor, the tokens it may put around a prompt, and which kind of input is dearest with it. */
const VENDORS: [model: string, frame: number, dearest: 'cacheWriteTokens' | undefined][] = [
  ['gpt-6.2-sol', 256, 'cacheWriteTokens'],
  ['claude-sonnet-5-5', 256, 'cacheWriteTokens'],
  ['claude-haiku-4-5', 256, 'cacheWriteTokens'],
  ['gemini-3.5-flash', 256, undefined],
  ['mistral-small-2603', 256, undefined],
  ['deepseek-v4-pro', 256, undefined],
  ['grok-4.3', 1024, undefined],
  ['groq/gpt-oss-120b', 256, undefined],
  ['openrouter/glm-5.3', 256, undefined],
  ['local/llama3.2', 256, undefined],
];

describe('The plausible maximum of a call', () => {
  /** A compare whose vendor counts every byte as a token, `excess` tokens more, and all of max_tokens as reasoning. */
  function fullOrder(model: string, frame: number, dearest: 'cacheWriteTokens' | undefined, more: number): Order {
    const orderOf = (inputTokens: number) =>
      anOrder(
        {
          inputTokens,
          outputTokens: 700 + more,
          reasoningTokens: 690,
          ...(dearest && { [dearest]: inputTokens }),
          costUsd: null,
        },
        model,
        { max_tokens: 700 },
        'x'.repeat(1000),
      );
    // Four digits do not change the length of the prompt whose bytes they count.
    return orderOf(Buffer.byteLength(orderOf(1000).prompt) + frame + more);
  }

  it.each(VENDORS)('equals the estimate, and is charged without a warning: %s', async (model, frame, dearest) => {
    const caller = await createCaller({ freeQuota: 0 });
    const order = fullOrder(model, frame, dearest, 0);
    const estimate = await estimateOf(caller, order);
    const {
      results: [result],
      meta,
    } = await compare(caller, order);
    expect(codesOf(result)).toEqual([]);
    expect(result).toMatchObject({ output_tokens: '700', cost_usd: estimate.cost_usd.most });
    expect(meta.total_cost_usd).toBe(estimate.cost_usd.most);
  });

  it.each(VENDORS)('is all that is charged when one token more is reported: %s', async (model, frame, dearest) => {
    const caller = await createCaller({ freeQuota: 0 });
    const order = fullOrder(model, frame, dearest, 1);
    const estimate = await estimateOf(caller, order);
    const {
      results: [result],
      details,
    } = await compare(caller, order);
    expect(result.warnings).toContainEqual({
      code: 'usage_above_limit',
      message: expect.stringContaining('more input and output tokens'),
    });
    expect(result).toMatchObject({
      output_tokens: '700',
      cost_usd: estimate.cost_usd.most,
      details: { reported: { output_tokens: '701' } },
    });
    expect(details.charge_usd).toBe(estimate.charge_usd.most);
  });
});
