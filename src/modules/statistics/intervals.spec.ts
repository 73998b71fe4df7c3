import fc from 'fast-check';
import { meanInterval, meanOf, serialMeanInterval, wilson } from './intervals';

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 6));

describe("Wilson's interval of a rate", () => {
  // scipy.stats.binomtest(k, n).proportion_ci(method='wilson')
  test.each([
    [9, 10, [0.59585, 0.982124]],
    [47, 60, [0.6638, 0.86877]],
    [0, 20, [0, 0.161125]],
    [20, 20, [0.838875, 1]],
    [0, 30, [0, 0.113513]],
  ])('of %i of %i is %j', (k, n, expected) => {
    expect(wilson(k, n)).toEqual(close(expected));
  });

  test('does not exist without a trial', () => {
    expect(wilson(0, 0)).toBeNull();
  });

  test('contains the rate, has a width, stays within 0 and 1 and mirrors', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (n, some) => {
        const k = some % (n + 1);
        const [low, high] = wilson(k, n) ?? [1, 0];
        const [mirroredLow, mirroredHigh] = wilson(n - k, n) ?? [1, 0];
        expect(low >= 0 && low <= k / n && k / n <= high && high <= 1 && low < high).toBe(true);
        expect([1 - mirroredHigh, 1 - mirroredLow]).toEqual([expect.closeTo(low, 12), expect.closeTo(high, 12)]);
      }),
    );
  });
});

describe("Student's interval of a mean", () => {
  const scores = [0.2, 0.4, 0.4, 0.9, 1];

  // scipy.stats.t.interval
  test('is exact for five scores, and cut to what a score can be', () => {
    expect(meanOf(scores)).toEqual({ mean: expect.closeTo(0.58, 12), standardError: expect.closeTo(0.156205, 6) });
    expect(meanInterval(scores)).toEqual(close([0.146305, 1.013695]));
    expect(meanInterval(scores, { min: 0, max: 1 })).toEqual(close([0.146305, 1]));
  });

  test.each([[[]], [[7]], [[0.1, 0.1, 0.1]], [[3, 3]]])('does not exist for %j, whose spread is unknown', (values) => {
    expect(meanInterval(values)).toBeNull();
  });

  test('mirrors when the values change their signs', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 30 }), (values) => {
        const interval = meanInterval(values);
        const mirrored = meanInterval(values.map((value) => -value));
        if (interval === null) return expect(mirrored).toBeNull();
        expect(mirrored).toEqual([expect.closeTo(-interval[1], 6), expect.closeTo(-interval[0], 6)]);
      }),
    );
  });
});

describe('The interval of a mean of values in a row', () => {
  // numpy and scipy.stats.t, by the formulas of decision 19
  test.each([
    ['that rise', [1, 2, 3, 4, 5, 6], [-10.250407, 17.250407]],
    ['whose neighbors differ', [3, -1, 4, -1, 5, -9, 2, 6], [-3.639521, 5.889521]],
  ])('%s allows for neighbors that are alike', (_, values, expected) => {
    expect(serialMeanInterval(values)).toEqual(close(expected));
  });

  test('is that of independent values where each is far from its neighbors', () => {
    const values = [0.1, 0.3, 0.2, 0.25, 0.15, 0.2, 0.3, 0.1, 0.25, 0.2];
    expect(serialMeanInterval(values)).toEqual(close(meanInterval(values) ?? []));
  });

  test('does not exist for one value, nor for equal ones', () => {
    expect([serialMeanInterval([5]), serialMeanInterval([5, 5, 5])]).toEqual([null, null]);
  });
});
