import { Turns } from './turns';

describe('Turns', () => {
  /** Turns with a limit at a time, and the started ones. */
  function turnsOf(limit: { now: number }) {
    const begun: string[] = [];
    const turns = new Turns(() => limit.now);
    return { turns, begun, take: (name: string) => turns.take(() => begun.push(name)) };
  }

  test('begin at once below the limit, and then in their order, one for each that ends', () => {
    const { turns, begun, take } = turnsOf({ now: 2 });
    for (const name of ['a', 'b', 'c', 'd']) take(name);
    expect([begun, turns.waiting]).toEqual([['a', 'b'], 2]);
    turns.end();
    expect([begun, turns.waiting]).toEqual([['a', 'b', 'c'], 1]);
  });

  test('skip waiters that left the queue', () => {
    const { turns, begun, take } = turnsOf({ now: 1 });
    take('a');
    const leave = take('b');
    take('c');
    leave();
    turns.end();
    expect([begun, turns.waiting]).toEqual([['a', 'c'], 0]);
  });

  test('follow a limit that changes', () => {
    const limit = { now: 0 };
    const { turns, begun, take } = turnsOf(limit);
    for (const name of ['a', 'b', 'c']) take(name);
    expect(begun).toEqual([]);
    limit.now = 2;
    turns.next();
    expect(begun).toEqual(['a', 'b']);
    limit.now = 1;
    turns.end();
    expect(begun).toEqual(['a', 'b']);
    turns.end();
    expect(begun).toEqual(['a', 'b', 'c']);
  });
});
