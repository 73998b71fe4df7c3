import { SharedTime } from './shared-time';

/** The order in which the jobs of users are served, each of which takes `ms` milliseconds. */
function served(jobs: readonly (readonly [user: string, ms: number])[]): string {
  const time = new SharedTime<number>();
  for (const [user, ms] of jobs) time.add(user, ms);
  let order = '';
  for (let next = time.take(); next !== undefined; next = time.take()) {
    order += next.user;
    time.finished(next.user, next.job);
  }
  return order;
}

describe('SharedTime', () => {
  it('serves one user in order', () => {
    expect(served([['a', 1], ['a', 500], ['a', 1]])).toBe('aaa');
  });

  it('lets many quick jobs pass after one slow job of another', () => {
    expect(served([['a', 500], ['a', 500], ...Array.from({ length: 50 }, () => ['b', 1] as const)])).toBe(`a${'b'.repeat(50)}a`);
  });

  it('lets users with jobs of the same length take turns', () => {
    expect(served([['a', 5], ['a', 5], ['b', 5], ['b', 5], ['c', 5]])).toBe('abcab');
  });

  it('lets who comes later neither wait for what others had before nor go before them for long', () => {
    const time = new SharedTime<string>();
    for (const job of ['a1', 'a2', 'a3', 'a4']) time.add('a', job);
    const taken = () => {
      const next = time.take();
      if (next !== undefined) time.finished(next.user, 100);
      return next?.job;
    };
    expect([taken(), taken()]).toEqual(['a1', 'a2']);
    for (const job of ['b1', 'b2', 'b3']) time.add('b', job);
    expect([taken(), taken(), taken(), taken(), taken(), taken()]).toEqual(['b1', 'a3', 'b2', 'a4', 'b3', undefined]);
    expect(time.size).toBe(0);
  });
});
