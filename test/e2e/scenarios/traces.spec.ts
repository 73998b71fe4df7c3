import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { newSecret } from '../../../src/modules/auth/api-key.format';
import { Api, type Answer, type Json } from '../../support/api';
import { startEchoServer } from '../../support/echo-server';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { vendorSecrets } from '../../support/leak-detector';
import { ended, queue } from '../../support/runs';
import { startService, type ServiceProcess } from '../../support/service';
import { newTraceId, TraceCollector, traceparent, treeOf, type CollectedSpan } from '../../support/trace-collector';
import { vendorLog, vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const COMPARE = 'POST /api/v1/compare';
const GOOD = 'gpt-6.2-sol';
const BAD = 'claude-haiku-4-5';
/** Spans of a compare in which one vendor answers and one fails twice. */
const HALF = [
  'compare > chat claude-haiku-4-5',
  'compare > chat claude-haiku-4-5',
  'compare > chat gpt-6.2-sol',
  'compare > reserve',
  'compare > settle',
];
const port = Number(new URL(worker().vendorUrl).port);

const start = (variables: Record<string, string>) =>
  startService({
    DATABASE_URL: worker().databaseUrl,
    MAX_VENDOR_RETRIES: '1',
    ...vendorVariables(worker().vendorUrl),
    ...variables,
  });

/** One good vendor, and one failing vendor. */
function half(options: object = { max_tokens: 50 }): object {
  const usage = { inputTokens: 40, outputTokens: 20, cachedTokens: 8, reasoningTokens: 6 };
  return {
    prompt: vendorScript(crypto.randomUUID(), { [GOOD]: usage, [BAD]: { fault: 'server-error', retryAfter: '0' } }),
    models: [GOOD, BAD],
    options,
  };
}

function called(spans: readonly CollectedSpan[], name: string): CollectedSpan[] {
  return spans.filter((span) => span.name === name);
}

describe('Traces', () => {
  let collector: TraceCollector;
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    collector = await TraceCollector.start();
    service = await start(collector.settings);
    caller = await createCaller({ at: service.url });
  });
  afterAll(async () => {
    await service.stop();
    await collector.close();
  });

  /** The spans of this caller's request, once its server span has arrived. */
  async function traced(
    send: (headers: Record<string, string>) => Promise<Answer<Json>>,
    name = COMPARE,
  ): Promise<{ answer: Answer<Json>; spans: CollectedSpan[] }> {
    const traceId = newTraceId();
    const answer = await send(traceparent(traceId));
    return { answer, spans: await collector.trace(traceId, name) };
  }

  const compared = (body: object, more: Record<string, string> = {}) =>
    traced((headers) => caller.post('/api/v1/compare?include=details', body, { headers: { ...headers, ...more } }));

  it('show a compare from its request to its settlement, with every attempt of every vendor', async () => {
    const {
      answer: {
        body: { eval_id: evalId },
      },
      spans,
    } = await compared(half(), { 'x-request-id': 'my-request' });
    expect(treeOf(spans)).toEqual([` > ${COMPARE}`, `${COMPARE} > compare`, ...HALF]);
    expect(called(spans, COMPARE)).toEqual([
      expect.objectContaining({
        kind: 'server',
        isError: false,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/api/v1/compare',
          'http.response.status_code': 200,
          'mcs.request.id': 'my-request',
          'mcs.user.id': caller.userId,
          'mcs.key.id': caller.keyId,
          'mcs.eval.id': evalId,
        },
      }),
    ]);
    expect(called(spans, 'compare')).toEqual([
      expect.objectContaining({
        kind: 'internal',
        isError: false,
        attributes: {
          'mcs.eval.id': evalId,
          'mcs.models': [GOOD, BAD],
          'mcs.samples': 1,
          'mcs.outcome': 'stored',
          'mcs.free': false,
          'mcs.cost_usd': expect.any(Number),
          'mcs.charge_usd': expect.any(Number),
        },
      }),
    ]);
    const { attributes } = called(spans, 'compare')[0] ?? {};
    expect(attributes?.['mcs.charge_usd']).toBeCloseTo(1.4 * Number(attributes?.['mcs.cost_usd']), 12);
    for (const name of ['reserve', 'settle'])
      expect(called(spans, name)).toEqual([
        expect.objectContaining({ kind: 'internal', isError: false, attributes: {} }),
      ]);
  });

  it('describe the attempts of vendors as the GenAI conventions ask', async () => {
    const { spans } = await compared(half({ max_tokens: 50, temperature: 0.5 }));
    expect(called(spans, `chat ${GOOD}`)).toEqual([
      expect.objectContaining({
        kind: 'client',
        isError: false,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': GOOD,
          'gen_ai.request.max_tokens': 50,
          'gen_ai.request.stream': true,
          'server.address': '127.0.0.1',
          'server.port': port,
          'mcs.attempt': 1,
          'gen_ai.response.model': GOOD,
          'gen_ai.response.id': expect.stringMatching(/^chatcmpl-/),
          'gen_ai.response.finish_reasons': ['stop'],
          'gen_ai.response.time_to_first_chunk': expect.any(Number),
          'gen_ai.usage.input_tokens': 40,
          'gen_ai.usage.output_tokens': 20,
          'gen_ai.usage.cache_read.input_tokens': 8,
          'gen_ai.usage.cache_creation.input_tokens': 0,
          'gen_ai.usage.reasoning.output_tokens': 6,
        },
      }),
    ]);
    const failed = (attempt: number) =>
      expect.objectContaining({
        kind: 'client',
        isError: true,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'anthropic',
          'gen_ai.request.model': BAD,
          'gen_ai.request.max_tokens': 50,
          'gen_ai.request.temperature': 0.5,
          'gen_ai.request.stream': true,
          'server.address': '127.0.0.1',
          'server.port': port,
          'mcs.attempt': attempt,
          'error.type': 'unavailable',
        },
      });
    expect(called(spans, `chat ${BAD}`)).toEqual([failed(1), failed(2)]);
  });

  it('have the names of the conventions for vendors that differ from ours, and seconds to the first text', async () => {
    const { spans } = await compared({
      prompt: vendorScript(crypto.randomUUID(), { '*': { chunkDelayMs: 150 } }),
      models: ['gemini-3.5-flash', 'claude-sonnet-5-5', 'sim-swift'],
    });
    const chats = spans.filter(({ kind }) => kind === 'client');
    expect(chats.map(({ attributes }) => attributes['gen_ai.provider.name']).sort()).toEqual([
      'anthropic',
      'gcp.gemini',
      'simulator',
    ]);
    for (const { attributes } of chats.filter(({ name }) => name !== 'chat sim-swift')) {
      expect(attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThanOrEqual(0.15);
      expect(attributes['gen_ai.response.time_to_first_chunk']).toBeLessThan(15);
      expect(attributes['gen_ai.response.model']).toBe(attributes['gen_ai.request.model']);
    }
  });

  it('say that a whole answer was asked for where the caller does not watch', async () => {
    const { spans } = await traced((headers) =>
      caller.compare(
        { prompt: vendorScript(crypto.randomUUID(), { '*': { finish: 'stop' } }), models: [GOOD] },
        { headers },
      ),
    );
    const { attributes } = called(spans, `chat ${GOOD}`)[0] ?? {};
    expect(attributes).toMatchObject({ 'gen_ai.request.stream': false, 'gen_ai.response.finish_reasons': ['stop'] });
    expect(attributes).not.toHaveProperty(['gen_ai.response.time_to_first_chunk']);
  });

  it('say why a model stopped', async () => {
    const { spans } = await compared({
      prompt: vendorScript(crypto.randomUUID(), { '*': { finish: 'length' } }),
      models: [GOOD],
    });
    expect(called(spans, `chat ${GOOD}`)[0]?.attributes['gen_ai.response.finish_reasons']).toEqual(['length']);
  });

  it('show a compare also where its body comes later than its head', async () => {
    const traceId = newTraceId();
    const headers = {
      ...traceparent(traceId),
      authorization: `Bearer ${caller.key ?? ''}`,
      'content-type': 'application/json',
      expect: '100-continue',
    };
    const sent = request(`${service.url}/api/v1/compare`, { method: 'POST', headers });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end(JSON.stringify({ prompt: vendorScript(crypto.randomUUID(), {}), models: [GOOD] }));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    expect(treeOf(await collector.trace(traceId, COMPARE))).toContain(`${COMPARE} > compare`);
  });

  it('show streams, and of samples every call', async () => {
    const { spans } = await compared(half({ max_tokens: 50, samples: 2 }), { accept: 'text/event-stream' });
    expect(treeOf(spans).filter((line) => line.startsWith('compare >'))).toEqual(
      [...HALF, ...HALF.filter((line) => line.includes('chat'))].sort(),
    );
    expect(called(spans, 'compare')[0]?.attributes).toMatchObject({ 'mcs.samples': 2, 'mcs.outcome': 'stored' });
  });

  it('show re-runs', async () => {
    const {
      answer: {
        body: { eval_id: evalId },
      },
    } = await compared(half());
    const { spans } = await traced(
      (headers) => caller.post(`/api/v1/evals/${evalId}/rerun`, undefined, { headers }),
      'POST /api/v1/evals/:id/rerun',
    );
    expect(treeOf(spans)).toEqual([
      ' > POST /api/v1/evals/:id/rerun',
      'POST /api/v1/evals/:id/rerun > compare',
      ...HALF,
    ]);
  });

  it('show a background run as a separate trace, which the request does not wait for', async () => {
    const {
      answer: {
        body: { run_id: runId },
      },
      spans: [asked],
    } = await traced((headers) => queue(caller, half(), { headers }));
    await ended(caller, runId as string);
    const compare = () => collector.spans.find(({ attributes }) => attributes['mcs.run.id'] === runId);
    const { traceId = '', parentSpanId } = await collector.find(compare);
    expect(parentSpanId).toBeUndefined();
    expect(traceId).not.toBe(asked?.traceId);
    expect(treeOf(await collector.trace(traceId, 'compare'))).toEqual([' > compare', ...HALF]);
  });

  it('show what a caller who hangs up leaves running', async () => {
    const traceId = newTraceId();
    const [gone, run] = [new AbortController(), crypto.randomUUID()];
    const body = { prompt: vendorScript(run, { '*': { delayMs: 2000 } }), models: [GOOD] };
    const answer = caller.compare(body, { headers: traceparent(traceId), signal: gone.signal }).catch(() => undefined);
    await eventually(
      'the vendor was called',
      async () => (await vendorLog(worker().vendorUrl, run)).calls.length === 1,
    );
    gone.abort();
    await answer;
    expect(treeOf(await collector.trace(traceId, 'compare'))).toEqual(
      expect.arrayContaining([
        `${COMPARE} > compare`,
        `compare > chat ${GOOD}`,
        'compare > reserve',
        'compare > settle',
      ]),
    );
  });

  it('mark a compare whose models all fail as failed, by the code alone', async () => {
    const { answer, spans } = await compared({
      prompt: vendorScript(crypto.randomUUID(), { '*': { fault: 'bad-request' } }),
      models: [BAD],
    });
    expect(answer.status).toBe(502);
    expect(treeOf(spans)).toEqual([
      ` > ${COMPARE}`,
      `${COMPARE} > compare`,
      `compare > chat ${BAD}`,
      'compare > reserve',
    ]);
    expect(called(spans, COMPARE)[0]).toMatchObject({
      isError: true,
      attributes: { 'http.response.status_code': 502, 'error.type': 'all_models_failed' },
    });
    expect(called(spans, 'compare')[0]).toMatchObject({
      isError: true,
      attributes: { 'mcs.models': [BAD], 'mcs.outcome': 'all_models_failed', 'error.type': 'all_models_failed' },
    });
  });

  it('say of an attempt that took too long that it did', async () => {
    const hasty = await start({ ...collector.settings, MODEL_TIMEOUT_MS: '1000' });
    const [user, traceId] = [await createCaller({ at: hasty.url }), newTraceId()];
    await user.compare(
      { prompt: vendorScript(crypto.randomUUID(), { '*': { delayMs: 20_000 } }), models: [GOOD] },
      { headers: traceparent(traceId) },
    );
    expect(called(await collector.trace(traceId, COMPARE), `chat ${GOOD}`)).toEqual([
      expect.objectContaining({ isError: true, attributes: expect.objectContaining({ 'error.type': 'timeout' }) }),
    ]);
    await hasty.stop();
  });

  it('tell of a refused compare why, but not as a failure, and name no model that does not exist', async () => {
    const { spans } = await compared({ prompt: 'Hi', models: ['a-model-of-the-caller'] });
    expect(spans.map(({ name, isError, attributes: { 'error.type': error } }) => [name, isError, error])).toEqual([
      ['compare', false, 'unknown_model'],
      [COMPARE, false, 'unknown_model'],
    ]);
    expect(collector.bodies.join('')).not.toContain('a-model-of-the-caller');
  });

  it('tell of a replay that it is one, and no charge', async () => {
    const body = { ...half(), prompt: vendorScript(crypto.randomUUID(), {}) };
    const key = { 'idempotency-key': crypto.randomUUID() };
    const {
      answer: {
        body: { eval_id: evalId },
      },
    } = await compared(body, key);
    const { spans } = await compared(body, key);
    expect(treeOf(spans)).toEqual([` > ${COMPARE}`, `${COMPARE} > compare`]);
    expect(called(spans, 'compare')[0]?.attributes).toEqual({ 'mcs.eval.id': evalId, 'mcs.outcome': 'replayed' });
  });

  it('have a span for every other request but health probes and metrics', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) await caller.get(path);
    const { spans } = await traced((headers) => caller.get('/api/v1/usage', { headers }), 'GET /api/v1/usage');
    expect(spans).toHaveLength(1);
    const {
      spans: [unserved],
    } = await traced((headers) => caller.get('/nothing/here', { headers }), 'GET');
    expect(unserved?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 404,
      'error.type': 'not_found',
      'mcs.request.id': expect.any(String),
    });
    expect(collector.spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([]);
  });

  it('hold no text of prompts, inputs and answers, no key and no word of a vendor', async () => {
    const echo = await startEchoServer();
    const other = await start({ ...collector.settings, ...vendorSecrets(echo.url), LOG_LEVEL: 'trace' });
    const user = (await createCaller({ at: other.url })).at(other.url);
    const secrets = { prompt: 'SECRETPROMPT', input: 'SECRETINPUT', answer: 'SECRETANSWER', key: newSecret() };
    const body = { prompt: `${secrets.prompt} [[echo:400]]`, input: secrets.input, models: [GOOD, BAD] };
    await user.compare(body, {
      headers: { 'x-request-id': secrets.key, 'user-agent': secrets.prompt, baggage: `note=${secrets.prompt}` },
    });
    await user.compare(body, { headers: { accept: 'text/event-stream' } });
    await caller.compare({
      prompt: `${secrets.prompt} ${vendorScript(crypto.randomUUID(), { '*': { text: secrets.answer }, [BAD]: { fault: 'bad-request' } })}`,
      input: secrets.input,
      models: [GOOD, BAD],
    });
    await user.get(`/api/v1/shared/${secrets.key}?note=${secrets.prompt}`);
    await new Api(secrets.key, other.url).get('/api/v1/usage');
    await other.stop();
    await echo.close();
    const sent = collector.bodies.join('');
    expect(sent).toContain('[redacted]');
    for (const text of [...Object.values(secrets), user.key ?? '', caller.key ?? '', 'MARKER', 'SECRET', '/srv/vendor'])
      expect(sent).not.toContain(text);
  });
});
