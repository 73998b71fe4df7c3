import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { ClusterPrimary } from './cluster-primary';

jest.mock('node:cluster', () => {
  const events = jest.requireActual<{ EventEmitter: typeof EventEmitter }>('node:events');
  return { __esModule: true, default: Object.assign(new events.EventEmitter(), { workers: {} }) };
});

/** The cluster that the primary sees. */
const cluster = jest.requireMock<{ default: EventEmitter & { fork?: () => Worker; workers: object } }>(
  'node:cluster',
).default;

/** A worker that runs nothing, with what it was sent. */
function fakeWorker(pid: number) {
  const sent: unknown[] = [];
  return Object.assign(new EventEmitter(), {
    process: { pid, kill: () => true },
    sent,
    isConnected: () => true,
    send: (message: unknown) => sent.push(message),
  });
}

/** A primary of two workers whose ends the test decides. */
async function started() {
  const forked: EventEmitter[] = [];
  const pauses: number[] = [];
  let crashLoops = 0;
  cluster.removeAllListeners();
  cluster.fork = () => {
    const worker = fakeWorker(forked.length);
    forked.push(worker);
    return worker as unknown as Worker;
  };
  const primary = new ClusterPrimary({
    workers: 2,
    variables: {},
    warn: (facts) => pauses.push((facts as { pauseMs: number }).pauseMs),
    log: () => undefined,
  });
  const starting = primary.start(() => {
    crashLoops += 1;
  });
  for (const worker of forked) {
    worker.emit('listening', { address: '127.0.0.1', port: 3000 });
    cluster.emit('message', worker, { mcs: 'started' });
  }
  await starting;
  const end = (worker: EventEmitter | undefined) => {
    worker?.emit('exit', 1, null);
    cluster.emit('exit', worker, 1, null);
  };
  /** The worker that was started last. */
  const last = () => forked.at(-1);
  return { forked, pauses, crashLoops: () => crashLoops, end, last };
}

/** A primary whose first worker prepares the database, before any worker listens. */
function preparing() {
  const forked: (ReturnType<typeof fakeWorker> & { variables: unknown })[] = [];
  cluster.removeAllListeners();
  cluster.fork = ((variables: unknown) => {
    const worker = Object.assign(fakeWorker(forked.length), { variables });
    forked.push(worker);
    return worker as unknown as Worker;
  }) as () => Worker;
  const primary = new ClusterPrimary({
    workers: 3,
    variables: { A: '1' },
    preparing: { B: '2' },
    warn: () => undefined,
    log: () => undefined,
  });
  const starting = primary.start(() => undefined);
  const listen = async (worker: EventEmitter | undefined, demoKey?: string) => {
    worker?.emit('listening', { address: '127.0.0.1', port: 3000 });
    cluster.emit('message', worker, { mcs: 'started', demoKey });
    await turn();
  };
  return { primary, forked, starting, listen };
}

function kill(worker: EventEmitter | undefined): void {
  worker?.emit('exit', null, 'SIGKILL');
  worker?.emit('disconnect');
  cluster.emit('exit', worker, null, 'SIGKILL');
}

describe('A start of ClusterPrimary whose first worker prepares the database', () => {
  test('starts the others when the first one has, which alone has the variables for it, and gives its demo key', async () => {
    const { forked, starting, listen } = preparing();
    forked[0]?.emit('listening', { address: '127.0.0.1', port: 3000 });
    await turn();
    expect(forked).toHaveLength(1);
    await listen(forked[0], 'the key');
    expect(forked.map(({ variables }) => variables)).toEqual([{ A: '1', B: '2' }, { A: '1' }, { A: '1' }]);
    for (const worker of forked.slice(1)) await listen(worker);
    expect(await starting).toEqual({ address: { address: '127.0.0.1', port: 3000 }, demoKey: 'the key' });
  });

  test('passes a reload on to every worker', async () => {
    const { primary, forked, starting, listen } = preparing();
    for (let index = 0; index < 3; index += 1) await listen(forked[index]);
    await starting;
    cluster.workers = Object.fromEntries(forked.map((worker, index) => [index, worker]));
    primary.reload();
    cluster.workers = {};
    expect(forked.map(({ sent }) => sent.at(-1))).toEqual(Array(3).fill({ mcs: 'reload' }));
  });

  test('fails when the first one ends while the others start', async () => {
    const { forked, starting, listen } = preparing();
    await listen(forked[0]);
    forked[0]?.emit('exit', 7, null);
    forked[0]?.emit('disconnect');
    await expect(starting).rejects.toThrow('A worker ended with 7 before all were ready.');
  });

  test('notifies workers that all have started when the last one has, and not before', async () => {
    const { forked, starting, listen } = preparing();
    for (let index = 0; index < 3; index += 1) {
      expect(forked.map(({ sent }) => sent).flat()).toEqual([]);
      await listen(forked[index]);
    }
    await starting;
    expect(forked.map(({ sent }) => sent)).toEqual(Array(3).fill([{ mcs: 'all-started' }]));
  });

  test.each([
    ['before it listens', false],
    ['after it has started', true],
  ])('starts a worker again that is killed %s, and waits for it', async (_, hasStarted) => {
    const { forked, starting, listen } = preparing();
    await listen(forked[0]);
    if (hasStarted) await listen(forked[1]);
    kill(forked[1]);
    await listen(forked[2]);
    await delay(0);
    expect(forked).toHaveLength(4);
    expect(forked.map(({ sent }) => sent).flat()).toEqual([]);
    await listen(forked[3]);
    await starting;
    expect(forked[3]?.sent).toHaveLength(1);
  });

  test('prepares the database again when the first one is killed while it does', async () => {
    const { forked } = preparing();
    kill(forked[0]);
    await delay(0);
    expect(forked.map(({ variables }) => variables)).toEqual([
      { A: '1', B: '2' },
      { A: '1', B: '2' },
    ]);
  });

  test('starts no more workers after a stop', async () => {
    const { primary, forked, listen } = preparing();
    await primary.stop();
    await listen(forked[0]);
    expect(forked).toHaveLength(1);
  });
});

