import fc from 'fast-check';
import { quantile, quantileInterval, quantileRanks } from './quantiles';

const LATENCIES = [412, 388, 951, 402, 397, 430, 1210, 405, 399, 420];

describe('A quantile', () => {
  // numpy.quantile
  test('is interpolated between the values around it', () => {
    expect([quantile(LATENCIES, 0.5), quantile(LATENCIES, 0.9)]).toEqual([408.5, expect.closeTo(976.9, 6)]);
    expect([quantile([7], 0.9), quantile([1, 2], 0.5), quantile([3, 1, 2], 1), quantile([3, 1, 2], 0)]).toEqual([
      7, 1.5, 3, 1,
    ]);
  });

  test('needs a value', () => {
    expect(() => quantile([], 0.5)).toThrow('A quantile needs a value.');
  });

  test('lies within the values, does not depend on their order and does not change them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, q) => {
          const before = [...values];
          const result = quantile(values, q);
          expect(result >= Math.min(...values) && result <= Math.max(...values)).toBe(true);
          expect(quantile(values.toReversed(), q)).toBe(result);
          expect(values).toEqual(before);
        },
      ),
    );
  });
});

describe('The interval of a quantile', () => {
  // scipy.stats.binom.cdf
  test.each([
    [1000, 0.9, [881, 919]],
    [100_000, 0.5, [49_690, 50_311]],
    [100_000, 0.9, [89_814, 90_187]],
  ])('of %i values at %d has the ranks %j', (n, q, ranks) => {
    expect(quantileRanks(n, q)).toEqual(ranks);
  });

  test('is two of the values', () => {
    expect(quantileInterval(LATENCIES, 0.5)).toEqual([397, 951]);
  });

  // scipy.stats.binom.cdf
  test.each([
    [5, 0.5, null],
    [6, 0.5, [1, 6]],
    [20, 0.5, [6, 15]],
    [30, 0.5, [10, 21]],
    [35, 0.9, null],
    [36, 0.9, [29, 36]],
    [100, 0.9, [84, 96]],
    [0, 0.5, null],
  ])('of %i values at %d lies between the ranks %j', (n, q, ranks) => {
    expect(quantileRanks(n, q)).toEqual(ranks);
  });

  test.each([
    ['too few values', LATENCIES.slice(0, 5), 0.5],
    ['ten values for the 90 % quantile', LATENCIES, 0.9],
  ])('does not exist for %s', (_, values, q) => {
    expect(quantileInterval(values, q)).toBeNull();
  });

  test('of enough equal values has equal ends', () => {
    expect(quantileInterval(new Array<number>(10).fill(11), 0.5)).toEqual([11, 11]);
  });

  test('contains the quantile, where it exists', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 60 }),
        fc.constantFrom(0.5, 0.9),
        (values, q) => {
          const interval = quantileInterval(values, q);
          if (interval === null) return;
          expect(interval[0] <= quantile(values, q) && quantile(values, q) <= interval[1]).toBe(true);
        },
      ),
    );
  });
});
