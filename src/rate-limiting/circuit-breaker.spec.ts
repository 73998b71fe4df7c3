import { setImmediate as turn } from 'node:timers/promises';
import { CircuitBreaker } from './circuit-breaker';

function aGuard() {
  const told: string[] = [];
  const clock = { ms: 0, monotonicMs: () => clock.ms };
  const guard = new CircuitBreaker(clock, { onOpen: () => told.push('away'), onClose: () => told.push('back'), onRejected: () => told.push('unanswered') });
  return { guard, told, clock };
}

const refuses = () => Promise.reject(new Error('refused'));
const hangs = () => new Promise<never>(() => undefined);

describe('CircuitBreaker', () => {
  it('passes results on and reports nothing while closed', async () => {
    const { guard, told } = aGuard();
    expect(await guard.execute(async () => 7)).toBe(7);
    expect(told).toEqual([]);
  });

  it('reports an outage once, however many calls fail', async () => {
    const { guard, told } = aGuard();
    expect(await Promise.all([guard.execute(refuses), guard.execute(refuses), guard.execute(refuses)])).toEqual([undefined, undefined, undefined]);
    expect(told.filter((word) => word === 'away')).toHaveLength(1);
    expect(told.filter((word) => word === 'unanswered')).toHaveLength(3);
  });

  it('waits a bounded time for a store that hangs, and then not at all', async () => {
    const { guard, told } = aGuard();
    expect(await guard.execute(hangs)).toBeUndefined();
    let asked = 0;
    const hangsAndCounts = () => {
      asked += 1;
      return hangs();
    };
    // With a clock that stands still, one of a thousand questions looks whether the store is back; none waits.
    for (let i = 0; i < 1000; i += 1) expect(await guard.execute(hangsAndCounts)).toBeUndefined();
    expect(asked).toBeLessThanOrEqual(1);
    expect(told.filter((word) => word === 'away')).toHaveLength(1);
  });

  it('probes at intervals, and closes when the store answers again', async () => {
    const { guard, told, clock } = aGuard();
    await guard.execute(refuses);
    clock.ms += 10_000;
    expect(await guard.execute(async () => 1)).toBeUndefined();
    await turn();
    expect(await guard.execute(async () => 2)).toBe(2);
    expect(told).toEqual(['away', 'unanswered', 'unanswered', 'back']);
  });

  it('does not count an answer as late that arrived while this process was busy', async () => {
    const { guard, told } = aGuard();
    const answer = guard.execute(() => turnOfTheSockets());
    busyFor(400);
    expect(await answer).toBe('there');
    expect(told).toEqual([]);
  });
});

/** Comes with the sockets, after the timers of the same turn. */
async function turnOfTheSockets(): Promise<string> {
  await turn();
  return 'there';
}

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
