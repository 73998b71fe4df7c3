import { inspect } from 'node:util';
import { ModelComparison, requestIdOf } from './client';
import { CompareError } from './errors';

const KEY = 'mcs_secret0123456789';
const BODY = { prompt: 'Hello', models: ['sim-swift'] };
const EVAL = { eval_id: 'eval_1', results: [] };

const json = (body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json', ...headers } });

function thrownBy(make: () => unknown): CompareError {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(CompareError);
    return error as CompareError;
  }
  throw new Error('Nothing was thrown.');
}

describe('A call', () => {
  const seen = async (options: object, call: (mcs: ModelComparison) => Promise<unknown>) => {
    const headers: Headers[] = [];
    await call(
      new ModelComparison({
        baseUrl: 'http://service.test',
        apiKey: KEY,
        fetch: async (_, init) => {
          headers.push(new Headers(init?.headers));
          return json(EVAL);
        },
        ...options,
      }),
    );
    return Object.fromEntries(headers[0] ?? []);
  };

  it('names the client, and has the default headers, which replace only its name', async () => {
    expect(await seen({}, (mcs) => mcs.compare(BODY))).toMatchObject({ 'user-agent': 'model-comparison/source' });
    expect(
      await seen({ defaultHeaders: { 'X-Team': 'a', Authorization: 'Basic x', 'User-Agent': 'ours' } }, (mcs) =>
        mcs.compare(BODY),
      ),
    ).toMatchObject({
      'x-team': 'a',
      authorization: `Bearer ${KEY}`,
      'user-agent': 'ours',
      'content-type': 'application/json',
    });
  });

  it.each([
    [{ timeoutMs: 5000 }, undefined, 5000],
    [{ timeoutMs: 5000 }, 2000, 2000],
    [{}, 2000, 2000],
    [{ timeoutMs: 2000 }, Infinity, undefined],
  ])('of a client with %j may take %j ms', async (options, timeoutMs, expected) => {
    const fetch = (_: unknown, init?: RequestInit) =>
      new Promise<Response>((resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
        setTimeout(() => resolve(json(EVAL)), 100_000);
      });
    jest.useFakeTimers();
    const ended = new ModelComparison({
      baseUrl: 'http://service.test',
      apiKey: KEY,
      maxRetries: 0,
      ...options,
      fetch,
    }).evals
      .get('eval_1', { timeoutMs })
      .then(
        () => undefined,
        ({ code }: CompareError) => code,
      );
    const before = performance.now();
    await jest.advanceTimersToNextTimerAsync();
    expect([await ended, performance.now() - before]).toEqual(
      expected === undefined ? [undefined, 100_000] : ['no_answer_in_time', expected],
    );
    jest.useRealTimers();
  });

  it('has the id of its request on the answer, and not in its JSON', async () => {
    const fetch = async () => json({ models: [], evals: [], ...EVAL }, { 'x-request-id': 'req_7' });
    const mcs = new ModelComparison({ baseUrl: 'http://service.test', apiKey: KEY, fetch });
    const answers = [await mcs.compare(BODY), await mcs.models(), (await mcs.evals.list().open()).page];
    expect(answers.map(requestIdOf)).toEqual(['req_7', 'req_7', 'req_7']);
    expect([JSON.stringify(answers), Object.keys(answers[0] ?? {}), requestIdOf({})]).toEqual([
      expect.not.stringContaining('req_7'),
      expect.not.arrayContaining(['_request_id']),
      undefined,
    ]);
  });
});

