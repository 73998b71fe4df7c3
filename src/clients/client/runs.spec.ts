import { ModelComparison } from './client';
import type { CompareError } from './errors';

const RUN = { run_id: 'run_1', eval_id: 'eval_1' };
const EVAL = { eval_id: 'eval_1', results: [{ cost_usd: 0.5 }] };

/** A client at a service whose run is in these states, one after the other; the last one stays. */
function client(...states: object[]) {
  const requests: { url: string; method: string; at: number; headers: Headers }[] = [];
  let asked = 0;
  const mcs = new ModelComparison({
    baseUrl: 'http://service.test',
    apiKey: 'mcs_key',
    fetch: async (url, init) => {
      init?.signal?.throwIfAborted();
      requests.push({
        url: (url as string).slice('http://service.test'.length),
        method: init?.method ?? '',
        at: performance.now(),
        headers: new Headers(init?.headers),
      });
      const body = (url as string).includes('/runs/')
        ? { ...RUN, ...states[Math.min((asked += 1), states.length) - 1] }
        : EVAL;
      return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    },
  });
  return { mcs, requests };
}

async function settled<T>(call: Promise<T>): Promise<T | CompareError> {
  let outcome: { value: T | CompareError } | undefined;
  void call.then(
    (value) => {
      outcome = { value };
    },
    (value: CompareError) => {
      outcome = { value };
    },
  );
  while (outcome === undefined) await jest.advanceTimersToNextTimerAsync();
  return outcome.value;
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const queued = { status: 'queued' };
const running = { status: 'running' };
const succeeded = { status: 'succeeded' };

describe('Waiting for a run', () => {
  it('asks at growing intervals, up to four seconds, and then for its eval with what is wanted of it', async () => {
    const { mcs, requests } = client(queued, queued, ...Array.from({ length: 6 }, () => running), succeeded);
    expect(await settled(mcs.runs.eval('run/1', { details: true, statistics: true }))).toEqual({
      eval_id: 'eval_1',
      results: [{ cost_usd: '0.5' }],
    });
    const pauses = requests.map(({ at }, i) => at - (requests[i - 1]?.at ?? at));
    expect(pauses.map((pause) => Math.round(pause))).toEqual([0, 250, 500, 1000, 2000, 4000, 4000, 4000, 4000, 0]);
    expect(new Set(requests.slice(0, -1).map(({ url }) => url))).toEqual(new Set(['/api/v1/runs/run%2F1']));
    expect(requests.at(-1)?.url).toBe('/api/v1/evals/eval_1?include=details%2Cstatistics');
  });

  it('does not wait for a run that has ended', async () => {
    const { mcs, requests } = client(succeeded);
    await settled(mcs.runs.eval('run_1'));
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/runs/run_1', '/api/v1/evals/eval_1']);
  });

  it.each<[string, object, object]>([
    [
      'an error of its own',
      { status: 'failed', error: { code: 'internal_error', message: 'A fault.' } },
      { name: 'ServiceError', code: 'internal_error', message: 'A fault.' },
    ],
    [
      'money',
      { status: 'failed', error: { code: 'spend_limit_reached', message: 'No money left.' } },
      { name: 'PaymentError', code: 'spend_limit_reached', message: 'No money left.', status: undefined },
    ],
    [
      'every model failing',
      {
        status: 'failed',
        error: {
          code: 'all_models_failed',
          message: 'All failed.',
          details: { models: [{ model: 'a', error: { code: 'rejected' } }] },
        },
      },
      { name: 'AllModelsFailedError', details: { models: [{ model: 'a', error: { code: 'rejected' } }] } },
    ],
    [
      'somebody who canceled it',
      // eslint-disable-next-line local/plain-words -- the word of the interface
      { status: 'cancelled' },
      { name: 'ServiceError', code: 'run_canceled', message: 'The run run_1 was canceled.' },
    ],
    [
      'a state of a newer service',
      { status: 'paused' },
      {
        name: 'ServiceError',
        code: 'unexpected_answer',
        message: 'The run run_1 has a status that this client does not know.',
      },
    ],
  ])('throws what ended it: %s', async (_name, state, error) => {
    const { mcs, requests } = client(running, state);
    expect(await settled(mcs.runs.eval('run_1'))).toMatchObject(error);
    expect(requests).toHaveLength(2);
  });

  it('ends at once with the reason of its signal, in a pause as in a request', async () => {
    const stop = new AbortController();
    const { mcs, requests } = client(running);
    const call = mcs.runs.eval('run_1', { signal: stop.signal }).catch((reason: unknown) => reason);
    await jest.advanceTimersByTimeAsync(100);
    stop.abort('enough');
    expect([await call, requests.length]).toEqual(['enough', 1]);
    expect(await mcs.runs.eval('run_1', { signal: stop.signal }).catch((reason: unknown) => reason)).toBe('enough');
  });
});

describe('Starting a run', () => {
  it('includes nothing that is not wanted', async () => {
    const { mcs, requests } = client(queued);
    await mcs.runs.start({ prompt: 'x', models: ['a'] }, { details: false, checks: true, statistics: undefined });
    await mcs.runs.start({ prompt: 'x', models: ['a'] }, { details: false });
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/compare?include=checks', '/api/v1/compare']);
  });

  it.each([
    [{}, 'respond-async'],
    [{ wait: 20 }, 'respond-async, wait=20'],
    [{ wait: 0 }, 'respond-async, wait=0'],
  ])('asks for it to be in the background: %j', async (options: { wait?: number }, prefer) => {
    const { mcs, requests } = client(queued);
    await mcs.runs.start(
      { prompt: 'x', models: ['a'] },
      { idempotencyKey: 'once', checks: true, ...(options as { wait: number }) },
    );
    const [{ url, method, headers } = { headers: new Headers() }] = requests;
    expect([
      method,
      url,
      headers.get('prefer'),
      headers.get('idempotency-key'),
      headers.get('accept'),
      headers.get('content-type'),
    ]).toEqual(['POST', '/api/v1/compare?include=checks', prefer, 'once', 'application/json', 'application/json']);
  });
});
