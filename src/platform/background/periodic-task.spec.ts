import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { TASK_ROUNDS, PeriodicTask } from './periodic-task';

/** A task whose batches end when the test says so. */
function createTask(pauseMs: number | (() => number) = 1, onFailure: (error: unknown) => void = () => undefined) {
  const batches: { end(mayBeMore: boolean): void; fail(error: Error): void }[] = [];
  const failures: unknown[] = [];
  let arrived: () => void = () => undefined;
  const runBatch = () =>
    new Promise<boolean>((end, fail) => {
      batches.push({ end, fail });
      arrived();
    });
  const nth = async (n: number) => {
    while (batches.length < n)
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    return batches[n - 1] as (typeof batches)[number];
  };
  return {
    task: new PeriodicTask({
      pauseMs,
      runBatch,
      onFailure: (error) => {
        failures.push(error);
        onFailure(error);
      },
    }),
    batches,
    failures,
    nth,
  };
}

describe('PeriodicTask', () => {
  it('belongs to no request, not even to a request that creates or wakes it', async () => {
    const request = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const rounds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const runBatch = async () => {
      seen.push(request.getStore());
      rounds[seen.length - 1]?.resolve();
      return false;
    };
    const task = request.run(
      'first',
      () => new PeriodicTask({ pauseMs: 3_600_000, runBatch, onFailure: () => undefined }),
    );
    request.run('first', () => task.start());
    await rounds[0]?.promise;
    request.run('second', () => task.wake());
    await rounds[1]?.promise;
    await task.stop();
    expect(seen).toEqual([undefined, undefined]);
  });

  it('publishes how each round has ended, when it has a name', async () => {
    const published: unknown[] = [];
    const note = (round: unknown) => void published.push(round);
    subscribe(TASK_ROUNDS, note);
    const ends = [true, false];
    const second = Promise.withResolvers<void>();
    const runBatch = async () => {
      if (ends.shift() === true) return false;
      second.resolve();
      throw new Error('failed');
    };
    const [task, unnamed] = [{ name: 'named' }, {}].map(
      (name) => new PeriodicTask({ ...name, pauseMs: 1, runBatch, onFailure: () => undefined }),
    );
    task?.start();
    await second.promise;
    await task?.stop();
    unnamed?.start();
    await new Promise(setImmediate);
    await unnamed?.stop();
    unsubscribe(TASK_ROUNDS, note);
    expect(published).toEqual([
      { task: 'named', isSuccess: true },
      { task: 'named', isSuccess: false },
    ]);
  });

  it('runs at once, again while there is more, and again after a pause', async () => {
    const { task, nth, batches } = createTask();
    task.start();
    (await nth(1)).end(true);
    (await nth(2)).end(false);
    (await nth(3)).end(false);
    (await nth(4)).end(false);
    await task.stop();
    expect(batches).toHaveLength(4);
  });

  it('runs without a pause from one full batch to the next', async () => {
    const { task, nth } = createTask(2 ** 30);
    task.start();
    (await nth(1)).end(true);
    (await nth(2)).end(false);
    await task.stop();
  });

  it('runs again after a failure', async () => {
    const { task, nth, failures } = createTask();
    task.start();
    (await nth(1)).fail(new Error('away'));
    (await nth(2)).end(false);
    await task.stop();
    expect(failures).toEqual([new Error('away')]);
  });

  it('runs at once when it is woken in a pause, also when it is woken more than once', async () => {
    const { task, nth, batches } = createTask(2 ** 30);
    task.start();
    (await nth(1)).end(false);
    await new Promise((resolve) => setImmediate(resolve));
    task.wake();
    task.wake();
    (await nth(2)).end(false);
    await task.stop();
    expect(batches).toHaveLength(2);
  });

  it('runs once more without a pause when it is woken while it runs', async () => {
    const { task, nth, batches } = createTask(2 ** 30);
    task.start();
    const first = await nth(1);
    task.wake();
    task.wake();
    expect(batches).toHaveLength(1);
    first.end(false);
    (await nth(2)).end(false);
    await task.stop();
    expect(batches).toHaveLength(2);
  });

  it('runs at once when it is woken in the very instant in which a round has ended', async () => {
    const { task, nth, batches } = createTask(2 ** 30, () => queueMicrotask(() => task.wake()));
    task.start();
    // The error handler wakes it after the round, but before the pause is set.
    (await nth(1)).fail(new Error('away'));
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
    for (const batch of batches) batch.end(false);
    await task.stop();
    expect(batches).toHaveLength(2);
  });

  it('does not run when it is woken before it starts or after it was stopped', async () => {
    const { task, batches } = createTask(2 ** 30);
    task.wake();
    await task.stop();
    task.wake();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(batches).toEqual([]);
  });

  it('reads the pause before each wait', async () => {
    const pauses = [0, 0, 2 ** 30];
    const { task, nth } = createTask(() => pauses.shift() ?? 0);
    task.start();
    for (const n of [1, 2, 3]) (await nth(n)).end(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pauses).toEqual([]);
    await task.stop();
  });

  it('stops after the current batch, however much work is left', async () => {
    const { task, nth, batches } = createTask();
    task.start();
    const first = await nth(1);
    let stopped = false;
    const stopping = task.stop().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([stopped, task.isStopping]).toEqual([false, true]);
    first.end(true);
    await stopping;
    expect(batches).toHaveLength(1);
  });

  it('never runs when it is stopped before it starts', async () => {
    const { task, batches } = createTask();
    await task.stop();
    task.start();
    // Timers of the same length fire in the order in which they were set.
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(batches).toEqual([]);
  });
});