describe('The constructor', () => {
  const [MISSING, NO_SCHEME] = ['is missing: pass baseUrl, or set MCS_URL', 'must begin with http:// or https://'];

  it.each([
    [undefined, MISSING],
    ['', MISSING],
    [' ', MISSING],
    ['127.0.0.1:3101', NO_SCHEME],
    ['localhost:3000', NO_SCHEME],
    ['service.test', NO_SCHEME],
    ['/api', NO_SCHEME],
    ['ftp://service.test', NO_SCHEME],
    [KEY, NO_SCHEME],
    ['http://', 'cannot be read'],
    [`https://${KEY}@service.test`, 'must have no user, query or fragment'],
    ['https://service.test?a=b', 'must have no user, query or fragment'],
  ])('says of the address %j, without repeating it: %s', (baseUrl, problem) => {
    const error = thrownBy(() => new ModelComparison({ baseUrl, apiKey: KEY }));
    expect(error).toMatchObject({
      name: 'CompareError',
      code: 'invalid_base_url',
      message: `The address of the service ${problem}. An example is http://127.0.0.1:3000.`,
    });
  });

  describe('in Node, Deno and Bun', () => {
    const given = { ...process.env };
    afterEach(() => {
      process.env = { ...given };
    });

    it('takes address and key of the environment, unless options name others', async () => {
      Object.assign(process.env, { MCS_URL: 'http://env.test', MCS_API_KEY: ' mcs_env\n' });
      const asked: unknown[] = [];
      const fetch = async (input: unknown, init?: RequestInit) => {
        asked.push(input, new Headers(init?.headers).get('authorization'));
        return json({ models: [] });
      };
      for (const options of [
        {},
        { baseUrl: undefined, apiKey: undefined },
        { baseUrl: 'http://own.test' },
        { apiKey: null },
      ])
        await new ModelComparison({ ...options, fetch }).models();
      const [url, key] = ['http://env.test/api/v1/models', 'Bearer mcs_env'];
      expect(asked).toEqual([url, key, url, key, 'http://own.test/api/v1/models', key, url, null]);
    });

    it('takes nothing of what bundlers for browsers call the environment', () => {
      const { process } = globalThis;
      Object.defineProperty(globalThis, 'process', {
        value: { env: { MCS_URL: 'http://env.test', MCS_API_KEY: 'mcs_env' } },
        configurable: true,
      });
      try {
        expect(() => new ModelComparison()).toThrow(MISSING);
      } finally {
        Object.defineProperty(globalThis, 'process', { value: process });
      }
    });
  });

  it('keeps the key out of what is printed and serialized', () => {
    const mcs = new ModelComparison({
      baseUrl: 'http://service.test',
      apiKey: KEY,
      defaultHeaders: { 'x-proxy': KEY },
    });
    for (const text of [
      inspect(mcs, { depth: 9, showHidden: true }),
      JSON.stringify(mcs),
      inspect(mcs.stream(BODY), { depth: 9 }),
      inspect(mcs.evals.list(), { depth: 9 }),
    ])
      expect(text).not.toContain(KEY);
  });

  it('takes the empty address in a browser, as that of the page', () => {
    Object.defineProperty(globalThis, 'location', { value: {}, configurable: true });
    expect(() => new ModelComparison({ baseUrl: '', apiKey: KEY })).not.toThrow();
    Reflect.deleteProperty(globalThis, 'location');
  });

  it.each([undefined, ''])('says that the key is missing: %j', (apiKey) => {
    expect(thrownBy(() => new ModelComparison({ baseUrl: 'http://service.test', apiKey }))).toMatchObject({
      name: 'AuthenticationError',
      code: 'invalid_api_key',
      message: expect.stringContaining('The API key is missing: pass apiKey, or set MCS_API_KEY.') as string,
    });
  });

  it.each([
    ['HTTPS://service.test/base//', 'HTTPS://service.test/base/api/v1/models'],
    ['http://service.test/api/v1', 'http://service.test/api/v1/models'],
    ['http://service.test/base/api/v1/', 'http://service.test/base/api/v1/models'],
    ['http://[::1]:3000', 'http://[::1]:3000/api/v1/models'],
  ])('takes the address %s', async (baseUrl, url) => {
    const asked: unknown[] = [];
    const mcs = new ModelComparison({
      baseUrl,
      apiKey: null,
      fetch: async (input, init) => {
        asked.push(input, new Headers(init?.headers).has('authorization'));
        return json({ models: [] });
      },
    });
    await mcs.models();
    expect(asked).toEqual([url, false]);
  });
});
