import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Json } from '../../support/api';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { rawRequest, requestText } from '../../support/raw';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

interface SentEvent {
  id: string;
  event: string;
  data: Json;
}

/** Sends the compare and reads its events to the end. */
async function streamed(
  caller: Caller,
  body: object,
): Promise<{ status: number; type: string | null; events: SentEvent[] }> {
  const { status, headers, text } = await caller.compare(body, { headers: { accept: 'text/event-stream' } });
  const events = text
    .split('\n\n')
    .filter((block) => block.startsWith('id:'))
    .map((block): SentEvent => {
      const [id = '', event = '', data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(':') + 2));
      return { id, event, data: JSON.parse(data) };
    });
  return { status, type: headers.get('content-type'), events };
}

describe('POST /api/v1/compare with Accept: text/event-stream', () => {
  it('streams the run as it happens and ends with the eval that GET returns', async () => {
    const caller = await createCaller();
    const { status, type, events } = await streamed(caller, {
      prompt: 'Hello [[sim-titan:slow=4000]]',
      models: ['sim-titan', 'sim-swift'],
    });
    expect(status).toBe(200);
    expect(type).toContain('text/event-stream');
    expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ event: 'eval-started', data: { models: ['sim-titan', 'sim-swift'] } });
    const last = events.at(-1);
    expect(last?.event).toBe('eval');
    expect(last?.data.eval_id).toBe(events[0]?.data.eval_id);
    expect((await caller.get(`/api/v1/evals/${last?.data.eval_id}`)).body).toEqual(last?.data);
    // The quick model's result lands before the slow one's, though it comes second in the request.
    expect(events.filter(({ event }) => event === 'result').map(({ data }) => data.model)).toEqual([
      'sim-swift',
      'sim-titan',
    ]);
    for (const result of last?.data.results ?? []) {
      const deltas = events.filter(({ event, data }) => event === 'delta' && data.model === result.model);
      expect(deltas.map(({ data }) => data.text).join('')).toBe(result.output);
      expect(events).toContainEqual(expect.objectContaining({ event: 'result', data: result }));
    }
  });

  it('sends the details of a result with include=details at once, except the charge, which only the stored eval has', async () => {
    const caller = await createCaller();
    const { text } = await caller.post(
      '/api/v1/compare?include=details',
      { prompt: 'Hello [[sim-sage:fail]]', models: ['sim-swift', 'sim-sage'] },
      { headers: { accept: 'text/event-stream' } },
    );
    const dataOf = (name: string) =>
      [...text.matchAll(new RegExp(`^event: ${name}\\ndata: (.*)$`, 'gm'))].map(([, data]) => JSON.parse(data ?? ''));
    const [stored] = dataOf('eval');
    const results = dataOf('result');
    expect(results).toHaveLength(2);
    for (const result of results) {
      const {
        details: { charge_usd: charge, ...details },
        ...rest
      } = stored.results.find(({ model }: Json) => model === result.model);
      expect([typeof charge, result]).toEqual(['number', { ...rest, details }]);
    }
  });

  it('streams simulated models piece by piece by default', async () => {
    const models = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'];
    const { events } = await streamed(await createCaller(), { prompt: 'Hello', models });
    for (const model of models)
      expect(events.filter(({ event, data }) => event === 'delta' && data.model === model).length).toBeGreaterThan(1);
  });

  it('streams a simulated echo at the requested pace', async () => {
    const input = Array(6).fill('good morning to everybody').join(' ');
    const begun = performance.now();
    const { events } = await streamed(await createCaller(), {
      prompt: '[[sim:echo]][[sim:pace=20]]Say {input}.',
      input,
      models: ['sim-swift'],
    });
    const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data.text as string);
    expect(deltas.join('')).toBe(`Say ${input}.`);
    // Forty tokens in pieces of one to three; late pieces arrive together.
    expect(deltas.length).toBeGreaterThanOrEqual(3);
    expect(performance.now() - begun).toBeGreaterThan(1500);
  });

  it('asks proxies to pass each piece on at once and to store nothing', async () => {
    const caller = await createCaller();
    const { headers } = await caller.compare(
      { prompt: 'Hello', models: ['sim-swift'] },
      { headers: { accept: 'text/event-stream' } },
    );
    expect([headers.get('x-accel-buffering'), headers.get('cache-control')]).toEqual(['no', 'no-store']);
  });

  it('streams real vendors piece by piece', async () => {
    const caller = await createCaller();
    const script = { text: 'one two three four', chunks: 4, chunkDelayMs: 300 };
    const { events } = await streamed(caller, {
      prompt: vendorScript(randomUUID(), { '*': script }),
      models: ['gpt-6-luna', 'claude-haiku-4-5'],
    });
    for (const model of ['gpt-6-luna', 'claude-haiku-4-5']) {
      const deltas = events.filter(({ event, data }) => event === 'delta' && data.model === model);
      expect(deltas.length).toBeGreaterThan(1);
      expect(deltas.map(({ data }) => data.text).join('')).toBe(script.text);
    }
  });

  it('charges like JSON', async () => {
    const caller = await createCaller({ freeQuota: 1 });
    const order = { prompt: 'Hello', models: ['sim-swift'] };
    await streamed(caller, order);
    const { events } = await streamed(caller, order);
    const usage = await caller.usage();
    expect(usage).toMatchObject({ eval_count: 2, free_evals_remaining: 0 });
    expect(usage.total_charge_usd).toBeCloseTo(events.at(-1)?.data.meta.total_cost_usd * 1.4, 15);
  });

  it('ends with an error event when every model fails, and has stored and charged nothing', async () => {
    const caller = await createCaller();
    const { status, events } = await streamed(caller, { prompt: '[[sim:fail=overloaded]]', models: ['sim-swift'] });
    expect(status).toBe(200);
    expect(events.at(-1)).toMatchObject({
      event: 'error',
      data: { error: { code: 'all_models_failed', request_id: expect.any(String) } },
    });
    expect(await caller.usage()).toMatchObject({ eval_count: 0, free_evals_remaining: 100 });
  });

  it('answers SSE where the Accept header prefers it, and JSON where it does not', async () => {
    const caller = await createCaller();
    const typeFor = async (accept: string) =>
      (await caller.compare({ prompt: 'Hello', models: ['sim-quill'] }, { headers: { accept } })).headers
        .get('content-type')
        ?.split(';')[0];
    for (const accept of ['text/event-stream, application/json', 'application/json;q=0.5, text/event-stream'])
      expect([accept, await typeFor(accept)]).toEqual([accept, 'text/event-stream']);
    for (const accept of ['application/json, text/event-stream', 'text/event-stream;q=0', '*/*'])
      expect([accept, await typeFor(accept)]).toEqual([accept, 'application/json']);
  });

  it('answers an error before the first event with its own status', async () => {
    const caller = await createCaller();
    const { status, body } = await caller.compare(
      { prompt: 'Hello', models: ['nobody'] },
      { headers: { accept: 'text/event-stream' } },
    );
    expect(status).toBe(400);
    expect(body.error.code).toBe('unknown_model');
  });

  it('loses nothing when the client disconnects', async () => {
    const caller = await createCaller();
    const hangUp = new AbortController();
    const response = await fetch(`${caller.url}/api/v1/compare`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ prompt: 'gone [[sim:slow=400]]', models: ['sim-swift', 'sim-sage'] }),
      signal: hangUp.signal,
    });
    await response.body?.getReader().read();
    hangUp.abort();
    await eventually('the eval is stored', async () => (await caller.usage()).eval_count === 1);
  });

  it('does not wait for a client that stops reading: the eval is stored while its text is still buffered', async () => {
    const caller = await createCaller();
    const payload = JSON.stringify({
      prompt: '[[sim:length=16000]]',
      models: ['sim-swift', 'sim-sage', 'sim-quill', 'sim-titan'],
      options: { max_tokens: 16_000 },
    });
    const { hostname, port } = new URL(caller.url);
    const socket = connect(Number(port), hostname);
    // Never read: the kernel's buffers fill, and from then on the service must hold back by itself.
    socket.pause();
    socket.write(
      `POST /api/v1/compare HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${caller.key}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(payload)}\r\n\r\n${payload}`,
    );
    await eventually('the eval is stored', async () => (await caller.usage()).eval_count === 1);
    socket.destroy();
  });
});

