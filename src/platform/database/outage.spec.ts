import { fakeConnection, withCode } from '../../../test/support/fake-connection';
import { Outage } from './outage';

const TIMEOUT_MS = 1000;

describe('Outage', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** Requests of a pool whose database is away until the test says otherwise. */
  function outageOf(code = 'ECONNREFUSED') {
    const database = { isAway: true, asked: 0, probed: 0, isEnding: false };
    const { client, released } = fakeConnection();
    const reach = async () => {
      if (database.isAway) throw withCode(code);
      outage.end();
      return client;
    };
    const outage = new Outage(
      {
        timeoutMs: TIMEOUT_MS,
        probe: () => {
          database.probed += 1;
          return reach();
        },
        isEnding: () => database.isEnding,
      },
      { monotonicMs: () => Date.now() },
    );
    const connect = outage.waitedOut(() => {
      database.asked += 1;
      return reach();
    });
    /** A request that has begun, and how it has ended so far. */
    const begin = () => {
      const request = { end: 'waits' };
      connect().then(
        () => (request.end = 'connected'),
        (error: Error) => (request.end = error.message),
      );
      return request;
    };
    return { outage, database, begin, released };
  }
  const after = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  test('makes all requests wait while one connection is tried, and then connects them', async () => {
    const { outage, database, begin, released } = outageOf();
    const requests = [begin(), begin(), begin()];
    await after(450);
    expect(requests.map(({ end }) => end)).toEqual(['waits', 'waits', 'waits']);
    expect([outage.waiting, outage.isAwaited, database.asked, database.probed]).toEqual([3, true, 3, 4]);
    database.isAway = false;
    await after(100);
    expect(requests.map(({ end }) => end)).toEqual(['connected', 'connected', 'connected']);
    expect([outage.waiting, outage.isAwaited, database.asked, database.probed]).toEqual([0, false, 6, 5]);
    expect(released).toEqual([undefined]);
  });

  test('refuses with the first error when it lasts as long as the timeout, and from then on at once', async () => {
    const { database, begin } = outageOf();
    const first = begin();
    await after(600);
    const second = begin();
    await after(399);
    expect([first.end, second.end]).toEqual(['waits', 'waits']);
    await after(1);
    expect(first.end).toBe('ECONNREFUSED');
    await after(100);
    expect(second.end).toBe('ECONNREFUSED');
    const third = begin();
    await after(0);
    expect([third.end, database.asked]).toEqual(['ECONNREFUSED', 4]);
  });

  test('is waited for again when the last one is as long ago as the timeout', async () => {
    const { database, begin } = outageOf();
    begin();
    await after(2 * TIMEOUT_MS);
    const later = begin();
    await after(150);
    expect(later.end).toBe('waits');
    database.isAway = false;
    await after(100);
    expect(later.end).toBe('connected');
  });

  test.each([
    ['an error that waiting does not mend', '28P01', false],
    ['a pool that ends', 'ECONNREFUSED', true],
  ])('does not make %s wait', async (_, code, isEnding) => {
    const { outage, database, begin } = outageOf(code);
    database.isEnding = isEnding;
    const request = begin();
    await after(0);
    expect([request.end, outage.isAwaited]).toEqual([code, false]);
  });
});
