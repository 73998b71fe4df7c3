import type { Json } from '../../support/api';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { rawRequest, requestText } from '../../support/raw';
import { startService, type ServiceProcess } from '../../support/service';
import { CALLERS_SPAN, newTraceId, TraceCollector, traceparent } from '../../support/trace-collector';
import { vendorLog, vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const COMPARE = 'POST /api/v1/compare';
const GOOD = 'gpt-6.2-sol';
const BAD = 'claude-haiku-4-5';

const start = (variables: Record<string, string>) =>
  startService({
    DATABASE_URL: worker().databaseUrl,
    LOG_LEVEL: 'info',
    MAX_VENDOR_RETRIES: '0',
    ...vendorVariables(worker().vendorUrl),
    ...variables,
  });

/** The lines of the log that have this value in one of these fields. */
function linesWith(service: ServiceProcess, value: string): Record<string, unknown>[] {
  return service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(value))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Waits for the line that every request ends with. */
async function requestLine(service: ServiceProcess, requestId: string): Promise<Record<string, unknown>> {
  const line = () => linesWith(service, requestId).find(({ msg }) => msg === 'request');
  await eventually('the request is logged', () => line() !== undefined);
  return line() ?? {};
}

describe('A trace id', () => {
  let collector: TraceCollector;
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    collector = await TraceCollector.start();
    service = await start({ ...collector.settings, LOG_PROMPTS: 'on' });
    caller = await createCaller({ at: service.url });
  });
  afterAll(async () => {
    await service.stop();
    await collector.close();
  });

  /** Fetch refuses to send this header. */
  async function unmet(headers: Record<string, string>): Promise<{ status: number; body: Json }> {
    const answer = await rawRequest(
      service.url,
      requestText('GET', '/api/v1/models', { ...headers, Expect: 'a miracle' }),
    );
    return { status: answer?.status ?? 0, body: JSON.parse(answer?.body ?? '{}') };
  }

  it("is the caller's, whose span is the parent of the request", async () => {
    const traceId = newTraceId();
    await caller.get('/api/v1/usage', { headers: traceparent(traceId) });
    expect(await collector.trace(traceId, 'GET /api/v1/usage')).toEqual([
      expect.objectContaining({ parentSpanId: CALLERS_SPAN }),
    ]);
  });

  it("is the caller's also where the caller records nothing, and then nothing is recorded here", async () => {
    const [silent, loud] = [newTraceId(), newTraceId()];
    const { body } = await caller.get('/api/v1/evals/none', {
      headers: { ...traceparent(silent, '00'), 'x-request-id': `not-recorded-${silent}` },
    });
    expect(body.error.trace_id).toBe(silent);
    expect(await requestLine(service, `not-recorded-${silent}`)).toMatchObject({ traceId: silent });
    await caller.compare(
      { prompt: vendorScript(crypto.randomUUID(), {}), models: [GOOD] },
      { headers: traceparent(silent, '00') },
    );
    await caller.get('/api/v1/usage', { headers: traceparent(loud) });
    await collector.trace(loud, 'GET /api/v1/usage');
    expect(collector.bodies.join('')).not.toContain(silent);
  });

  it.each([
    ['malformed', 'nonsense'],
    ['of a version that cannot be', `ff-${'a'.repeat(32)}-${CALLERS_SPAN}-01`],
    ['too long for version 00', `00-${'a'.repeat(32)}-${CALLERS_SPAN}-01-more`],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${CALLERS_SPAN}-01`],
    ['with a span of zeros', `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`],
    ['in capital letters', `00-${'A'.repeat(32)}-${CALLERS_SPAN}-01`],
    ['sent twice', `00-${'a'.repeat(32)}-${CALLERS_SPAN}-01, 00-${'b'.repeat(32)}-${CALLERS_SPAN}-01`],
    ['of 8,000 characters', `00-${'a'.repeat(8000)}`],
    ['empty', ''],
  ])('is a new one where the traceparent is %s', async (_, given) => {
    const { status, body } = await caller.get('/api/v1/evals/none', { headers: { traceparent: given } });
    expect(status).toBe(404);
    expect(body.error.trace_id).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(given.toLowerCase()).not.toContain(body.error.trace_id);
    const spans = await collector.trace(body.error.trace_id as string, 'GET /api/v1/evals/:id');
    expect(spans).toEqual([expect.objectContaining({ parentSpanId: undefined })]);
  });

  it('is read from a traceparent of a later version', async () => {
    const traceId = newTraceId();
    const { body } = await caller.get('/api/v1/evals/none', {
      headers: { traceparent: `01-${traceId}-${CALLERS_SPAN}-01-something-new`, tracestate: 'x'.repeat(4000) },
    });
    expect(body.error.trace_id).toBe(traceId);
  });

  it('is in every log line of a request', async () => {
    const traceId = newTraceId();
    const requestId = `logged-${traceId}`;
    // Leaves lines about the counts, the prompt and the request.
    const prompt = vendorScript(crypto.randomUUID(), { [BAD]: { outputTokens: 2_000_050 } });
    const {
      body: { eval_id: evalId },
    } = await caller.compare(
      { prompt, models: [BAD], options: { max_tokens: 50 } },
      { headers: { ...traceparent(traceId), 'x-request-id': requestId } },
    );
    await eventually('all are logged', () => linesWith(service, traceId).length >= 3);
    const lines = linesWith(service, traceId);
    expect(lines.map(({ event, msg }) => event ?? msg).sort()).toEqual(['compare', 'request', 'usage-above-limit']);
    expect(lines).toEqual(lines.map(() => expect.objectContaining({ traceId })));
    expect(linesWith(service, evalId as string).every((line) => line['traceId'] === traceId)).toBe(true);
  });

  it.each([
    [
      'a refused key',
      (headers: Record<string, string>) =>
        caller.get('/api/v1/usage', { headers: { ...headers, authorization: 'Bearer none' } }),
    ],
    ['an unknown route', (headers: Record<string, string>) => caller.get('/api/v1/nothing', { headers })],
    [
      'an address that cannot be decoded',
      (headers: Record<string, string>) => caller.get('/api/v1/evals/%zz', { headers }),
    ],
    ['an expectation that nothing can meet', (headers: Record<string, string>) => unmet(headers)],
    [
      'a method that is not allowed',
      (headers: Record<string, string>) => caller.call('PATCH', '/api/v1/compare', undefined, { headers }),
    ],
    ['a body that is no JSON', (headers: Record<string, string>) => caller.compare('{', { headers })],
    [
      'a body that is too large',
      (headers: Record<string, string>) => caller.compare('x'.repeat(1_100_000), { headers }),
    ],
    ['a field that is missing', (headers: Record<string, string>) => caller.compare({}, { headers })],
    [
      'models that all fail',
      (headers: Record<string, string>) =>
        caller.compare({ prompt: vendorScript('', { '*': { fault: 'overload' } }), models: [BAD] }, { headers }),
    ],
  ])('is in the error body of %s, beside the request id', async (_, send) => {
    const traceId = newTraceId();
    const { status, body } = await send(traceparent(traceId));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(Object.keys(body.error as object).slice(-2)).toEqual(['request_id', 'trace_id']);
    expect(body.error.trace_id).toBe(traceId);
    expect(await requestLine(service, body.error.request_id as string)).toMatchObject({
      traceId,
      code: body.error.code,
    });
    await collector.find(() =>
      collector.spans.find(
        (span) =>
          span.traceId === traceId &&
          span.kind === 'server' &&
          span.parentSpanId === CALLERS_SPAN &&
          span.attributes['error.type'] === body.error.code,
      ),
    );
  });

  it('is in the last event of a stream that fails', async () => {
    const traceId = newTraceId();
    const { text } = await caller.compare(
      { prompt: vendorScript('', { '*': { fault: 'overload' } }), models: [BAD] },
      { headers: { ...traceparent(traceId), accept: 'text/event-stream' } },
    );
    expect(text).toContain('event: error');
    expect(text).toContain(`"trace_id":"${traceId}"`);
    const spans = await collector.trace(traceId, COMPARE);
    expect(spans.at(-1)).toMatchObject({
      isError: true,
      attributes: { 'http.response.status_code': 200, 'error.type': 'all_models_failed' },
    });
  });

  it('is not sent to vendors', async () => {
    const run = crypto.randomUUID();
    await caller.compare(
      { prompt: vendorScript(run, {}), models: [GOOD, BAD] },
      { headers: { ...traceparent(newTraceId()), tracestate: 'a=b', baggage: 'c=d' } },
    );
    const { calls } = await vendorLog(worker().vendorUrl, run);
    expect(calls).toHaveLength(2);
    for (const { headers } of calls)
      expect(Object.keys(headers).filter((name) => /trace|baggage|b3/.test(name))).toEqual([]);
  });
});

describe('With OTEL_PROPAGATE_TO_VENDORS', () => {
  it('vendors get the trace and the span of their call, but nothing that the caller has added', async () => {
    const collector = await TraceCollector.start();
    const service = await start({
      ...collector.settings,
      OTEL_PROPAGATE_TO_VENDORS: 'true',
      OTEL_PROPAGATORS: 'tracecontext,baggage',
    });
    const [run, traceId] = [crypto.randomUUID(), newTraceId()];
    const caller = await createCaller({ at: service.url });
    await caller.compare(
      { prompt: vendorScript(run, {}), models: [GOOD] },
      { headers: { ...traceparent(traceId), tracestate: 'a=b', baggage: 'c=d' } },
    );
    const {
      calls: [call],
    } = await vendorLog(worker().vendorUrl, run);
    const spans = await collector.trace(traceId, COMPARE);
    const { spanId } = spans.find(({ kind }) => kind === 'client') ?? {};
    expect(Object.entries(call?.headers ?? {}).filter(([name]) => /trace|baggage|b3/.test(name))).toEqual([
      ['traceparent', `00-${traceId}-${spanId}-01`],
    ]);
    await service.stop();
    await collector.close();
  });
});

describe('Without traces', () => {
  it('a traceparent changes nothing: no answer, no log line and no call of a vendor names a trace', async () => {
    const service = await start({ OTEL_PROPAGATE_TO_VENDORS: 'true', OTEL_SERVICE_NAME: 'not-enough' });
    const [run, traceId] = [crypto.randomUUID(), newTraceId()];
    const caller = await createCaller({ at: service.url });
    const { body } = await caller.get('/api/v1/evals/none', {
      headers: { ...traceparent(traceId), 'x-request-id': 'without-traces' },
    });
    expect(Object.keys(body.error as object).at(-1)).toBe('request_id');
    const { status } = await caller.compare(
      { prompt: vendorScript(run, {}), models: [GOOD] },
      { headers: traceparent(traceId) },
    );
    expect(status).toBe(200);
    expect((await vendorLog(worker().vendorUrl, run)).calls[0]?.headers).not.toHaveProperty('traceparent');
    expect(await requestLine(service, 'without-traces')).not.toHaveProperty('traceId');
    await service.stop();
    expect(service.output()).not.toContain(traceId);
  });
});
