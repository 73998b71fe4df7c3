import { fakeConnection } from '../../../test/support/fake-connection';
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

  test('refuse who waits longer than allowed, and give the turn to the next', async () => {
    jest.useFakeTimers();
    const { turns, begun, take } = turnsOf({ now: 1 });
    take('a');
    const waiting = turns.begin(100);
    take('b');
    jest.advanceTimersByTime(100);
    await expect(waiting).rejects.toThrow('No connection of the pool was free in time.');
    turns.end();
    expect([begun, turns.waiting]).toEqual([['a', 'b'], 0]);
    jest.useRealTimers();
  });

  test('last until the connection is released, or has failed', async () => {
    const { turns, begun, take } = turnsOf({ now: 1 });
    const { client } = fakeConnection();
    await turns.begin(0);
    expect(await turns.hold(async () => client)).toBe(client);
    take('next');
    turns.release(fakeConnection().client);
    await Promise.resolve();
    expect(begun).toEqual([]);
    for (let times = 0; times < 2; times += 1) turns.release(client);
    await Promise.resolve();
    expect(begun).toEqual(['next']);
    const last = turns.begin(0);
    turns.end();
    await last;
    take('after a failure');
    await expect(turns.hold(() => Promise.reject(new Error('no server')))).rejects.toThrow('no server');
    expect(begun).toEqual(['next']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(['next', 'after a failure']);
  });
});
