import { Api } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';

const EVAL_ID = /^eval_[0-9a-hjkmnp-tv-z]{26}$/;

describe('POST /api/v1/compare', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });

  it('returns the complete eval, in request order, with exactly the fields of the contract', async () => {
    const { status, body } = await caller.compare({ prompt: 'Name a color.', models: ['sim-titan', 'sim-swift'] });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['eval_id', 'meta', 'models', 'prompt', 'results']);
    expect(body.eval_id).toMatch(EVAL_ID);
    expect(body.prompt).toBe('Name a color.');
    expect(body.models).toEqual(['sim-titan', 'sim-swift']);
    expect(body.results.map((result: { model: string }) => result.model)).toEqual(['sim-titan', 'sim-swift']);
    for (const result of body.results) {
      expect(Object.keys(result).sort()).toEqual([
        'cost_usd',
        'input_tokens',
        'latency_ms',
        'model',
        'output',
        'output_tokens',
        'provider',
        'total_tokens',
      ]);
      expect(result.provider).toBe('simulator');
      expect(result.output.length).toBeGreaterThan(0);
      expect(Number.isInteger(result.latency_ms)).toBe(true);
      expect(result.total_tokens).toBe(result.input_tokens + result.output_tokens);
    }
    expect(Object.keys(body.meta).sort()).toEqual(['cheapest_model', 'created_at', 'fastest_model', 'total_cost_usd']);
    expect(body.meta.cheapest_model).toBe('sim-swift');
    expect(body.meta.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('returns byte for byte what GET /evals/:id returns later, with its Location', async () => {
    const compared = await caller.compare({
      prompt: 'Say {input}.',
      input: 'déjà vu 🐘',
      models: ['sim-quill', 'sim-sage'],
      options: { temperature: 0, max_tokens: 7 },
    });
    expect(compared.headers.get('location')).toBe(`/api/v1/evals/${compared.body.eval_id}`);
    const fetched = await caller.get(`/api/v1/evals/${compared.body.eval_id}`);
    expect(fetched.text).toBe(compared.text);
  });

  it('reports in its details how long the eval took and how fast each model was', async () => {
    const begun = performance.now();
    const { body } = await caller.post('/api/v1/compare?include=details', {
      prompt: '[[sim:slow=300]]',
      models: ['sim-swift'],
    });
    const tookMs = performance.now() - begun;
    const [{ latency_ms: latencyMs, output_tokens: tokens, details }] = body.results;
    expect(latencyMs).toBeGreaterThanOrEqual(299);
    // Longer than its only model, shorter than the request.
    expect(body.details.duration_ms).toBeGreaterThanOrEqual(latencyMs - 1);
    expect(body.details.duration_ms).toBeLessThanOrEqual(Math.ceil(tookMs));
    expect(details.tokens_per_second).toBeCloseTo((tokens * 1000) / latencyMs, 2);
  });

  it('returns the same simulated output for the same request', async () => {
    const request = { prompt: 'Once more.', models: ['sim-swift'] };
    const [first, second] = [await caller.compare(request), await caller.compare(request)];
    expect(second.body.results[0].output).toBe(first.body.results[0].output);
    expect(second.body.eval_id).not.toBe(first.body.eval_id);
  });

  it('prices each call to the last digit', async () => {
    const { text, body } = await caller.compare({ prompt: 'abcdefghi[[sim:length=9]]', models: ['sim-swift'] });
    expect(body.results[0]).toMatchObject({ input_tokens: 7, output_tokens: 9, total_tokens: 16 });
    // 25 characters are 7 simulated tokens: 7 × 0.15 + 9 × 0.6 = 6.45 millionths of a dollar.
    expect(text).toContain('"cost_usd":0.00000645,');
    expect(text).toContain('"total_cost_usd":0.00000645,');
  });

  it('returns on request how the eval was asked, called, priced and charged, the same in JSON and SSE', async () => {
    const paying = await createCaller({ freeQuota: 0 });
    const order = {
      prompt: 'abcdefghi[[sim:length=9]]',
      input: 'x',
      models: ['sim-swift', 'sim-sage'],
      options: { temperature: 0.2, max_tokens: 50 },
    };
    const { text, body } = await paying.post('/api/v1/compare?include=details', {
      ...order,
      prompt: `${order.prompt}{input}`,
    });
    expect(body.details).toEqual({
      input: 'x',
      options: { temperature: 0.2, max_tokens: 50 },
      charge_usd: expect.any(Number),
      free: false,
      duration_ms: expect.any(Number),
    });
    expect(body.results[0].details).toEqual({
      charge_usd: 0.00000903,
      finish_reason: 'stop',
      ttft_ms: expect.any(Number),
      tokens_per_second: expect.any(Number),
      attempts: 1,
      vendor_model: 'sim-swift',
      answered_by: null,
      applied: { max_tokens: 50, temperature: 0.2 },
      tokens: { cached_input: 0, cache_write: 0, reasoning: 0 },
      prices: { input_per_1m: 0.15, cached_input_per_1m: 0.075, cache_write_per_1m: 0.15, output_per_1m: 0.6 },
      cost_source: 'catalog',
    });
    // 26 characters are 7 tokens; sim-sage: 7 × 3 + 9 × 15 = 156 millionths; (6.45 + 156) × 1.4 = 227.43
    expect(text).toContain('"charge_usd":0.00022743,"free":false');
    expect((await paying.get(`/api/v1/evals/${body.eval_id}?include=details`)).text).toBe(text);
    expect((await paying.get(`/api/v1/evals/${body.eval_id}`)).body).not.toHaveProperty('details');
  });

  it('measures the time to the first token only where somebody wants it', async () => {
    const order = { prompt: 'Hello', models: ['sim-swift'] };
    const firstToken = { checks: [{ type: 'latency', max_ms: 60_000, of: 'first_token' }] };
    const timed = async (path: string, more = {}) => {
      const { body } = await caller.post(path, { ...order, ...more });
      return (await caller.get(`/api/v1/evals/${body.eval_id}?include=details,checks`)).body.results[0];
    };
    const [whole, details, samples, statistics, long, checked] = await Promise.all([
      timed('/api/v1/compare'),
      timed('/api/v1/compare?include=details'),
      timed('/api/v1/compare', { options: { samples: 2 } }),
      timed('/api/v1/compare?include=statistics'),
      timed('/api/v1/compare', { options: { max_tokens: 8193 } }),
      timed('/api/v1/compare', firstToken),
    ]);
    expect(whole.details).toMatchObject({ ttft_ms: null, tokens_per_second: null });
    for (const result of [details, samples, statistics, long, checked])
      expect(result.details).toMatchObject({ ttft_ms: expect.any(Number), tokens_per_second: expect.any(Number) });
    expect(checked.checks[0].outcome).toBe('pass');
    expect((await timed('/api/v1/compare', { options: { max_tokens: 8192 } })).details.ttft_ms).toBeNull();
  });

  it('returns a truncated answer as a success with a warning', async () => {
    const { body } = await caller.compare({
      prompt: '[[sim:length=50]]',
      models: ['sim-swift'],
      options: { max_tokens: 5 },
    });
    expect(body.results[0]).toMatchObject({ output_tokens: 5, warnings: [{ code: 'output_truncated' }] });
    expect(body.results[0]).not.toHaveProperty('error');
  });

  it('warns when the prompt contains an input token and no input is given', async () => {
    const { body } = await caller.compare({ prompt: 'Translate {input}', models: ['sim-swift'] });
    expect(body.prompt).toBe('Translate {input}');
    expect(body.results[0].warnings).toEqual([{ code: 'input_missing', message: expect.any(String) }]);
  });

  it('applies its defaults: temperature 0.7 and 500 tokens', async () => {
    const bare = { prompt: '[[sim:length=600]]', models: ['sim-swift'] };
    const [byDefault, spelledOut] = [
      await caller.compare(bare),
      await caller.compare({ ...bare, options: { temperature: 0.7, max_tokens: 500 } }),
    ];
    expect(byDefault.body.results[0].output_tokens).toBe(500);
    expect(byDefault.body.results[0].output).toBe(spelledOut.body.results[0].output);
  });

  const valid = { prompt: 'Hello', models: ['sim-swift'] };
  it.each([
    ['no body', undefined, undefined],
    ['an array', [], undefined],
    ['a missing prompt', { models: ['sim-swift'] }, 'prompt'],
    ['a prompt that is no text', { ...valid, prompt: 7 }, 'prompt'],
    ['an empty prompt', { ...valid, prompt: '' }, 'prompt'],
    ['a blank prompt', { ...valid, prompt: ' \n\t' }, 'prompt'],
    ['a prompt of 32,001 characters', { ...valid, prompt: 'x'.repeat(32_001) }, 'prompt'],
    ['U+0000 in the prompt', { ...valid, prompt: 'a\u0000b' }, 'prompt'],
    ['a lone surrogate in the input', '{"prompt":"a","models":["sim-swift"],"input":"\\ud800"}', 'input'],
    ['an input of 128,001 characters', { ...valid, input: 'x'.repeat(128_001) }, 'input'],
    ['an input of null', { ...valid, input: null }, 'input'],
    ['missing models', { prompt: 'Hello' }, 'models'],
    ['no models', { ...valid, models: [] }, 'models'],
    ['models that are no list', { ...valid, models: 'sim-swift' }, 'models'],
    ['models that are no texts', { ...valid, models: [1] }, 'models[0]'],
    ['nine models', { ...valid, models: Array.from({ length: 9 }, (_, index) => `m${index}`) }, 'models'],
    ['a model twice', { ...valid, models: ['sim-swift', 'sim-swift'] }, 'models'],
    ['options that are no object', { ...valid, options: 1 }, 'options'],
    ['options of null', { ...valid, options: null }, 'options'],
    ['a list of options', { ...valid, options: [] }, 'options'],
    ['a temperature above 2', { ...valid, options: { temperature: 2.1 } }, 'options.temperature'],
    ['a temperature below 0', { ...valid, options: { temperature: -0.1 } }, 'options.temperature'],
    ['a temperature that is a text', { ...valid, options: { temperature: '1' } }, 'options.temperature'],
    ['a temperature of null', { ...valid, options: { temperature: null } }, 'options.temperature'],
    ['max_tokens of 0', { ...valid, options: { max_tokens: 0 } }, 'options.max_tokens'],
    ['max_tokens of 1.5', { ...valid, options: { max_tokens: 1.5 } }, 'options.max_tokens'],
    ['max_tokens of 16,385', { ...valid, options: { max_tokens: 16_385 } }, 'options.max_tokens'],
    ['reasoning_tokens of -1', { ...valid, options: { reasoning_tokens: -1 } }, 'options.reasoning_tokens'],
    ['reasoning_tokens of 0.5', { ...valid, options: { reasoning_tokens: 0.5 } }, 'options.reasoning_tokens'],
    ['reasoning_tokens of 16,385', { ...valid, options: { reasoning_tokens: 16_385 } }, 'options.reasoning_tokens'],
    [
      'reasoning_tokens that are a text',
      { ...valid, options: { reasoning_tokens: '100' } },
      'options.reasoning_tokens',
    ],
    ['reasoning_tokens of null', { ...valid, options: { reasoning_tokens: null } }, 'options.reasoning_tokens'],
    ['a misplaced temperature', { ...valid, temperature: 1 }, 'temperature'],
    ['an unknown option', { ...valid, options: { top_p: 1 } }, 'options.top_p'],
  ])('rejects %s and names the field', async (_, body, param) => {
    const { status, body: answer } = await caller.compare(body);
    expect(status).toBe(400);
    expect(answer.error.code).toMatch(/^invalid_(request|json)$/);
    expect(answer.error.param).toBe(param);
    expect(answer.error.message.length).toBeGreaterThan(10);
  });

  it('accepts exactly the longest prompt and input', async () => {
    // Apart from the blank line between them.
    const { status } = await caller.compare({
      prompt: '🐘'.repeat(31_998),
      input: 'y'.repeat(128_000),
      models: ['sim-swift'],
    });
    expect(status).toBe(200);
  });

  const repeated = (times: number, length: number, more = '') => ({
    ...valid,
    prompt: `${'{input}'.repeat(times)}${more}`,
    input: '🐘'.repeat(length),
  });
  it.each([
    [
      '2,500 times',
      repeated(2500, 128_000),
      'With {input} replaced 2,500 times, the prompt would be 320,000,000 characters long; the maximum is 160,000.',
    ],
    [
      '4,500 times',
      repeated(4500, 128_000),
      'With {input} replaced 4,500 times, the prompt would be 576,000,000 characters long; the maximum is 160,000.',
    ],
    [
      'with one character too many twice',
      repeated(2, 80_000, '!'),
      'With {input} replaced 2 times, the prompt would be 160,001 characters long; the maximum is 160,000.',
    ],
    [
      'one character too many after the prompt',
      { ...valid, prompt: 'x'.repeat(31_999), input: 'y'.repeat(128_000) },
      'With the input appended, the prompt would be 160,001 characters long; the maximum is 160,000.',
    ],
  ])(
    'rejects an input that makes the prompt too long, %s, before anything is spent or stored',
    async (_, order, message) => {
      const user = await createCaller();
      const headers = { 'idempotency-key': 'stored-only-when-it-ran' };
      for (const { status, body } of [
        await user.post('/api/v1/compare', { ...order, models: ['sim-swift', 'nobody'] }, { headers }),
        await user.post('/api/v1/compare/estimate', order),
      ]) {
        expect({ status, error: body.error }).toEqual({
          status: 400,
          error: expect.objectContaining({ code: 'invalid_request', message, param: 'prompt' }),
        });
      }
      expect(await user.usage()).toMatchObject({ eval_count: 0, free_evals_remaining: 100 });
      expect((await user.post('/api/v1/compare', valid, { headers })).status).toBe(200);
    },
  );

  it('accepts an input that makes the prompt exactly as long as may be sent', async () => {
    const { status, body } = await caller.compare(repeated(2, 80_000));
    expect([status, body.results?.[0]?.error]).toEqual([200, undefined]);
  });

  it('names every unknown model before any is called', async () => {
    const { status, body } = await caller.compare({ prompt: 'Hello', models: ['nobody', 'sim-swift', 'nothing'] });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'unknown_model',
      param: 'models[0]',
      details: { unknown_models: ['nobody', 'nothing'] },
    });
  });

  it.each([
    ['broken JSON', '{"prompt":', 'application/json', 400, 'invalid_json'],
    [
      '__proto__ in JSON',
      '{"__proto__":{},"prompt":"a","models":["sim-swift"]}',
      'application/json',
      400,
      'invalid_json',
    ],
    ['plain text', 'hello', 'text/plain', 415, 'unsupported_media_type'],
    ['a form', 'prompt=a', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    [
      'a body over 1 MiB',
      JSON.stringify({ prompt: 'x'.repeat(1_100_000), models: [] }),
      'application/json',
      413,
      'body_too_large',
    ],
    [
      'absurd nesting',
      `{"prompt":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      'application/json',
      400,
      'invalid_request',
    ],
  ])('answers %s in the one error format', async (_, body, type, status, code) => {
    const answer = await caller.compare(body, { headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      error: expect.objectContaining({
        code,
        message: expect.any(String),
        request_id: answer.headers.get('x-request-id'),
      }),
    });
  });

  it('requires a key before it looks at the body', async () => {
    const { status, body } = await new Api(undefined).compare({});
    expect(status).toBe(401);
    expect(body.error.code).toBe('unauthorized');
  });
});
