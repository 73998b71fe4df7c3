import { ModelComparison } from './client';
import { CompareError, ConnectionError } from './errors';

const KEY = 'mcs_secret0123456789';
const BODY = { prompt: 'Hello', models: ['sim-swift'] };
const EVAL = { eval_id: 'eval_1', results: [] };

interface Request {
  method: string;
  url: string;
  key: string | null;
  body: string | undefined;
}
type Reply = () => Response | Promise<Response>;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
const failure = (status: number, code: string, headers?: Record<string, string>): Reply =>
  json(status, { error: { code, message: `Told ${code}.`, request_id: 'req_1' } }, headers);
const events =
  (...frames: string[]): Reply =>
  () =>
    new Response(frames.map((frame) => `${frame}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    });
const frame = (event: string, data: unknown) => `id: 1\nevent: ${event}\ndata: ${JSON.stringify(data)}`;
const noConnection: Reply = () => {
  throw new TypeError('fetch failed');
};
const cut: Reply = () =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.error(new TypeError('terminated'));
      },
    }),
    { headers: { 'content-type': 'application/json' } },
  );

/** A client whose requests meet these answers, one after the other; the last one stays. Waiting takes no time. */
function client(...replies: Reply[]) {
  const requests: Request[] = [];
  const mcs = new ModelComparison({
    baseUrl: 'http://service.test/',
    apiKey: KEY,
    fetch: async (url, init) => {
      init?.signal?.throwIfAborted();
      const headers = new Headers(init?.headers);
      requests.push({
        method: init?.method ?? '',
        url: url as string,
        key: headers.get('idempotency-key'),
        body: init?.body as string | undefined,
      });
      return await (replies[Math.min(requests.length, replies.length) - 1] as Reply)();
    },
  });
  return { mcs, requests };
}

/** Runs the timers until the call has ended. */
async function settled<T>(call: Promise<T>): Promise<{ value?: T; error?: CompareError; waitedMs: number }> {
  const before = performance.now();
  const end = call.then(
    (value) => ({ value }),
    (error: CompareError) => ({ error }),
  );
  let outcome: { value?: T; error?: CompareError } | undefined;
  void end.then((found) => (outcome = found));
  while (outcome === undefined) await jest.advanceTimersToNextTimerAsync();
  return { ...outcome, waitedMs: performance.now() - before };
}

function thrownBy(make: () => unknown): CompareError {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(CompareError);
    return error as CompareError;
  }
  throw new Error('Nothing was thrown.');
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('Calls of the client', () => {
  it.each<[string, Reply]>([
    ['no connection', noConnection],
    ['a connection that breaks in the body', cut],
    ['408', failure(408, 'timeout')],
    ['429', failure(429, 'rate_limited')],
    ['500', failure(500, 'internal_error')],
    ['502 of a proxy', () => new Response('<html>', { status: 502 })],
    ['503', failure(503, 'unavailable', { 'retry-after': '1' })],
  ])('are sent twice again after %s, with the same Idempotency-Key', async (_name, reply) => {
    const good = client(reply, reply, json(200, EVAL));
    expect((await settled(good.mcs.compare(BODY))).value).toEqual(EVAL);
    expect(new Set(good.requests.map(({ key }) => key)).size).toBe(1);
    expect(good.requests[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    const bad = client(reply);
    expect((await settled(bad.mcs.compare(BODY))).error).toBeInstanceOf(CompareError);
    expect([good.requests.length, bad.requests.length]).toEqual([3, 3]);
  });

  it.each<[number, string, string]>([
    [400, 'invalid_request', 'InvalidRequestError'],
    [401, 'unauthorized', 'AuthenticationError'],
    [402, 'max_cost_exceeded', 'PaymentError'],
    [403, 'insufficient_scope', 'AuthenticationError'],
    [404, 'not_found', 'InvalidRequestError'],
    [409, 'conflict', 'InvalidRequestError'],
    [410, 'eval_erased', 'InvalidRequestError'],
    [413, 'body_too_large', 'InvalidRequestError'],
    [415, 'unsupported_media_type', 'InvalidRequestError'],
    [422, 'idempotency_key_reused', 'InvalidRequestError'],
    [418, 'of_a_newer_service', 'InvalidRequestError'],
    [502, 'all_models_failed', 'AllModelsFailedError'],
  ])('are not sent again after %s %s, a %s', async (status, code, name) => {
    const { mcs, requests } = client(failure(status, code));
    expect((await settled(mcs.compare(BODY))).error).toMatchObject({
      name,
      code,
      status,
      message: `Told ${code}.`,
      requestId: 'req_1',
    });
    expect(requests).toHaveLength(1);
  });

  it.each<[string, Reply, string]>([
    ['429', failure(429, 'rate_limited'), 'RateLimitError'],
    ['500', failure(500, 'internal_error'), 'ServiceError'],
    ['a proxy', () => new Response('<html>', { status: 502 }), 'ServiceError'],
    ['nobody', noConnection, 'ConnectionError'],
  ])('end after the last try with the class of %s', async (_name, reply, name) => {
    expect((await settled(client(reply).mcs.models())).error).toMatchObject({ name });
  });

  it('keep Retry-After up to 60 seconds, and leave longer waits to the caller', async () => {
    const wait = (seconds: string) =>
      settled(client(failure(429, 'rate_limited', { 'retry-after': seconds }), json(200, EVAL)).mcs.compare(BODY));
    expect((await wait('60')).waitedMs).toBeGreaterThanOrEqual(60_000);
    expect((await wait('61')).error).toMatchObject({ name: 'RateLimitError', retryAfter: 61 });
  });

  it('wait for a run that goes on under their Idempotency-Key, longer than there are retries', async () => {
    const running = failure(409, 'idempotency_key_in_use', { 'retry-after': '1' });
    const { mcs, requests } = client(noConnection, running, running, running, running, json(200, EVAL));
    expect((await settled(mcs.compare(BODY))).value).toEqual(EVAL);
    expect(requests).toHaveLength(6);
    expect((await settled(client(running).mcs.compare(BODY))).error).toMatchObject({ code: 'idempotency_key_in_use' });
  });

  it('never send again what would add something twice, unless it was refused', async () => {
    const lost = client(noConnection);
    expect((await settled(lost.mcs.admin.adjust('user', { amount_usd: 1, reason: 'x' }))).error).toBeInstanceOf(
      ConnectionError,
    );
    const refused = client(failure(429, 'rate_limited'), json(201, {}));
    await settled(refused.mcs.admin.createUser({ email: 'a@example.com' }));
    expect([lost.requests.length, refused.requests.length]).toEqual([1, 2]);
  });

  it('are not sent again where the caller wants none', async () => {
    const { mcs, requests } = client(noConnection);
    await settled(mcs.compare(BODY, { maxRetries: 0 }));
    expect(requests).toHaveLength(1);
  });

  it('end with the reason of a signal, before the request, during it and while they wait to send it again', async () => {
    const reason = new Error('enough');
    const early = client(json(200, EVAL));
    await expect(early.mcs.compare(BODY, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const reply of [
      () => new Promise<Response>(() => undefined),
      failure(429, 'rate_limited', { 'retry-after': '60' }),
    ] as Reply[]) {
      const stop = new AbortController();
      const mcs = new ModelComparison({
        baseUrl: 'http://service.test',
        apiKey: KEY,
        fetch: (_url, init) =>
          Promise.race([
            Promise.resolve(reply()),
            new Promise<never>((_resolve, reject) => {
              init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
            }),
          ]),
      });
      const ended = settled(mcs.compare(BODY, { signal: stop.signal }));
      setTimeout(() => stop.abort(reason), 100);
      expect((await ended).error).toBe(reason);
    }
  });

  it('end when no answer comes in time', async () => {
    const { mcs } = client(() => new Promise<Response>(() => undefined));
    const silent = new ModelComparison({
      baseUrl: 'http://service.test',
      apiKey: KEY,
      maxRetries: 0,
      timeoutMs: 1000,
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    });
    expect((await settled(silent.models())).error).toMatchObject({
      name: 'ConnectionError',
      code: 'no_answer_in_time',
    });
    expect(mcs).toBeDefined();
  });

  it.each<[string, Reply]>([
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['JSON instead of events', json(200, EVAL)],
  ])("say so when the answer is not the API's: %s", async (name, reply) => {
    const { mcs } = client(reply);
    const call = name === 'a page' ? mcs.compare(BODY) : mcs.stream(BODY).eval();
    expect((await settled(call as Promise<unknown>)).error).toMatchObject({
      name: 'ServiceError',
      code: 'unexpected_answer',
    });
  });

  it.each(['mcs_a b', 'mcs_a\nb', 'mcs_é', 'mcs_\u0000'])('refuse the key %j, without repeating it', async (apiKey) => {
    const error = thrownBy(() => new ModelComparison({ baseUrl: 'http://service.test', apiKey }));
    expect(error).toMatchObject({ name: 'AuthenticationError', code: 'invalid_api_key' });
    expect(`${error.message}${String(error.cause)}${error.stack ?? ''}`).not.toContain(apiKey);
  });
});

describe('A streamed compare', () => {
  const started = frame('eval-started', { eval_id: 'eval_1', models: ['sim-swift'] });
  const done = frame('eval', EVAL);

  it('gives the texts by model and sample, each piece with the whole so far', async () => {
    const delta = (model: string, text: string, sample?: number) => frame('delta', { model, text, sample });
    const { mcs } = client(
      events(started, delta('a', 'Hel'), delta('b', '1'), delta('a', 'lo'), delta('a', 'x', 1), done),
    );
    const run = mcs.stream(BODY);
    const pieces = [];
    for await (const piece of run.texts()) pieces.push(piece);
    expect(pieces).toEqual([
      { model: 'a', text: 'Hel', whole: 'Hel' },
      { model: 'b', text: '1', whole: '1' },
      { model: 'a', text: 'lo', whole: 'Hello' },
      { model: 'a', text: 'x', whole: 'x', sample: 1 },
    ]);
    expect(await run.eval()).toEqual(EVAL);
  });

  it('throws the error that ended the run, to a reader of its texts', async () => {
    const { mcs } = client(
      events(started, frame('error', { error: { code: 'all_models_failed', message: 'Told so.' } })),
    );
    expect((await settled(mcs.stream(BODY).texts().next())).error).toMatchObject({ code: 'all_models_failed' });
  });

  it('gives its events, passes over those of a newer service, and then its eval', async () => {
    const { mcs, requests } = client(
      events(
        started,
        frame('mood', {}),
        frame('delta', { model: 'sim-swift', text: 'a' }),
        ': still running',
        frame('result', { cost_usd: 0.1 }),
        done,
      ),
    );
    const run = mcs.stream(BODY);
    expect(requests).toHaveLength(0);
    const seen: unknown[] = [];
    for await (const event of run) seen.push(event);
    expect(seen).toEqual([
      { id: '1', event: 'eval-started', data: { eval_id: 'eval_1', models: ['sim-swift'] } },
      { id: '1', event: 'delta', data: { model: 'sim-swift', text: 'a' } },
      { id: '1', event: 'result', data: { cost_usd: '0.1' } },
      { id: '1', event: 'eval', data: EVAL },
    ]);
    expect(await run.eval()).toEqual(EVAL);
    expect([run.evalId, requests.length]).toEqual(['eval_1', 1]);
    await expect(run[Symbol.asyncIterator]().next()).rejects.toThrow('once');
  });

  it('is sent again, by the same key, while nothing has come', async () => {
    const { mcs, requests } = client(events(), noConnection, events(started, done));
    expect((await settled(mcs.stream(BODY).eval())).value).toEqual(EVAL);
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  });

  it('is never sent again after its first event; eval() asks for the stored eval, also while it is not there or the service is not', async () => {
    const { mcs, requests } = client(
      events(started),
      failure(404, 'not_found'),
      noConnection,
      noConnection,
      noConnection,
      failure(503, 'unavailable'),
      failure(503, 'unavailable'),
      failure(503, 'unavailable'),
      json(200, EVAL),
    );
    expect((await settled(mcs.stream(BODY).eval())).value).toEqual(EVAL);
    expect(requests.map(({ method }) => method)).toEqual(['POST', ...Array.from({ length: 8 }, () => 'GET')]);
  });

  it('says after 100 seconds that nothing was stored', async () => {
    const { error, waitedMs } = await settled(
      client(events(started), failure(404, 'not_found')).mcs.stream(BODY).eval(),
    );
    expect(error).toMatchObject({ name: 'ServiceError', code: 'eval_not_stored' });
    expect(waitedMs).toBeGreaterThan(95_000);
  });

  it('does not look for an eval that the service does not store', async () => {
    const { mcs, requests } = client(events(started), json(200, EVAL));
    const { error, waitedMs } = await settled(mcs.stream({ ...BODY, options: { store: false } }).eval());
    expect([error, waitedMs, requests.length]).toEqual([
      expect.objectContaining({ name: 'ServiceError', code: 'eval_not_stored' }),
      0,
      1,
    ]);
  });

  it.each([
    [noConnection, { code: 'connection_failed' }],
    [failure(503, 'unavailable'), { code: 'unavailable' }],
  ])(
    'throws the last error after 100 seconds if the service did not answer: nothing is known about the charge',
    async (reply, expected) => {
      const { error, waitedMs } = await settled(client(events(started), reply).mcs.stream(BODY).eval());
      expect(error).toMatchObject(expected);
      expect(waitedMs).toBeGreaterThan(95_000);
    },
  );

  it('is found by its Idempotency-Key where the key may not read evals', async () => {
    const { mcs, requests } = client(events(started), failure(403, 'insufficient_scope'), json(200, EVAL));
    expect((await settled(mcs.stream(BODY).eval())).value).toEqual(EVAL);
    expect(requests[2]).toEqual({ ...requests[0], key: requests[0]?.key });
  });

  it('ends with its error event, which eval() throws', async () => {
    const body = {
      error: {
        code: 'all_models_failed',
        message: 'All failed.',
        request_id: 'req_1',
        details: { models: [{ model: 'sim-swift', error: { code: 'timeout' } }] },
      },
    };
    const { mcs, requests } = client(events(started, frame('error', body)));
    const run = mcs.stream(BODY);
    const seen: string[] = [];
    for await (const { event } of run) seen.push(event);
    expect(seen).toEqual(['eval-started', 'error']);
    await expect(run.eval()).rejects.toMatchObject({
      name: 'AllModelsFailedError',
      code: 'all_models_failed',
      requestId: 'req_1',
      details: body.error.details,
    });
    expect(requests).toHaveLength(1);
  });

  it('goes on when its reader leaves, and eval() finds it', async () => {
    for (const last of ['eval-started', 'delta']) {
      const left = jest.fn();
      const open: Reply = () =>
        new Response(
          new ReadableStream({
            start: (controller) =>
              controller.enqueue(new TextEncoder().encode(`${started}\n\n${frame('delta', {})}\n\n`)),
            cancel: left,
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        );
      const { mcs } = client(open, json(200, EVAL));
      const run = mcs.stream(BODY);
      for await (const event of run) if (event.event === last) break;
      expect(left).toHaveBeenCalledTimes(1);
      expect(await run.eval()).toEqual(EVAL);
    }
  });

  it('ends with the reason of a signal, which is no lost connection', async () => {
    const stop = new AbortController();
    const silent: Reply = () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode(`${started}\n\n`));
            stop.signal.addEventListener('abort', () => controller.error(new Error('aborted')));
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    const { mcs, requests } = client(silent, json(200, EVAL));
    const run = mcs.stream(BODY, { signal: stop.signal });
    const reason = new Error('enough');
    const reading = (async () => {
      for await (const event of run) if (event.event === 'eval-started') stop.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    await expect(run.eval()).rejects.toBe(reason);
    expect([run.evalId, requests.length]).toEqual(['eval_1', 1]);
  });

  it('is lost when it stays silent', async () => {
    const silent: Reply = () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode(`${started}\n\n`));
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    const { value, waitedMs } = await settled(client(silent, json(200, EVAL)).mcs.stream(BODY).eval());
    expect([value, waitedMs >= 45_000]).toEqual([EVAL, true]);
  });
});