describe('The response to a compare as events', () => {
  const ORIGIN = 'https://app.example.com';
  const ORDER = { prompt: 'Hello', models: ['sim-swift'] };
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      LOG_LEVEL: 'info',
      CORS_ORIGINS: ORIGIN,
      MAX_EVENT_LOOP_DELAY_MS: '0',
    });
    caller = await createCaller({ at: service.url });
  });
  afterAll(async () => void (await service.stop()));

  const compareAs = (accept: string, requestId: string) =>
    caller.compare(ORDER, { headers: { accept, origin: ORIGIN, 'x-request-id': requestId } });

  it('has the headers of the response as JSON, but for those of its body', async () => {
    const ofBody = new Set([
      'content-length',
      'content-type',
      'date',
      'location',
      'ratelimit',
      'transfer-encoding',
      'x-accel-buffering',
      'x-request-id',
    ]);
    const [json, stream] = await Promise.all([
      compareAs('application/json', 'headers-as-json'),
      compareAs('text/event-stream', 'headers-as-events'),
    ]);
    const headersOf = (headers: Headers) => [...headers].filter(([name]) => !ofBody.has(name));
    expect(headersOf(stream.headers)).toEqual(headersOf(json.headers));
    expect(stream.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(stream.headers.get('x-request-id')).toBe('headers-as-events');
    expect(stream.headers.get('ratelimit')).toMatch(/\d/);
  });

  it('leaves one line in the log and counts in the metrics, like any other', async () => {
    const count = async () =>
      Number(
        /^http_server_request_duration_seconds_count\{http_route="\/api\/v1\/compare",http_request_method="POST",http_response_status_code="200"\} (\d+)$/m.exec(
          (await caller.get('/metrics')).text,
        )?.[1] ?? 0,
      );
    const had = await count();
    await compareAs('text/event-stream', 'one-line-in-the-log');
    await eventually('it is counted', async () => (await count()) === had + 1);
    await eventually('the line is written', () => service.output().includes('one-line-in-the-log'));
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.includes('one-line-in-the-log'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ msg: 'request', method: 'POST', path: '/api/v1/compare', status: 200 }),
    ]);
    expect(service.output()).not.toContain('"level":"warn"');
  });

  it.each([
    ['HTTP/1.1', 'chunked'],
    ['HTTP/1.0', undefined],
  ])('ends with its connection for a client of %s that asks for that', async (version, encoding) => {
    const bytes = requestText(
      'POST',
      '/api/v1/compare',
      { Authorization: `Bearer ${caller.key ?? ''}`, Accept: 'text/event-stream', 'Content-Type': 'application/json' },
      JSON.stringify(ORDER),
    );
    const answer = await rawRequest(service.url, bytes.replace('HTTP/1.1', version));
    expect([answer?.status, answer?.headers['connection'], answer?.headers['transfer-encoding']]).toEqual([
      200,
      'close',
      encoding,
    ]);
    expect(answer?.body).toMatch(/^id: 1\nevent: eval-started\n[^]*event: eval\ndata: [^\n]*\n\n$/);
  });
});
