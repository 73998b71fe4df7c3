import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { ClusterPrimary } from './cluster-primary';

jest.mock('node:cluster', () => {
  const events = jest.requireActual<{ EventEmitter: typeof EventEmitter }>('node:events');
  return { __esModule: true, default: Object.assign(new events.EventEmitter(), { workers: {} }) };
});
jest.mock('rate-limiter-flexible', () => ({ RateLimiterClusterMaster: class {} }));
jest.mock('prom-client', () => ({ AggregatorRegistry: class {} }));

/** The cluster that the primary sees. */
const cluster = jest.requireMock<{ default: EventEmitter & { fork?: () => Worker } }>('node:cluster').default;

/** A primary of two workers whose ends the test decides. */
async function started() {
  const forked: EventEmitter[] = [];
  const pauses: number[] = [];
  let crashLoops = 0;
  cluster.removeAllListeners();
  cluster.fork = () => {
    const worker = Object.assign(new EventEmitter(), { process: { pid: forked.length } });
    forked.push(worker);
    return worker as unknown as Worker;
  };
  const primary = new ClusterPrimary({ workers: 2, variables: {}, warn: (facts) => pauses.push((facts as { pauseMs: number }).pauseMs), log: () => undefined });
  const starting = primary.start(() => { crashLoops += 1; });
  for (const worker of forked) worker.emit('listening', { address: '127.0.0.1', port: 3000 });
  await starting;
  const end = (worker: EventEmitter | undefined) => {
    worker?.emit('exit', 1, null);
    cluster.emit('exit', worker, 1, null);
  };
  /** The worker that was started last. */
  const last = () => forked.at(-1);
  return { forked, pauses, crashLoops: () => crashLoops, end, last };
}

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

  test('does not give up before the sixth failed start, and counts anew after a start that succeeds', async () => {
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
