import { FairQueue } from './fair-queue';

async function round(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('FairQueue', () => {
  test('runs tasks in order, and lets everything else pass in between', async () => {
    const turns = new FairQueue();
    const done: string[] = [];
    for (const name of ['a', 'b', 'c']) turns.enqueue(() => done.push(name));
    expect(done).toEqual([]);
    for (const name of ['first', 'second', 'third']) {
      await round();
      done.push(`others ${name}`);
    }
    expect(done).toEqual(['a', 'others first', 'b', 'others second', 'c', 'others third']);
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
