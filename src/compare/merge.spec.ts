import fc from 'fast-check';
import { merge, type Merged } from './merge';

/** A source that gives what the test hands in, when the test hands it in. */
class HandFed<T> implements AsyncIterable<T> {
  private readonly waiting: Merged<PromiseWithResolvers<IteratorResult<T>>>[] = [];
  private readonly ready: (IteratorResult<T> | Error)[] = [];
  /** How often the next item was asked for. */
  asked = 0;

  give(item: T): void {
    this.hand({ done: false, value: item });
  }

  end(): void {
    this.hand({ done: true, value: undefined });
  }

  fail(error: Error): void {
    this.hand(error);
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: () => {
        const source = this.asked;
        this.asked += 1;
        const item = Promise.withResolvers<IteratorResult<T>>();
        this.waiting.push({ source, item });
        this.match();
        return item.promise;
      },
    };
  }

  private hand(result: IteratorResult<T> | Error): void {
    this.ready.push(result);
    this.match();
  }

  private match(): void {
    while (this.waiting.length > 0 && this.ready.length > 0) {
      const result = this.ready.shift();
      const promise = this.waiting.shift()?.item;
      if (result instanceof Error) promise?.reject(result);
      else if (result !== undefined) promise?.resolve(result);
    }
  }
}

/** Lets everything happen that can happen without a new item. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function collect<T>(merged: AsyncIterable<Merged<T>>): Promise<Merged<T>[]> {
  const items: Merged<T>[] = [];
  for await (const item of merged) items.push(item);
  return items;
}

async function* from<T>(items: readonly T[], pauses = 0): AsyncGenerator<T> {
  for (const item of items) {
    for (let pause = 0; pause < pauses; pause += 1) await Promise.resolve();
    yield item;
  }
}

function pair<T>(): [HandFed<T>, HandFed<T>] {
  return [new HandFed<T>(), new HandFed<T>()];
}

describe('merged sources', () => {
  test('give their items in the order in which they come', async () => {
    const [left, right] = pair<string>();
    const all = collect(merge([left, right]));
    for (const [source, item] of [[right, 'r1'], [left, 'l1'], [left, 'l2'], [right, 'r2']] as const) {
      source.give(item);
      await settle();
    }
    left.end();
    right.end();
    expect(await all).toEqual([{ source: 1, item: 'r1' }, { source: 0, item: 'l1' }, { source: 0, item: 'l2' }, { source: 1, item: 'r2' }]);
  });

  test('are all started before any of them has given anything', async () => {
    const [left, right] = pair<string>();
    const first = merge([left, right]).next();
    expect([left.asked, right.asked]).toEqual([1, 1]);
    right.give('r1');
    expect(await first).toEqual({ done: false, value: { source: 1, item: 'r1' } });
  });

  test('run on whether or not the reader keeps up', async () => {
    const [left, right] = pair<number>();
    const merged = merge([left, right]);
    const first = merged.next();
    for (let i = 0; i < 5; i += 1) left.give(i);
    await first;
    await settle();
    expect(left.asked).toBe(6);
  });

  test('run on after the reader has gone', async () => {
    const [left, right] = pair<number>();
    const merged = merge([left, right]);
    left.give(0);
    await merged.next();
    await merged.return(undefined);
    left.give(1);
    left.give(2);
    await settle();
    expect(left.asked).toBe(4);
  });

  test('do not wait for one another', async () => {
    const [left, right] = pair<string>();
    const merged = merge([left, right]);
    right.give('r1');
    right.end();
    expect((await merged.next()).value).toEqual({ source: 1, item: 'r1' });
    const next = merged.next();
    left.give('l1');
    expect((await next).value).toEqual({ source: 0, item: 'l1' });
  });

  test('fail with the first failure, after everything that the others gave', async () => {
    const [left, right] = pair<string>();
    const read: string[] = [];
    const reading = (async () => {
      for await (const { item } of merge([left, right])) read.push(item);
    })();
    left.fail(new Error('first'));
    await settle();
    right.give('r1');
    right.fail(new Error('second'));
    await expect(reading).rejects.toThrow('first');
    expect(read).toEqual(['r1']);
  });

  test.each([
    ['no sources', []],
    ['sources without items', [from([]), from([])]],
  ])('end at once for %s', async (_, sources: AsyncIterable<never>[]) => {
    expect(await collect(merge(sources))).toEqual([]);
  });

  test('lose nothing, double nothing and keep the order of each source', async () => {
    const source = fc.record({ items: fc.array(fc.nat(), { maxLength: 10 }), pauses: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(source, { maxLength: 8 }), async (sources) => {
        const items = await collect(merge(sources.map((each) => from(each.items, each.pauses))));
        expect(sources.map((_, number) => items.filter((one) => one.source === number).map((one) => one.item))).toEqual(sources.map((each) => each.items));
      }),
    );
  });
});
