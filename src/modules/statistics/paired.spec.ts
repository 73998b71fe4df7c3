import fc from 'fast-check';
import { mulberry32, seedOf } from './mulberry32';
import { signFlipP } from './paired';

describe('mulberry32', () => {
  test('draws the numbers of its reference for the seed 42', () => {
    const random = mulberry32(42);
    expect([random(), random(), random()]).toEqual(
      [0.6011037519, 0.448290559, 0.8524657935].map((value) => expect.closeTo(value, 10)),
    );
  });

  test('takes a seed from a text', () => {
    expect(seedOf('abc')).toBe(0xba7816bf);
  });
});

describe('The p-value of paired differences', () => {
  // scipy.stats.permutation_test(permutation_type='samples')
  test.each([
    [[1, 2, 3, 4, 5, 6], 0.03125],
    [[1, 2, 3, 4, 5], 0.0625],
    [[3, -1, 2, 5, -2, 4, 1, -1], 0.21875],
    [[1, 2, -3, 4], 0.625],
    [[0.1, 0.2, -0.3, 0.4], 0.625],
  ])('of %j is %d, by all choices of signs', (differences, expected) => {
    expect(signFlipP(differences, 'seed')).toBe(expected);
  });

  // scipy.stats.binomtest: the number that improved, the number that got worse
  test.each([
    [12, 4, 0.076812744141],
    [25, 9, 0.009041185491],
    [1, 8, 0.0390625],
    [2, 0, 0.5],
    [0, 0, 1],
  ])("is McNemar's for %i better and %i worse", (better, worse, expected) => {
    const differences = [...new Array<number>(better).fill(1), ...new Array<number>(worse).fill(-1), 0, 0];
    expect(signFlipP(differences, 'seed')).toBeCloseTo(expected, 9);
  });

  test('is never 0, also when no drawn choice reaches the differences', () => {
    const p = signFlipP(
      Array.from({ length: 40 }, (_, index) => index + 1),
      'seed',
    );
    expect(p).toBe(1 / 20_001);
  });

  test('of equal differences is counted exactly', () => {
    expect([6, 10, 50].map((count) => signFlipP(new Array<number>(count).fill(0.1), 'seed'))).toEqual([
      2 ** -5,
      2 ** -9,
      2 ** -49,
    ]);
    expect(signFlipP(new Array<number>(51).fill(0.1), 'seed')).toBeCloseTo(2 ** -50, 20);
  });

  test('is the same on every call where signs are drawn, and close to the exact 0.258018', () => {
    const differences = [3, -1, 2, 5, -2, 4, 1, -1, 3, -3, 2, 5, -2, 4, 1, -1, -6, 2];
    const p = signFlipP(differences, 'latency|a|b');
    expect(signFlipP(differences, 'latency|a|b')).toBe(p);
    expect(p).toBeGreaterThan(0.248);
    expect(p).toBeLessThan(0.268);
    expect(signFlipP(differences, 'latency|a|c')).not.toBe(p);
  });

  // scipy.stats.ttest_1samp
  test("is Student's above 200 differences", () => {
    const differences = Array.from({ length: 201 }, (_, index) => ((index * 7919) % 103) - 48.5);
    expect(signFlipP(differences, 'seed')).toBeCloseTo(0.1754752632433815, 9);
  });

  test('lies above 0 and at most at 1 and does not know which side is which', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 24 }), (differences) => {
        const p = signFlipP(differences, 'seed');
        expect(p > 0 && p <= 1).toBe(true);
        expect(
          signFlipP(
            differences.map((difference) => -difference),
            'seed',
          ),
        ).toBe(p);
      }),
      { numRuns: 60 },
    );
  });
});
