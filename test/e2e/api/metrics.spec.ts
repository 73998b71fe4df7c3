import { Api } from '../../support/api';
import { createCaller, eventually } from '../../support/factories';
import { PausableProxy } from '../../support/pausable-proxy';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const TOKEN = 'metrics-token-0123456789';

describe('GET /metrics', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', METRICS_TOKEN: TOKEN, RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '1' });
  });
  afterAll(() => service.stop());

  const scrape = async () => (await new Api(TOKEN, service.url).get('/metrics')).text;

  it('accepts only the token when there is one, and answers others in the one error format, however often', async () => {
    const caller = await createCaller({ at: service.url });
    for (const key of [undefined, 'nonsense', `${TOKEN}x`, TOKEN.slice(1), caller.key]) {
      const { status, body, headers } = await new Api(key, service.url).get('/metrics');
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(body.error).toMatchObject({ code: 'unauthorized', request_id: headers.get('x-request-id') });
    }
    const { status, headers } = await new Api(TOKEN, service.url).get('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers.get('ratelimit')).toBeNull();
  });

  it('counts requests by the pattern of their route, and nothing that a caller has invented', async () => {
    const caller = await createCaller({ at: service.url });
    for (const path of ['/api/v1/evals/eval_MARKER1', '/MARKER2', '/api/v1/models?MARKER3=1']) await caller.get(path, { headers: { 'x-request-id': 'MARKER4-0123' } });
    await caller.compare({ prompt: 'MARKER5', models: ['MARKER6'] });
    const text = await scrape();
    expect(text).toMatch(/^http_requests_total\{route="\/api\/v1\/evals\/:id",method="GET",status="4xx"\} 1$/m);
    expect(text).toMatch(/^http_requests_total\{route="none",method="any",status="4xx"\} 1$/m);
    expect(text).toMatch(/^http_request_duration_seconds_count\{route="\/api\/v1\/models",method="GET"\} 1$/m);
    expect(text).toMatch(/^compares_total\{outcome="unknown_model"\} 1$/m);
    expect(text).not.toContain('MARKER');
  });

  it('reports compares, model calls, tokens and vendor cost', async () => {
    const caller = await createCaller({ at: service.url });
    const { body } = await caller.compare({ prompt: '[[sim-quill:fail=overloaded]]', models: ['sim-swift', 'sim-quill'] });
    await caller.compare({ prompt: '[[sim:fail=unavailable]]', models: ['sim-swift'] });
    const text = await scrape();
    for (const line of [
      'compares_total{outcome="stored"} 1', 'compares_total{outcome="all_models_failed"} 1', 'compares_in_flight 0',
      'model_calls_total{provider="simulator",outcome="ok"} 1', 'model_calls_total{provider="simulator",outcome="overloaded"} 1',
      'model_calls_total{provider="simulator",outcome="unavailable"} 1', 'model_call_duration_seconds_count{provider="simulator"} 3',
      `model_tokens_total{provider="simulator",kind="input"} ${body.results[0].input_tokens}`,
      `model_tokens_total{provider="simulator",kind="output"} ${body.results[0].output_tokens}`,
      `vendor_cost_usd_total{provider="simulator"} ${body.meta.total_cost_usd}`,
    ]) expect(text.split('\n')).toContain(line);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });
});

describe('The counter of compares', () => {
  it('counts under the code that the caller received, also while the database is unreachable', async () => {
    const proxy = await PausableProxy.inFrontOf(worker().databaseUrl);
    const service = await startService({ DATABASE_URL: proxy.url, SIMULATOR: 'on', DATABASE_TIMEOUT_MS: '1000', LOG_LEVEL: 'fatal' });
    try {
      const caller = await createCaller({ at: service.url });
      const outcomes = async () => [...(await caller.get('/metrics')).text.matchAll(/^compares_total\{outcome="(\w+)"\} /gm)].map(([, outcome]) => outcome);
      await eventually('a compare came as far as the database', async () => {
        // A key that was just in use is believed for a second without the database.
        await eventually('the key is known', async () => (await caller.get('/api/v1/usage')).status === 200);
        proxy.pause();
        const { status, body } = await caller.compare({ prompt: 'unreachable', models: ['sim-swift'] });
        proxy.resume();
        expect([status, body.error.code]).toEqual([503, 'unavailable']);
        return (await outcomes()).length > 0;
      });
      expect(await outcomes()).toEqual(['unavailable']);
    } finally {
      await service.stop();
      await proxy.close();
    }
  });
});

describe('GET /metrics without METRICS_TOKEN', () => {
  it('is public outside production, and absent in production', async () => {
    expect((await new Api(undefined).get('/metrics')).status).toBe(200);
    const service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', NODE_ENV: 'production' });
    try {
      const { status, body } = await new Api(undefined, service.url).get('/metrics');
      expect(status).toBe(404);
      expect(body.error.code).toBe('not_found');
    } finally {
      await service.stop();
    }
  });
});
