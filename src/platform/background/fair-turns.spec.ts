import type { Clock } from '../../common/clock';
import { BusyError, FairTurns, URGENT_SHARE } from './fair-turns';

/** Turns, and work that takes time on a clock of the test. */
function turnsOf(maxRunning: number, maxWaitingOfShare = 100) {
  let nowMs = 0;
  const turns = new FairTurns({ monotonicMs: () => nowMs } as Clock, { maxRunning, maxWaitingOfShare });
  let order = '';
  const work = (share: string, ms: number, maxWaitMs?: number) =>
    turns.run(
      share,
      async () => {
        order += share[0];
        await Promise.resolve();
        nowMs += ms;
        return share;
      },
      maxWaitMs,
    );
  return { turns, work, order: () => order };
}

/** Work that ends when the test lets it. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, release: resolve };
}

/** The order in which the work of shares is done, each of which takes `ms` milliseconds. */
async function served(work: readonly (readonly [share: string, ms: number])[]): Promise<string> {
  const { work: add, order } = turnsOf(1);
  await Promise.all(work.map(([share, ms]) => add(share, ms)));
  return order();
}

describe('FairTurns', () => {
  afterEach(() => jest.useRealTimers());

  it('serves one share in order', async () => {
    expect(
      await served([
        ['a', 1],
        ['a', 500],
        ['a', 1],
      ]),
    ).toBe('aaa');
  });

  it('lets many quick pieces pass after one slow piece of another share', async () => {
    expect(await served([['a', 500], ['a', 500], ...Array.from({ length: 50 }, () => ['b', 1] as const)])).toBe(
      `a${'b'.repeat(50)}a`,
    );
  });

  it('lets shares with pieces of the same length take turns', async () => {
    expect(
      await served([
        ['a', 5],
        ['a', 5],
        ['b', 5],
        ['b', 5],
        ['c', 5],
      ]),
    ).toBe('abcab');
  });

  it('serves urgent work first, and then goes on as before', async () => {
    expect(
      await served([
        ['a', 5],
        ['a', 5],
        ['b', 5],
        [URGENT_SHARE, 500],
        [URGENT_SHARE, 500],
        ['c', 5],
      ]),
    ).toBe('auubca');
  });

  it('runs one piece of a share at the same time, and leaves the other places to other shares', async () => {
    const { turns, work, order } = turnsOf(2);
    const { work: slow, release } = held();
    const first = turns.run('a', slow);
    const second = work('a', 1);
    await work('b', 1);
    expect(order()).toBe('b');
    release();
    await Promise.all([first, second]);
    expect(order()).toBe('ba');
  });

  it('gives a later share neither the past of the others nor an advantage for long', async () => {
    const { work, order } = turnsOf(1);
    const before = [1, 2, 3, 4].map(() => work('a', 100));
    await before[1];
    await Promise.all([...before, ...[1, 2, 3].map(() => work('b', 100))]);
    expect(order()).toMatch(/^aaa?babab?$|^aa[ab]{5}$/);
    expect(order().slice(2)).not.toMatch(/bbb|aaa/);
  });

  it('makes room when work fails', async () => {
    const { turns } = turnsOf(1);
    for (let count = 0; count < 3; count++)
      await expect(turns.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(turns.run('b', () => Promise.resolve('done'))).resolves.toBe('done');
  });

  it('refuses what exceeds the bound of a share, and no other share', async () => {
    const { turns } = turnsOf(1, 2);
    const { work: slow, release } = held();
    const runs = [1, 2, 3].map(() => turns.run('a', slow));
    await expect(turns.run('a', slow)).rejects.toThrow(BusyError);
    const other = turns.run('b', () => Promise.resolve('done'));
    release();
    expect([await other, (await Promise.all(runs)).length]).toEqual(['done', 3]);
  });

  it('refuses work whose turn does not come in time, and never starts it', async () => {
    jest.useFakeTimers();
    const { turns, work, order } = turnsOf(1);
    const { work: slow, release } = held();
    const first = turns.run('a', slow);
    const late = expect(work('b', 1, 50)).rejects.toThrow(BusyError);
    const patient = work('c', 1);
    await jest.advanceTimersByTimeAsync(50);
    await late;
    release();
    await Promise.all([first, patient]);
    expect(order()).toBe('c');
  });
});
