import { Logger } from '@nestjs/common';
import type { Config } from '../../platform/config/config';
import { Drain } from '../../platform/background/drain';
import type { OverloadService } from '../execution/overload.service';
import { JobWorkerService } from './job-worker.service';
import type { JobAttemptService } from './job-attempt.service';
import type { ClaimedJob } from './claimed-job';
import type { ClaimedRun, JobClaim } from './job.types';
import type { JobsRepository } from './jobs.repository';

const aRun = (runId: string, userId = 'user_1', fence = 1): ClaimedRun => ({
  runId,
  evalId: `eval of ${runId}`,
  createdAt: new Date('2026-11-21T09:00:00.000Z'),
  fence,
  userId,
  keyId: 'key_1',
  body: {},
  retries: 0,
});

/** An engine whose runs end when the test says so. */
function createEngine({ slots = 2, isOverloaded = false } = {}) {
  const queue: ClaimedRun[] = [];
  const claims: { limit: number; served: readonly string[] }[] = [];
  const returned: JobClaim[][] = [];
  const running = new Map<string, PromiseWithResolvers<void>>();
  const begun: ClaimedJob[] = [];
  const repository = {
    hasUnfinished: async () => queue.length > 0,
    claim: async (limit: number, _: number, served: readonly string[]) => {
      claims.push({ limit, served: [...served] });
      return queue.splice(0, limit);
    },
    renew: async () => [],
    requeue: async (given: JobClaim[], ...terms: unknown[]) =>
      void returned.push([...given.map((claim) => ({ ...claim })), terms as unknown as JobClaim]),
  };
  const execution = {
    run: async (claimed: ClaimedJob) => {
      const end = Promise.withResolvers<void>();
      begun.push(claimed);
      running.set(claimed.runId, end);
      await end.promise;
    },
  };
  const drain = new Drain();
  const config = { MAX_CONCURRENT_RUNS: slots, RESERVATION_TTL_SECONDS: 15, EVAL_TIMEOUT_MS: 90_000 } as Config;
  const overload = { isOverloaded };
  const engine = new JobWorkerService(
    repository as unknown as JobsRepository,
    execution as unknown as JobAttemptService,
    overload as OverloadService,
    drain,
    config,
  );
  return { engine, queue, claims, returned, running, begun, drain, overload };
}

describe('JobWorkerService', () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
    jest.useFakeTimers();
  });
  afterAll(() => void jest.useRealTimers());

  test('claims as many runs as it has free slots, and another as soon as one has ended', async () => {
    const { engine, queue, claims, begun, running } = createEngine();
    queue.push(aRun('a'), aRun('b'), aRun('c'));
    engine.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1);
    expect([begun.map(({ runId }) => runId), claims.map(({ limit }) => limit)]).toEqual([['a', 'b'], [2]]);
    engine.wake();
    await jest.advanceTimersByTimeAsync(5000);
    expect(claims).toHaveLength(1);
    const end = engine.endOf('a');
    running.get('a')?.resolve();
    await end;
    await jest.advanceTimersByTimeAsync(1);
    expect([begun.map(({ runId }) => runId), claims.map(({ limit }) => limit)]).toEqual([
      ['a', 'b', 'c'],
      [2, 1],
    ]);
    expect(engine.endOf('a')).toBeUndefined();
  });

  test('goes on under the new lease with a run that it still holds, and does not begin it a second time', async () => {
    const { engine, queue, begun } = createEngine();
    queue.push(aRun('a'));
    engine.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1);
    queue.push(aRun('a', 'user_1', 2));
    await jest.advanceTimersByTimeAsync(1000);
    expect(begun).toEqual([expect.objectContaining({ runId: 'a', fence: 2 })]);
  });

  test('says whose turn it was, the latest last', async () => {
    const { engine, queue, claims, running } = createEngine({ slots: 1 });
    engine.onApplicationBootstrap();
    for (const [index, userId] of ['x', 'y', 'x', 'z'].entries()) {
      queue.push(aRun(`${index}`, userId));
      engine.wake();
      await jest.advanceTimersByTimeAsync(1);
      running.get(`${index}`)?.resolve();
      await jest.advanceTimersByTimeAsync(1);
    }
    expect(claims.map(({ served }) => served)).toEqual([[], ['x'], ['x', 'y'], ['y', 'x']]);
  });

  test('looks every second while runs are unfinished, and every ten seconds otherwise', async () => {
    const { engine, queue, begun } = createEngine();
    engine.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1);
    queue.push(aRun('a'));
    await jest.advanceTimersByTimeAsync(9900);
    expect(begun).toEqual([]);
    await jest.advanceTimersByTimeAsync(200);
    expect(begun).toHaveLength(1);
    queue.push(aRun('b'));
    await jest.advanceTimersByTimeAsync(1000);
    expect(begun).toHaveLength(2);
  });

  test.each(['drains', 'cannot keep up', 'has no slots'])('claims nothing while the process %s', async (state) => {
    const { engine, queue, claims, drain, overload } = createEngine({ slots: state === 'has no slots' ? 0 : 2 });
    queue.push(aRun('a'));
    if (state === 'drains') drain.begin();
    overload.isOverloaded = state === 'cannot keep up';
    engine.onApplicationBootstrap();
    engine.wake();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(claims).toEqual([]);
  });

  test('waits for running jobs when the process stops, and requeues a job that exceeds the deadline of an eval', async () => {
    const { engine, queue, running, returned } = createEngine();
    queue.push(aRun('a'), aRun('b'));
    engine.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1);
    await engine.onModuleDestroy();
    let isOver = false;
    void engine.beforeApplicationShutdown().then(() => {
      isOver = true;
    });
    running.get('a')?.resolve();
    await jest.advanceTimersByTimeAsync(89_000);
    expect([isOver, returned]).toEqual([false, []]);
    await jest.advanceTimersByTimeAsync(1001);
    expect([isOver, returned]).toEqual([true, [[expect.objectContaining({ runId: 'b', fence: 1 }), [0, false]]]]);
  });

  test('stops at once when nothing runs', async () => {
    const { engine, returned } = createEngine();
    engine.onApplicationBootstrap();
    await engine.onModuleDestroy();
    await engine.beforeApplicationShutdown();
    expect(returned).toEqual([]);
  });
});
