import { URGENT_SHARE } from '../../../platform/background/fair-turns';
import { TaskError, type ThreadPoolService, type ThreadTask } from '../../../platform/background/thread-pool.service';
import { CountingError, TokenCounterService } from './token-counter.service';

const LATE = { timeoutMs: 60_000 };

/** A counter whose thread pool answers when the test lets it. */
function counterWith() {
  const asked: (ThreadTask & { share: string } & PromiseWithResolvers<number>)[] = [];
  const threads = {
    run: (share: string, task: ThreadTask) => {
      const answer = Promise.withResolvers<number>();
      asked.push({ share, ...task, ...answer });
      return answer.promise;
    },
  };
  return { asked, counter: new TokenCounterService(threads as unknown as ThreadPoolService) };
}

describe('TokenCounterService', () => {
  test('counts the same text once for all who wait for it, and again later', async () => {
    const { asked, counter } = counterWith();
    const counts = Promise.all(['a', 'b', 'b', 'a'].map((text) => counter.count(text, LATE)));
    expect(asked.map(({ input }) => input)).toEqual(['a', 'b']);
    for (const [index, { resolve }] of asked.entries()) resolve(index);
    expect(await counts).toEqual([0, 1, 1, 0]);
    const again = counter.count('a', LATE);
    asked[2]?.resolve(3);
    expect(await again).toBe(3);
  });

  test('counts for calls that were made in the urgent share, which waits as long as its last caller, and for all estimates in another', async () => {
    const { asked, counter } = counterWith();
    const counts = [true, false].map((isUrgent) => counter.count('a', { ...LATE, isUrgent }));
    counter.warmUp();
    for (const { resolve } of asked) resolve(1);
    await Promise.all(counts);
    expect(asked.map(({ share, input, maxWaitMs }) => [share, input, maxWaitMs])).toEqual([
      [URGENT_SHARE, 'a', undefined],
      ['estimates', 'a', 60_000],
      [URGENT_SHARE, '', undefined],
    ]);
  });

  test('rejects what would have to wait too long, and paid requests only at twice as much', async () => {
    const { asked, counter } = counterWith();
    const long = (first: string) => first.padEnd(1_000_000, 'x');
    const counts = ['a', 'b'].map((first) => counter.count(long(first), LATE));
    await expect(counter.count('c', LATE)).rejects.toThrow(CountingError);
    const urgent = ['d', 'e'].map((first) => counter.count(long(first), { ...LATE, isUrgent: true }));
    await expect(counter.count('f', { ...LATE, isUrgent: true })).rejects.toThrow('Too many texts wait to be counted.');
    for (const { resolve } of asked) resolve(1);
    await Promise.all([...counts, ...urgent]);
    const next = counter.count('c', LATE);
    asked.at(-1)?.resolve(7);
    expect(await next).toBe(7);
  });

  test('waits no longer than requested', async () => {
    await expect(counterWith().counter.count('a', { timeoutMs: 10 })).rejects.toThrow('Counting took too long.');
  });

  test('reports that a text was not counted, whatever the reason', async () => {
    const { asked, counter } = counterWith();
    const count = counter.count('a', LATE);
    asked[0]?.reject(new TaskError('memory'));
    await expect(count).rejects.toMatchObject({ message: 'The text was not counted.', cause: { reason: 'memory' } });
    await expect(count).rejects.toThrow(CountingError);
  });
});
