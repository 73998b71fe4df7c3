import { Clock } from '../../common/clock';
import { FairQueue } from './fair-queue';

async function round(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('FairQueue', () => {
  afterEach(() => void jest.restoreAllMocks());

  test('runs tasks in order, for a millisecond at a time, and lets everything else pass in between', async () => {
    let nowMs = 0;
    const clock = new Clock();
    jest.spyOn(clock, 'monotonicMs').mockImplementation(() => nowMs);
    const turns = new FairQueue(clock);
    const done: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      turns.enqueue(() => {
        done.push(name);
        nowMs += 0.6;
      });
    }
    expect(done).toEqual([]);
    for (const name of ['first', 'second']) {
      await round();
      done.push(`others ${name}`);
    }
    expect(done).toEqual(['a', 'b', 'others first', 'c', 'd', 'others second']);
  });

  test('goes on in the next turn when a task throws', () => {
    const turns: (() => void)[] = [];
    jest
      .spyOn(globalThis, 'setImmediate')
      .mockImplementation(((turn: () => void) => turns.push(turn)) as unknown as typeof setImmediate);
    const queue = new FairQueue();
    const done: string[] = [];
    queue.enqueue(() => {
      throw new Error('boom');
    });
    queue.enqueue(() => done.push('next'));
    expect(turns.shift()).toThrow('boom');
    turns.shift()?.();
    expect({ done, turns }).toEqual({ done: ['next'], turns: [] });
  });

  test('continues with tasks that are added while it waits, while it runs and after it was empty', async () => {
    const turns = new FairQueue();
    const done: number[] = [];
    turns.enqueue(() => {
      done.push(1);
      turns.enqueue(() => done.push(3));
    });
    turns.enqueue(() => done.push(2));
    while (done.length < 3) await round();
    turns.enqueue(() => done.push(4));
    while (done.length < 4) await round();
    expect(done).toEqual([1, 2, 3, 4]);
  });
});
