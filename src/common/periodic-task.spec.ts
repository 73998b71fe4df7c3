import { PeriodicTask } from './periodic-task';

/** A chore whose batches end when the test says so. */
function aChore(pauseMs = 1) {
  const batches: { end(mayBeMore: boolean): void; fail(error: Error): void }[] = [];
  const failures: unknown[] = [];
  let arrived: () => void = () => undefined;
  const runBatch = () => new Promise<boolean>((end, fail) => {
    batches.push({ end, fail });
    arrived();
  });
  const nth = async (n: number) => {
    while (batches.length < n) await new Promise<void>((resolve) => { arrived = resolve; });
    return batches[n - 1] as (typeof batches)[number];
  };
  return { chore: new PeriodicTask({ pauseMs, runBatch, onFailure: (error) => failures.push(error) }), batches, failures, nth };
}

describe('PeriodicTask', () => {
  it('runs at once, again while there is more, and again after a pause', async () => {
    const { chore, nth, batches } = aChore();
    chore.start();
    (await nth(1)).end(true);
    (await nth(2)).end(false);
    (await nth(3)).end(false);
    (await nth(4)).end(false);
    await chore.stop();
    expect(batches).toHaveLength(4);
  });

  it('runs without a pause from one full batch to the next', async () => {
    const { chore, nth } = aChore(2 ** 30);
    chore.start();
    (await nth(1)).end(true);
    (await nth(2)).end(false);
    await chore.stop();
  });

  it('runs again after a failure', async () => {
    const { chore, nth, failures } = aChore();
    chore.start();
    (await nth(1)).fail(new Error('away'));
    (await nth(2)).end(false);
    await chore.stop();
    expect(failures).toEqual([new Error('away')]);
  });

  it('stops after the current batch, however much work is left', async () => {
    const { chore, nth, batches } = aChore();
    chore.start();
    const first = await nth(1);
    let stopped = false;
    const stopping = chore.stop().then(() => { stopped = true; });
    await new Promise((resolve) => setImmediate(resolve));
    expect([stopped, chore.isStopping]).toEqual([false, true]);
    first.end(true);
    await stopping;
    expect(batches).toHaveLength(1);
  });

  it('never runs when it is stopped before it starts', async () => {
    const { chore, batches } = aChore();
    await chore.stop();
    chore.start();
    // Timers of the same length fire in the order in which they were set.
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(batches).toEqual([]);
  });
});
