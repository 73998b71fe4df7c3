import { EventEmitter } from 'node:events';
import { CountingError, TokenCounterService, type CountingThread } from './token-counter.service';

/** A thread that answers when the test lets it. */
class HandFedThread extends EventEmitter {
  readonly texts: string[] = [];
  isTerminated = false;

  postMessage(text: string): void {
    this.texts.push(text);
  }

  async terminate(): Promise<number> {
    this.isTerminated = true;
    return 1;
  }

  unref(): void {
    // Nothing to let go of.
  }

  answer(tokens: number): void {
    this.emit('message', tokens);
  }
}

class HandFedCounter extends TokenCounterService {
  readonly threads: HandFedThread[] = [];

  protected override newThread(): CountingThread {
    const thread = new HandFedThread();
    this.threads.push(thread);
    return thread as unknown as CountingThread;
  }

  get texts(): string[][] {
    return this.threads.map(({ texts }) => texts);
  }
}

const SOON = { timeoutMs: 20 };
const LATE = { timeoutMs: 60_000 };

/** Lets everything happen that can happen without the thread. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('TokenCounterService', () => {
  let counter: HandFedCounter;
  beforeEach(() => { counter = new HandFedCounter(); });
  afterEach(() => counter.onApplicationShutdown());

  test('sends one text after the other to its thread and returns each count', async () => {
    const counts = Promise.all(['a', 'b'].map((text) => counter.count(text, LATE)));
    await settle();
    expect(counter.texts).toEqual([['a']]);
    counter.threads[0]?.answer(11);
    await settle();
    expect(counter.texts).toEqual([['a', 'b']]);
    counter.threads[0]?.answer(22);
    expect(await counts).toEqual([11, 22]);
  });

  test('counts the same text once for all who wait for it', async () => {
    const counts = Promise.all(['a', 'b', 'b', 'a'].map((text) => counter.count(text, LATE)));
    await settle();
    counter.threads[0]?.answer(1);
    await settle();
    counter.threads[0]?.answer(2);
    expect(await counts).toEqual([1, 2, 2, 1]);
    expect(counter.texts).toEqual([['a', 'b']]);
  });

  test('counts paid requests first', async () => {
    const counts = [['a', false], ['b', false], ['c', true], ['d', true]].map(([text, isUrgent]) => counter.count(String(text), { ...LATE, isUrgent: isUrgent === true }));
    for (let tokens = 1; tokens <= 4; tokens += 1) {
      await settle();
      counter.threads[0]?.answer(tokens);
    }
    // Nothing was running when they came, so that c goes before a too.
    expect(counter.texts).toEqual([['c', 'd', 'a', 'b']]);
    expect(await Promise.all(counts)).toEqual([3, 4, 1, 2]);
  });

  test('rejects what would have to wait too long, and paid requests only at twice as much', async () => {
    const long = (first: string) => first.padEnd(1_000_000, 'x');
    const counts = ['a', 'b'].map((first) => counter.count(long(first), LATE));
    await expect(counter.count('c', LATE)).rejects.toThrow(CountingError);
    const urgent = ['d', 'e'].map((first) => counter.count(long(first), { ...LATE, isUrgent: true }));
    await expect(counter.count('f', { ...LATE, isUrgent: true })).rejects.toThrow('Too many texts wait to be counted.');
    for (let tokens = 1; tokens <= 4; tokens += 1) {
      await settle();
      counter.threads[0]?.answer(tokens);
    }
    // The first was under way when the urgent ones came.
    expect(await Promise.all([...counts, ...urgent])).toEqual([1, 4, 2, 3]);
  });

  test('waits no longer than requested, and does not count texts without a waiting caller', async () => {
    const first = counter.count('a', LATE);
    await settle();
    await expect(counter.count('b', SOON)).rejects.toThrow('Counting took too long.');
    const last = counter.count('c', LATE);
    counter.threads[0]?.answer(1);
    await settle();
    counter.threads[0]?.answer(3);
    expect([await first, await last]).toEqual([1, 3]);
    expect(counter.texts).toEqual([['a', 'c']]);
  });

  test.each(['error', 'exit'])('loses only the text at which the thread died (%s), and continues in another thread', async (event) => {
    const [first, second] = [counter.count('a', LATE), counter.count('b', LATE)];
    await settle();
    counter.threads[0]?.emit(event, new Error('out of memory'));
    await expect(first).rejects.toThrow('The thread that counts has ended.');
    expect(counter.texts).toEqual([['a'], ['b']]);
    // An answer of the dead is not taken for the living's.
    counter.threads[0]?.answer(99);
    counter.threads[1]?.answer(2);
    expect(await second).toBe(2);
  });

  describe('TokenCounterService with timers', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    test('ends a thread that has been idle for a minute', async () => {
      counter.warmUp();
      counter.warmUp();
      expect(counter.threads).toHaveLength(1);
      jest.advanceTimersByTime(59_999);
      expect(counter.threads[0]?.isTerminated).toBe(false);
      jest.advanceTimersByTime(1);
      expect(counter.threads[0]?.isTerminated).toBe(true);
    });

    test('ends a thread that hangs', async () => {
      const count = counter.count('a', LATE);
      await Promise.resolve();
      jest.advanceTimersByTime(30_000);
      await expect(count).rejects.toThrow('Counting took too long.');
      expect(counter.threads[0]?.isTerminated).toBe(true);
    });
  });
});
