import { SingleFlight } from './single-flight';

/** A flight of single computations whose results the test gives. */
function controlled() {
  const flight = new SingleFlight<number>();
  const kept: [string, number][] = [];
  const started: PromiseWithResolvers<number>[] = [];
  const run = (key: string) =>
    flight.run(
      key,
      () => {
        const computation = Promise.withResolvers<number>();
        started.push(computation);
        return computation.promise;
      },
      (result) => void kept.push([key, result]),
    );
  return { flight, kept, started, run };
}

describe('SingleFlight', () => {
  test('computes once for concurrent calls with one key, and keeps the result once', async () => {
    const { started, kept, run } = controlled();
    const calls = [run('a'), run('a'), run('b')];
    expect(started).toHaveLength(2);
    started[0]?.resolve(1);
    started[1]?.resolve(2);
    expect(await Promise.all(calls)).toEqual([1, 1, 2]);
    expect(kept).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    void run('a');
    expect(started).toHaveLength(3);
  });

  test('gives a result that was forgotten meanwhile to its callers, keeps it not, and computes for later calls', async () => {
    const { flight, started, kept, run } = controlled();
    const early = [run('a'), run('b')];
    flight.forget();
    const late = run('a');
    expect(started).toHaveLength(3);
    started[0]?.resolve(1);
    started[1]?.resolve(2);
    expect(await Promise.all(early)).toEqual([1, 2]);
    // The end of an early one does not part later calls.
    const later = run('a');
    expect(started).toHaveLength(3);
    started[2]?.resolve(30);
    expect(await Promise.all([late, later])).toEqual([30, 30]);
    expect(kept).toEqual([['a', 30]]);
  });

  test('fails the callers of one key only, and tries again for the next', async () => {
    const { started, run } = controlled();
    const [first, second, other] = [run('a'), run('a'), run('b')];
    started[0]?.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await expect(second).rejects.toThrow('away');
    started[1]?.resolve(2);
    expect(await other).toBe(2);
    const next = run('a');
    started[2]?.resolve(3);
    expect(await next).toBe(3);
  });
});
