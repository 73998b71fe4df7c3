import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { RateBudgets, RateLeases, type CountedRequest, type LeaseGrant, type LeaseRequest, type RateNotice } from './rate-leases';

const WINDOW_MS = 60_000;

/** Workers and their primary process, with a stopped clock, and messages that arrive after `delay`. */
function aCluster({ workers: count = 2, limit = 300, delay = async (): Promise<unknown> => undefined }) {
  const clock = { ms: 1000, monotonicMs: () => clock.ms };
  const budgets = new RateBudgets(count, clock);
  const listeners: ((notice: RateNotice) => void)[] = [];
  const asked: LeaseRequest[] = [];
  const request = async (asker: number, question: LeaseRequest): Promise<LeaseGrant> => {
    asked.push(question);
    const grant = budgets.grant(question);
    listeners.forEach((listener, index) => { if (index !== asker) listener({ key: question.key, left: grant.left }); });
    await delay();
    return grant;
  };
  const workers = Array.from({ length: count }, (_, index) => new RateLeases({ request: (question) => request(index, question), onRateNotice: (listener) => { listeners[index] = listener; } }, clock));
  const send = async (worker = 0, key = 'key_a'): Promise<CountedRequest> => {
    const leases = workers[worker];
    if (leases === undefined) throw new Error('There is no such worker.');
    return leases.countLocally(key) ?? leases.count(key, limit, WINDOW_MS);
  };
  /** The number of a worker's requests that pass until the first one is refused. */
  const sendUntilRefused = async (worker = 0, most = 2 * limit): Promise<number> => {
    for (let passed = 0; ; passed += 1) if (passed >= most || (await send(worker)).isBlocked) return passed;
  };
  return { clock, asked, send, sendUntilRefused };
}

const scenario = fc.record({
  workers: fc.integer({ min: 1, max: 4 }),
  limit: fc.integer({ min: 1, max: 700 }),
  turns: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 60 })), { maxLength: 40 }),
});

describe('Rate leases', () => {
  test('never let more through than the limit, and exactly that when every worker has used what it leased', async () => {
    await fc.assert(fc.asyncProperty(scenario, async ({ workers, limit, turns }) => {
      const { sendUntilRefused } = aCluster({ workers, limit });
      let passed = 0;
      for (const [worker, most] of turns) passed += await sendUntilRefused(worker % workers, most);
      expect(passed).toBeLessThanOrEqual(limit);
      for (let worker = 0; worker < workers; worker += 1) passed += await sendUntilRefused(worker);
      expect(passed).toBe(limit);
    }));
  });

  test('refuse a request too early by less than one lease of each other worker: a fiftieth of the limit, none below 100', async () => {
    await fc.assert(fc.asyncProperty(scenario, async ({ workers, limit, turns }) => {
      const { sendUntilRefused } = aCluster({ workers, limit });
      let passed = 0;
      for (const [worker, most] of turns) passed += await sendUntilRefused(worker % workers, most);
      passed += await sendUntilRefused(0);
      expect(limit - passed).toBeLessThanOrEqual((workers - 1) * Math.max(0, Math.floor(limit / 50) - 1));
    }));
  });

  test.each([300, 1200, 1230, 5000])('shrink while less is left: of a limit of %s, two workers that are used alike miss two requests at most', async (limit) => {
    const { send } = aCluster({ limit });
    let passed = 0;
    while (!(await send(passed % 2)).isBlocked) passed += 1;
    expect(passed).toBeGreaterThanOrEqual(limit - 2);
  });

  test('report as left never more than what is true, and less by no more than what the other workers hold', async () => {
    await fc.assert(fc.asyncProperty(scenario, async ({ workers, limit, turns }) => {
      const { send } = aCluster({ workers, limit });
      let passed = 0;
      for (const [worker, most] of turns) {
        for (let i = 0; i < most; i += 1) {
          const { isBlocked, left } = await send(worker % workers);
          if (!isBlocked) passed += 1;
          expect(left).toBeLessThanOrEqual(limit - passed);
          expect(left).toBeGreaterThanOrEqual(limit - passed - (workers - 1) * Math.max(0, Math.floor(limit / 50) - 1));
        }
      }
    }));
  });

  test('ask one question for all concurrent requests of a key', async () => {
    const { asked, send } = aCluster({ limit: 30, delay: turn });
    const answers = await Promise.all(Array.from({ length: 90 }, (_, index) => send(0, `key_${index % 2}`)));
    expect(answers.filter(({ isBlocked }) => !isBlocked)).toHaveLength(60);
    // One for the first request of each key, one for the requests that came meanwhile.
    expect(asked.map(({ wanted }) => wanted)).toEqual([1, 1, 44, 44]);
  });

  test('cost a question for every sixth request of a limit of 300, and none for refused requests', async () => {
    const { asked, send, sendUntilRefused } = aCluster({ limit: 300 });
    expect(await sendUntilRefused(0, 150)).toBe(150);
    expect(asked).toHaveLength(25);
    await sendUntilRefused(0);
    await sendUntilRefused(1);
    const before = asked.length;
    for (let i = 0; i < 50; i += 1) expect(await send(i % 2)).toMatchObject({ isBlocked: true, left: 0 });
    expect(asked).toHaveLength(before);
  });

  test('lapse with the window that they were granted for, and so do refusals', async () => {
    const { clock, sendUntilRefused, send } = aCluster({ limit: 300 });
    await send(1);
    clock.ms += WINDOW_MS - 1;
    expect((await send(1)).msLeft).toBe(1);
    await sendUntilRefused(0);
    clock.ms += 1;
    expect(await sendUntilRefused(0) + await sendUntilRefused(1)).toBe(300);
  });

  test('are not used when they arrive after the end of their window', async () => {
    const late = Promise.withResolvers<undefined>();
    const delays = [late.promise];
    const { clock, send, sendUntilRefused, asked } = aCluster({ limit: 300, delay: () => delays.shift() ?? Promise.resolve() });
    const first = send(0);
    clock.ms += WINDOW_MS;
    expect(await sendUntilRefused(1)).toBe(300);
    late.resolve(undefined);
    expect((await first).isBlocked).toBe(true);
    expect(asked.at(-1)).toMatchObject({ wanted: 1 });
  });

  test('are counted for each key', async () => {
    const { send, sendUntilRefused } = aCluster({ limit: 30 });
    await sendUntilRefused(0);
    expect(await send(0, 'key_b')).toMatchObject({ isBlocked: false, left: 29 });
  });
});
