import { ModelComparison } from './client';
import type { CompareError } from './errors';
import type { Experiment } from './types';

interface Request {
  method: string;
  url: string;
  at: number;
  headers: Headers;
  body: string | undefined;
}
type Reply = () => Response;

const json =
  (body: object, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json', ...headers } });
const state = (name: string, done: number): Reply =>
  json({ state: name, rows: { done }, cost_usd: 0.1 }, { etag: `"${done}"` });
const unchanged: Reply = () => new Response(null, { status: 304 });
const refused =
  (status: number): Reply =>
  () =>
    new Response('{"error":{"code":"unavailable","message":"Later."}}', { status });

/** A client whose requests meet these answers, one after the other; the last one stays. */
function client(...replies: Reply[]) {
  const requests: Request[] = [];
  const mcs = new ModelComparison({
    baseUrl: 'http://service.test',
    apiKey: 'mcs_key',
    fetch: async (url, init) => {
      init?.signal?.throwIfAborted();
      requests.push({
        method: init?.method ?? '',
        url: (url as string).slice('http://service.test/api/v1'.length),
        at: performance.now(),
        headers: new Headers(init?.headers),
        body: init?.body as string | undefined,
      });
      return (replies[Math.min(requests.length, replies.length) - 1] as Reply)();
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

describe('Waiting for an experiment', () => {
  it('looks once, then lets the service wait for a change, and reports each change once', async () => {
    const { mcs, requests } = client(
      state('running', 0),
      state('running', 1),
      unchanged,
      unchanged,
      state('finished', 2),
    );
    const seen: unknown[] = [];
    const onProgress = ({ rows, cost_usd: cost }: Experiment) => seen.push([rows.done, cost]);
    expect(await settled(mcs.experiments.wait('exp/1', { onProgress }))).toMatchObject({ state: 'finished' });
    expect(seen).toEqual([
      [0, '0.1'],
      [1, '0.1'],
      [2, '0.1'],
    ]);
    expect(requests.map(({ headers }) => [headers.get('if-none-match'), headers.get('prefer')])).toEqual([
      [null, null],
      ['"0"', 'wait=20'],
      ['"1"', 'wait=20'],
      ['"1"', 'wait=20'],
      ['"1"', 'wait=20'],
    ]);
    expect(requests.map(({ at }, i) => Math.round(at - (requests[i - 1]?.at ?? at)))).toEqual([
      0, 250, 500, 1000, 1000,
    ]);
    expect(new Set(requests.map(({ url }) => url))).toEqual(new Set(['/experiments/exp%2F1']));
  });

  // eslint-disable-next-line local/plain-words -- the word of the interface
  it.each(['paused', 'finished', 'cancelled', 'erased', 'a state of a newer service'])(
    'ends at once when it is %s',
    async (name) => {
      const { mcs, requests } = client(state(name, 0));
      expect(await settled(mcs.experiments.wait('exp_1'))).toMatchObject({ state: name });
      expect(requests).toHaveLength(1);
    },
  );

  it('outlasts a minute without the service, and then gives up', async () => {
    const outage = Array.from({ length: 10 }, () => refused(503));
    expect(
      await settled(client(state('running', 0), ...outage, state('finished', 1)).mcs.experiments.wait('exp_1')),
    ).toMatchObject({ state: 'finished' });
    expect(await settled(client(state('running', 0), refused(503)).mcs.experiments.wait('exp_1'))).toMatchObject({
      status: 503,
    });
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const { mcs, requests } = client(state('running', 0));
    const call = mcs.experiments.wait('exp_1', { signal: stop.signal }).catch((reason: unknown) => reason);
    await jest.advanceTimersByTimeAsync(100);
    stop.abort('enough');
    expect([await call, requests.length]).toEqual(['enough', 1]);
  });
});

describe('Starting and changing an experiment', () => {
  it('sends the same key again after a failure, so that it starts once', async () => {
    const { mcs, requests } = client(refused(500), state('running', 0));
    await settled(mcs.experiments.create({ dataset: 'ds_1', prompt: '{input}', models: ['a'], max_cost_usd: 1 }));
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    await settled(
      mcs.experiments.create(
        { dataset: 'ds_1', prompt: '{input}', models: ['a'], max_cost_usd: 1 },
        { idempotencyKey: 'mine' },
      ),
    );
    expect(requests.at(-1)?.headers.get('idempotency-key')).toBe('mine');
    expect([keys.length, keys[0], keys[1]]).toEqual([2, expect.stringMatching(/^\w{32}$/), keys[0]]);
  });

  it.each<[object, (mcs: ModelComparison) => Promise<unknown>]>([
    [{ state: 'paused' }, (mcs) => mcs.experiments.pause('exp_1')],
    [{ state: 'running' }, (mcs) => mcs.experiments.resume('exp_1')],
    [{ state: 'running', max_cost_usd: 2 }, (mcs) => mcs.experiments.resume('exp_1', { maxCostUsd: 2 })],
    // eslint-disable-next-line local/plain-words -- the word of the interface
    [{ state: 'cancelled' }, (mcs) => mcs.experiments.cancel('exp_1')],
    [{ retry: 'failed' }, (mcs) => mcs.experiments.retry('exp_1')],
    [{ retry: 'missing' }, (mcs) => mcs.experiments.retry('exp_1', 'missing')],
  ])('sends %j', async (body, call) => {
    const { mcs, requests } = client(state('running', 0));
    await call(mcs);
    expect(requests.map((request) => [request.method, request.url, JSON.parse(request.body ?? '')])).toEqual([
      ['PATCH', '/experiments/exp_1', body],
    ]);
  });
});

describe('The rows of an experiment', () => {
  const stream =
    (chunks: Uint8Array<ArrayBuffer>[], error?: Error): Reply =>
    () =>
      new Response(
        new ReadableStream<Uint8Array<ArrayBuffer>>({
          pull: (controller) => {
            const next = chunks.shift();
            if (next !== undefined) controller.enqueue(next);
            else if (error !== undefined) controller.error(error);
            else controller.close();
          },
        }),
      );
  const file = new TextEncoder().encode('{"a":"é"}\n');
  const read = async (pieces: AsyncIterable<string>) => {
    let text = '';
    for await (const piece of pieces) text += piece;
    return text;
  };

  it('come as a file, also where a piece ends within a character', async () => {
    const { mcs, requests } = client(stream([file.slice(0, 7), file.slice(7)]));
    expect(await read(mcs.experiments.rowsFile('exp_1', 'jsonl', { state: 'failed' }))).toBe('{"a":"é"}\n');
    expect(requests.map(({ url, headers }) => [url, headers.get('accept')])).toEqual([
      ['/experiments/exp_1/rows?state=failed', 'application/x-ndjson'],
    ]);
  });

  it('are not complete after a broken connection, which is thrown', async () => {
    const { mcs } = client(stream([file], new TypeError('terminated')));
    await expect(read(mcs.experiments.rowsFile('exp_1', 'csv'))).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'connection_lost',
    });
  });

  it('come one after the other over all pages, with exact amounts', async () => {
    const { mcs } = client(
      json({ rows: [{ row_no: 0, cost_usd: 0.1 }] }, { link: '</api/v1/experiments/exp_1/rows?cursor=1>; rel="next"' }),
      json({ rows: [{ row_no: 1, cost_usd: 0 }] }),
    );
    const rows: unknown[] = [];
    for await (const row of mcs.experiments.rows('exp_1')) rows.push(row);
    expect(rows).toEqual([
      { row_no: 0, cost_usd: '0.1' },
      { row_no: 1, cost_usd: '0' },
    ]);
  });
});

describe('Judges and votes', () => {
  const sent = (requests: Request[]) =>
    requests.map(({ method, url, body }) => [method, url, body === undefined ? undefined : JSON.parse(body)]);

  it('judge an experiment under a cap, once, and are estimated like others', async () => {
    const { mcs, requests } = client(json({ experiment_id: 'exp_2', cost_usd: 0 }));
    const judge = {
      kind: 'pairwise' as const,
      models: ['sim-sage'],
      criterion: 'Is it right?',
      baseline: 'a',
      rows: 5,
    };
    await mcs.experiments.judge('exp_1', { ...judge, maxCostUsd: 2 });
    await mcs.experiments.judge('exp_1', { ...judge, maxCostUsd: 2, name: 'n', parallel: 4 }, { idempotencyKey: 'k' });
    await mcs.experiments.estimate({ judge: { of: 'exp_1', ...judge } });
    const body = { judge: { of: 'exp_1', ...judge }, max_cost_usd: 2 };
    expect(sent(requests)).toEqual([
      ['POST', '/experiments', body],
      ['POST', '/experiments', { ...body, name: 'n', parallel: 4 }],
      ['POST', '/experiments/estimate', { judge: body.judge }],
    ]);
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual([expect.any(String), 'k', null]);
  });

  it('vote with a key, or through a link under a name', async () => {
    const { mcs, requests } = client(json({ ballot: 'b', winner: '1' }));
    expect(await mcs.experiments.ballot('exp/1')).toMatchObject({ ballot: 'b' });
    await mcs.experiments.vote('exp/1', { ballot: 'b', winner: 'tie' });
    await mcs.shares.create({ subject: 'exp_1', votes: true });
    await mcs.experiments.ballot('exp/1', { skip: 2 });
    await mcs.shares.ballot('t/1', 'Ada L.');
    await mcs.shares.ballot('t/1', 'Ada L.', { skip: 1 });
    await mcs.shares.vote('t/1', { ballot: 'b', winner: 'yes', voter: 'Ada L.' });
    expect(sent(requests)).toEqual([
      ['GET', '/experiments/exp%2F1/ballot', undefined],
      ['POST', '/experiments/exp%2F1/votes', { ballot: 'b', winner: 'tie' }],
      ['POST', '/shares', { subject: 'exp_1', votes: true }],
      ['GET', '/experiments/exp%2F1/ballot?skip=2', undefined],
      ['GET', '/shared/t%2F1/ballot?voter=Ada+L.', undefined],
      ['GET', '/shared/t%2F1/ballot?voter=Ada+L.&skip=1', undefined],
      ['POST', '/shared/t%2F1/votes', { ballot: 'b', winner: 'yes', voter: 'Ada L.' }],
    ]);
  });
});
