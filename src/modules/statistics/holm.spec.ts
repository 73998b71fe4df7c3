import fc from 'fast-check';
import { holm } from './holm';

const probability = fc.double({ min: Number.MIN_VALUE, max: 1, noNaN: true });

describe("Holm's method", () => {
  test.each([
    [
      [0.01, 0.04, 0.03, 0.005],
      [0.03, 0.06, 0.06, 0.02],
    ],
    [
      [0.02, 0.02, 0.5],
      [0.06, 0.06, 0.5],
    ],
    [[0.04], [0.04]],
    [
      [0.6, 0.7],
      [1, 1],
    ],
    [[], []],
  ])('adjusts %j to %j', (pValues, expected) => {
    const adjusted = holm(pValues);
    expect(adjusted).toHaveLength(expected.length);
    for (const [index, p] of expected.entries()) expect(adjusted[index]).toBeCloseTo(p, 12);
  });

  test('makes no p-value smaller or greater than 1, and keeps their order', () => {
    fc.assert(
      fc.property(fc.array(probability, { maxLength: 16 }), (pValues) => {
        const adjusted = holm(pValues);
        for (const [index, p] of adjusted.entries()) {
          expect(p).toBeGreaterThanOrEqual(pValues[index] ?? 2);
          expect(p).toBeLessThanOrEqual(1);
          for (const [other, q] of adjusted.entries())
            if ((pValues[index] ?? 0) < (pValues[other] ?? 0)) expect(p).toBeLessThanOrEqual(q);
        }
      }),
    );
  });
});
