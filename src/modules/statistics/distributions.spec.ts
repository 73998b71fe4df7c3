import fc from 'fast-check';
import { binomialCdf, lnGamma, regularizedBeta, tQuantile, tTwoSidedP } from './distributions';

const STEPS = 2 ** 20;

describe('The distributions', () => {
  // scipy.stats.t.ppf
  test.each([
    [1, 12.706204736175],
    [4, 2.776445105198],
    [9, 2.262157162798],
    [29, 2.045229642133],
    [199, 1.971956544252],
  ])('know the 97.5 %% quantile of t with %i degrees of freedom', (df, expected) => {
    expect(tQuantile(df)).toBeCloseTo(expected, 9);
  });

  // scipy.stats.t.sf
  test.each([
    [2.3, 9, 0.046999388922],
    [-4.1, 3, 0.026250416879],
  ])('know the two-sided p-value of t = %d with %i degrees of freedom', (t, df, expected) => {
    expect(tTwoSidedP(t, df)).toBeCloseTo(expected, 9);
  });

  // scipy.stats.binom.cdf
  test.each([
    [0, 5, 0.5, 0.03125],
    [3, 10, 0.5, 0.171875],
    [31, 36, 0.9, 0.28922744919944976],
    [95, 100, 0.9, 0.9762889173365232],
    [-1, 5, 0.5, 0],
    [5, 5, 0.5, 1],
    [2, 5, 0, 1],
    [2, 5, 1, 0],
  ])('know the probability of at most %i of %i successes at %d', (k, n, p, expected) => {
    expect(binomialCdf(k, n, p)).toBeCloseTo(expected, 9);
  });

  test('know the gamma function of whole numbers and of one half', () => {
    expect([1, 2, 5, 11].map((x) => Math.exp(lnGamma(x)))).toEqual(
      [1, 1, 24, 3_628_800].map((value) => expect.closeTo(value, 4)),
    );
    expect(Math.exp(lnGamma(0.5))).toBeCloseTo(Math.sqrt(Math.PI), 12);
  });

  test('agree with sums of single probabilities', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.nat(60),
        (n, p, k) => {
          let [term, sum] = [(1 - p) ** n, 0];
          for (let i = 0; i <= Math.min(k, n); i++, term *= ((n - i + 1) / i) * (p / (1 - p))) sum += term;
          expect(binomialCdf(k, n, p)).toBeCloseTo(Math.min(1, sum), 9);
        },
      ),
    );
  });

  test('mirror each other: I_x(a, b) = 1 - I_(1-x)(b, a)', () => {
    const shape = fc.double({ min: 0.5, max: 200, noNaN: true });
    // Multiples of a power of two, so that 1 - x is exact: what it would lose of a tiny x is much where the curve is
    // steep.
    const exact = fc.nat(STEPS).map((step) => step / STEPS);
    fc.assert(
      fc.property(exact, shape, shape, (x, a, b) => {
        expect(regularizedBeta(x, a, b) + regularizedBeta(1 - x, b, a)).toBeCloseTo(1, 9);
      }),
    );
  });
});