describe('ClusterPrimary', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('replaces the first worker that ends at once, and later ones after a pause that doubles each round in which workers live less than 10 s', async () => {
    const { forked, pauses, end, last } = await started();
    for (let round = 0; round < 12; round += 1) {
      const before = forked.length;
      last()?.emit('listening', {});
      end(last());
      await jest.advanceTimersByTimeAsync(Math.max(0, (pauses.at(-1) ?? 0) - 1));
      if ((pauses.at(-1) ?? 0) > 0) expect(forked).toHaveLength(before);
      await jest.advanceTimersByTimeAsync(1);
      expect(forked).toHaveLength(before + 1);
    }
    // Two deaths are one round of two workers.
    expect(pauses).toEqual([0, 0, 100, 100, 200, 200, 400, 400, 800, 800, 1600, 1600]);
  });

  test('never waits longer than 10 s before it replaces a worker', async () => {
    const { pauses, end, last } = await started();
    for (let round = 0; round < 40; round += 1) {
      last()?.emit('listening', {});
      end(last());
      await jest.advanceTimersByTimeAsync(pauses.at(-1) ?? 0);
    }
    expect(Math.max(...pauses)).toBe(10_000);
  });

  test('replaces a worker at once again after it has lived 10 s', async () => {
    const { pauses, end, last } = await started();
    for (let round = 0; round < 6; round += 1) {
      last()?.emit('listening', {});
      await jest.advanceTimersByTimeAsync(10_000);
      end(last());
      await jest.advanceTimersByTimeAsync(1);
    }
    expect(new Set(pauses)).toEqual(new Set([0]));
  });

  test('gives up after six failed starts in a row while no worker serves, and not while one does', async () => {
    const { forked, end, last, crashLoops, pauses } = await started();
    const fail = async (times: number) => {
      for (let i = 0; i < times; i += 1) {
        end(last());
        await jest.advanceTimersByTimeAsync(pauses.at(-1) ?? 0);
      }
    };
    // The second of the first two still serves.
    end(forked[0]);
    await jest.advanceTimersByTimeAsync(1);
    await fail(10);
    expect(crashLoops()).toBe(0);
    end(forked[1]);
    expect(crashLoops()).toBe(1);
  });

  test('does not give up before the sixth failed start, and counts from zero after a successful start', async () => {
    const { forked, end, last, crashLoops, pauses } = await started();
    end(forked[0]);
    end(forked[1]);
    await jest.advanceTimersByTimeAsync(1);
    const [third] = forked.slice(-2);
    for (let i = 0; i < 5; i += 1) {
      end(last());
      await jest.advanceTimersByTimeAsync(pauses.at(-1) ?? 0);
    }
    expect(crashLoops()).toBe(0);
    third?.emit('listening', {});
    end(third);
    expect(crashLoops()).toBe(0);
    for (let i = 0; i < 5; i += 1) {
      await jest.advanceTimersByTimeAsync(pauses.at(-1) ?? 0);
      end(last());
    }
    expect(crashLoops()).toBe(0);
    await jest.advanceTimersByTimeAsync(pauses.at(-1) ?? 0);
    end(last());
    expect(crashLoops()).toBe(1);
  });
});
