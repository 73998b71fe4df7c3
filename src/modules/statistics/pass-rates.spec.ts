import fc from 'fast-check';
import { allPassRate, anyPassRate } from './pass-rates';

describe('Pass rates of k attempts', () => {
  it('are those of 7 right ones in 10 and k = 3, which the rate to the power of 3 (0.343) is not', () => {
    expect(anyPassRate(7, 10, 3)).toBeCloseTo(0.991667, 6);
    expect(allPassRate(7, 10, 3)).toBeCloseTo(0.291667, 6);
  });

  it('are 0 and 1, and nothing beyond, where there are fewer of a kind than attempts', () => {
    expect([allPassRate(1, 10, 3), anyPassRate(9, 10, 3), allPassRate(10, 10, 10), anyPassRate(0, 10, 10)]).toEqual([
      0, 1, 1, 0,
    ]);
  });

  it('are both the plain rate for one attempt, and lie on either side of it for more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(), fc.nat(), (n, some, more) => {
        const passed = some % (n + 1);
        const k = 1 + (more % n);
        expect(anyPassRate(passed, n, 1)).toBeCloseTo(passed / n, 12);
        expect(allPassRate(passed, n, 1)).toBeCloseTo(passed / n, 12);
        expect(anyPassRate(passed, n, k)).toBeGreaterThanOrEqual(passed / n - 1e-12);
        expect(allPassRate(passed, n, k)).toBeLessThanOrEqual(passed / n + 1e-12);
        // Where all k pass, none of them fails.
        expect(allPassRate(passed, n, k)).toBeCloseTo(1 - anyPassRate(n - passed, n, k), 12);
      }),
    );
  });

  it.each([0, 11, Number.NaN])('do not exist for k = %d of 10', (k) => {
    expect(() => anyPassRate(7, 10, k)).toThrow(RangeError);
    expect(() => allPassRate(7, 10, k)).toThrow(RangeError);
  });
});
