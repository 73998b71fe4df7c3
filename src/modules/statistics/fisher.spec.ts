import fc from 'fast-check';
import { fisherP, leastFisherP } from './fisher';

const p = (passed: number, of: number, otherPassed: number, otherOf: number) =>
  fisherP({ passed, of }, { passed: otherPassed, of: otherOf });

describe("Fisher's exact test", () => {
  // scipy.stats.fisher_exact
  test.each([
    [10, 10, 5, 10, 0.032507739938080496],
    [8, 8, 0, 8, 0.0001554001554001554],
    [4, 4, 0, 4, 0.028571428571428567],
    [9, 10, 3, 10, 0.019766611097880443],
    [19, 20, 12, 20, 0.019656019656019656],
    [50, 50, 43, 50, 0.012479652740097668],
    [3, 3, 0, 5, 0.017857142857142856],
    [2, 7, 9, 11, 0.049113876319758665],
    [1, 1, 0, 1, 1],
    [7, 10, 7, 10, 1],
    [0, 5, 0, 9, 1],
    [0, 0, 3, 4, 1],
  ])('of %i in %i against %i in %i has the p-value %d', (passed, of, otherPassed, otherOf, expected) => {
    expect(p(passed, of, otherPassed, otherOf)).toBeCloseTo(expected, 12);
  });

  test('does not depend on the order of the samples, nor on which outcome is called a success', () => {
    const sample = fc
      .integer({ min: 1, max: 50 })
      .chain((of) => fc.record({ passed: fc.integer({ min: 0, max: of }), of: fc.constant(of) }));
    fc.assert(
      fc.property(sample, sample, (one, other) => {
        const failures = ({ passed, of }: typeof one) => ({ passed: of - passed, of });
        expect(fisherP(other, one)).toBeCloseTo(fisherP(one, other), 10);
        expect(fisherP(failures(one), failures(other))).toBeCloseTo(fisherP(one, other), 10);
      }),
    );
  });

  test('is wrong about equal rates in at most 5 of 100 cases, whatever the rate', () => {
    const chance = (k: number, n: number, rate: number): number => {
      let choices = 1;
      for (let index = 0; index < k; index++) choices *= (n - index) / (index + 1);
      return choices * rate ** k * (1 - rate) ** (n - k);
    };
    for (const rate of [0.1, 0.5, 0.8, 0.95]) {
      let wrong = 0;
      for (let left = 0; left <= 10; left++)
        for (let right = 0; right <= 10; right++)
          if (p(left, 10, right, 10) <= 0.05) wrong += chance(left, 10, rate) * chance(right, 10, rate);
      expect(wrong).toBeLessThanOrEqual(0.05);
    }
  });

  test.each([
    [4, 4, 2 / 70],
    [3, 3, 0.1],
    [3, 5, 1 / 56],
    [1, 1, 1],
    [0, 9, 1],
  ])('of samples of %i and %i is at least %d', (one, other, least) => {
    expect(leastFisherP(one, other)).toBeCloseTo(least, 12);
  });
});
