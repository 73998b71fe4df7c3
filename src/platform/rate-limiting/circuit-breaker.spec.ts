import { setImmediate as turn } from 'node:timers/promises';
import { CircuitBreaker } from './circuit-breaker';

function aBreaker() {
  const events: string[] = [];
  const clock = { ms: 0, monotonicMs: () => clock.ms };
  const breaker = new CircuitBreaker(clock, {
    onOpen: () => events.push('open'),
    onClose: () => events.push('close'),
    onRejected: () => events.push('rejected'),
  });
  return { breaker, events, clock };
}

const refuses = () => Promise.reject(new Error('refused'));
const hangs = () => new Promise<never>(() => undefined);

describe('CircuitBreaker', () => {
  it('passes results on and reports nothing while closed', async () => {
    const { breaker, events } = aBreaker();
    expect(await breaker.execute(async () => 7)).toBe(7);
    expect(events).toEqual([]);
  });

  it('reports an outage once, however many calls fail', async () => {
    const { breaker, events } = aBreaker();
    expect(await Promise.all([breaker.execute(refuses), breaker.execute(refuses), breaker.execute(refuses)])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(events.filter((word) => word === 'open')).toHaveLength(1);
    expect(events.filter((word) => word === 'rejected')).toHaveLength(3);
  });

  it('waits a bounded time for a store that hangs, and then not at all', async () => {
    const { breaker, events } = aBreaker();
    expect(await breaker.execute(hangs)).toBeUndefined();
    let asked = 0;
    const hangsAndCounts = () => {
      asked += 1;
      return hangs();
    };
    // With a stopped clock, one of a thousand calls probes whether the store is back; none waits.
    for (let i = 0; i < 1000; i += 1) expect(await breaker.execute(hangsAndCounts)).toBeUndefined();
    expect(asked).toBeLessThanOrEqual(1);
    expect(events.filter((word) => word === 'open')).toHaveLength(1);
  });

  it('probes at intervals, and closes when the store answers again', async () => {
    const { breaker, events, clock } = aBreaker();
    await breaker.execute(refuses);
    clock.ms += 10_000;
    expect(await breaker.execute(async () => 1)).toBeUndefined();
    await turn();
    expect(await breaker.execute(async () => 2)).toBe(2);
    expect(events).toEqual(['open', 'rejected', 'rejected', 'close']);
  });

  it('does not count an answer as late that arrived while this process was busy', async () => {
    const { breaker, events } = aBreaker();
    const answer = breaker.execute(() => turnOfTheSockets());
    busyFor(400);
    expect(await answer).toBe('there');
    expect(events).toEqual([]);
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
