import { fakeConnection, withCode } from '../../../test/support/fake-connection';
import { Capacity } from './capacity';

describe('Capacity', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** A capacity of 10 connections with a number of open ones, its sizes, and requests that fail once with that code. */
  function capacityWith(open: number, code: string, mayWait = true) {
    const sizes: number[] = [];
    const capacity = new Capacity({ max: 10, mayWait, onChange: () => sizes.push(capacity.size) });
    for (let opened = 0; opened < open; opened += 1) capacity.opened();
    sizes.length = 0;
    const { client } = fakeConnection();
    const seen = { asked: 0 };
    const connect = capacity.shared(async () => {
      seen.asked += 1;
      if (seen.asked === 1) throw withCode(code);
      return client;
    });
    return { capacity, sizes, seen, connect, client };
  }

  test('shares the existing connections of a full database, and tries one more a second later', async () => {
    const { capacity, sizes, connect, client } = capacityWith(2, '53300');
    expect(await connect()).toBe(client);
    expect(sizes).toEqual([2]);
    jest.advanceTimersByTime(1000);
    expect(sizes).toEqual([2, 3]);
    capacity.opened();
    expect(sizes).toEqual([2, 3, 10]);
  });

  test.each([
    ['without a connection to share', 0, '53300', true],
    ['without a deadline', 2, '53300', false],
    ['with another refusal', 2, 'ECONNREFUSED', true],
  ])('refuses %s', async (_, open, code, mayWait) => {
    const { connect, sizes, seen } = capacityWith(open, code, mayWait);
    await expect(connect()).rejects.toThrow(code);
    expect([sizes, seen.asked]).toEqual([[], 1]);
  });

  test('is less by the connections that were given up, and never below 0', () => {
    const { capacity, sizes } = capacityWith(3, '53300');
    for (const count of [4, 11, 0]) capacity.setAside(count);
    expect(sizes).toEqual([6, 0, 10]);
  });

  test('counts only the connections that are still open', async () => {
    const { capacity, sizes, connect } = capacityWith(3, '53300');
    capacity.closed();
    await connect();
    expect(sizes).toEqual([2]);
  });
});
