import { detectableDifference, rowsNeeded } from './sample-size';

const MEAN = { mean: -0.01, rows: 200, clusters: 200, standardError: 0.02 };

describe('The size of a sample', () => {
  // scipy.stats.norm
  test('is enough for a difference', () => {
    expect(detectableDifference({ ...MEAN, standardError: Math.sqrt(0.3 / 200) })).toBeCloseTo(0.108505, 6);
    expect(rowsNeeded(MEAN, 0.03)).toBe(769);
  });

  test('is not known without a spread, and not enough where the difference is the tolerance', () => {
    expect(detectableDifference({ ...MEAN, standardError: null })).toBeNull();
    expect([
      rowsNeeded({ ...MEAN, standardError: null }, 0.03),
      rowsNeeded({ ...MEAN, mean: -0.03 }, 0.03),
      rowsNeeded({ ...MEAN, mean: -0.04 }, 0.03),
    ]).toEqual([null, null, null]);
  });

  // scipy.stats.binomtest(0, n).proportion_ci(method='wilson'): 0.020024 of 188, 0.019920 of 189
  test('of rows that do not differ is that of an interval around 0', () => {
    expect(rowsNeeded({ mean: 0, rows: 20, clusters: 20, standardError: 0 }, 0.02)).toBe(189);
    expect(rowsNeeded({ mean: 0, rows: 20, clusters: 10, standardError: 0 }, 0.02)).toBe(377);
    expect(detectableDifference({ mean: 0, rows: 20, clusters: 20, standardError: 0 })).toBeCloseTo(0.161125, 6);
  });
});
