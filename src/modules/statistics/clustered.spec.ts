import fc from 'fast-check';
import {
  clusteredInterval,
  clusteredMean,
  clusteredQuantileInterval,
  clusterSums,
  differenceInterval,
  shareInterval,
  type Clusters,
} from './clustered';
import { signFlipP } from './paired';

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 6));

/** The clusters of rows, one letter each. */
function clustersOf(letters: string): Clusters {
  const names = [...new Set(letters)];
  return { of: [...letters].map((letter) => names.indexOf(letter)), count: names.length };
}

const alone = (rows: number): Clusters => ({ of: Array.from({ length: rows }, (_, row) => row), count: rows });

describe('A mean over clusters', () => {
  // numpy; the second is Inspect AI's formula, checked by pair sums
  test.each([
    [[0.2, 0.4, 0.4, 0.9, 1], 'abcde', 0.58, 0.156205, [0.146305, 1.013695]],
    [[1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1], 'aaabbbcccddd', 0.583333, 0.159571, [0.075507, 1.09116]],
    [
      [0.5, 0.25, 0.5, 1, 0, 0.5, 0.5, 0, 0.25, 0.75, 0.5, 0.25],
      'aabbccddeeff',
      0.416667,
      0.07683,
      [0.21917, 0.614163],
    ],
    [[0.5, 0, 0.5, 1, 0, -0.5, 0.5, 0], 'aabbccdd', 0.25, 0.204124, [-0.399614, 0.899614]],
    [[1, 0.5, 0, 1, 1, 0.25, 0.75], 'aabcccd', 0.642857, 0.124974, [0.245134, 1.04058]],
  ])('of %j in %s is %d', (values, letters, mean, standardError, interval) => {
    const found = clusteredMean(values, clustersOf(letters));
    expect(found).toEqual({
      mean: expect.closeTo(mean, 6),
      standardError: expect.closeTo(standardError, 6),
      rows: values.length,
      clusters: new Set(letters).size,
    });
    expect(found && clusteredInterval(found)).toEqual(close(interval));
  });

  // numpy, all flips
  test.each([
    [[0.5, 0.25, 0.5, 1, 0, 0.5, 0.5, 0, 0.25, 0.75, 0.5, 0.25], 'aabbccddeeff', 0.03125],
    [[0.5, 0, 0.5, 1, 0, -0.5, 0.5, 0], 'aabbccdd', 0.5],
  ])('is tested by the signs of its clusters: %j in %s has p = %d', (values, letters, p) => {
    expect(signFlipP(Array.from(clusterSums(values, clustersOf(letters))), 'seed')).toBe(p);
  });

  test('leaves out missing values, and clusters without any', () => {
    const clusters = clustersOf('aabbcc');
    expect(clusteredMean([1, NaN, NaN, NaN, 0, 0], clusters)).toEqual(clusteredMean([1, 0, 0], clustersOf('acc')));
    expect(clusteredMean([NaN, NaN], clustersOf('ab'))).toBeNull();
  });

  test('has no interval with one cluster', () => {
    const one = clusteredMean([0, 1, 1], clustersOf('aaa'));
    expect(one).toMatchObject({ clusters: 1, standardError: null });
    expect(one && [shareInterval(one), differenceInterval(one)]).toEqual([null, null]);
  });

  // scipy.stats.binomtest(k, n).proportion_ci(method='wilson')
  test('of clusters that do not differ has an interval as wide as that of single trials', () => {
    const [all, none, half] = [1, 0, 0.5].map((value) => clusteredMean(new Float64Array(12).fill(value), alone(12)));
    expect([all, none, half].map((mean) => mean && shareInterval(mean))).toEqual([
      [expect.closeTo(0.757506, 6), 1],
      [0, expect.closeTo(0.242494, 6)],
      close([0.253782, 0.746218]),
    ]);
    expect([none, half].map((mean) => mean && differenceInterval(mean))).toEqual([
      close([-0.242494, 0.242494]),
      close([0.257506, 0.742494]),
    ]);
  });

  test('takes rounding for no spread', () => {
    expect(clusteredMean(new Float64Array(7).fill(0.1), alone(7))?.standardError).toBe(0);
    expect(clusteredMean(new Float64Array(7).fill(1e15 / 3), alone(7))?.standardError).toBe(0);
  });

  test('mirrors its intervals with its values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 4, maxLength: 30 }),
        fc.integer({ min: 1, max: 4 }),
        (eighths, size) => {
          const clusters = {
            of: eighths.map((_, row) => Math.floor(row / size)),
            count: Math.ceil(eighths.length / size),
          };
          const [mean, mirrored] = [1, -1].map((sign) =>
            clusteredMean(
              eighths.map((value) => (sign * value) / 8),
              clusters,
            ),
          );
          const interval = mean ? differenceInterval(mean) : null;
          expect(mirrored ? differenceInterval(mirrored) : null).toEqual(
            interval && [expect.closeTo(-interval[1], 12), expect.closeTo(-interval[0], 12)],
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('The interval of a quantile', () => {
  const values = Float64Array.from({ length: 24 }, (_, index) => ((index * 37) % 101) + 100);
  const pairs = { of: Array.from({ length: 24 }, (_, row) => Math.floor(row / 2)), count: 12 };

  // numpy.quantile at the ends of the interval of the share below it
  test('in clusters is by the share below it', () => {
    expect(clusteredQuantileInterval(values, pairs, 0.5)).toEqual(close([130.281589, 166.342958]));
    expect(clusteredQuantileInterval(values, pairs, 0.75)).toEqual(close([153.039215, 187.460785]));
    expect(clusteredQuantileInterval(values, pairs, 0.99)).toBeNull();
  });

  test('in single rows is by order statistics, without missing values', () => {
    const latencies = Float64Array.of(412, 388, 951, NaN, 402, 397, 430, 1210, 405, 399, 420);
    expect([0.5, 0.9].map((q) => clusteredQuantileInterval(latencies, alone(11), q))).toEqual([[397, 951], null]);
  });
});
