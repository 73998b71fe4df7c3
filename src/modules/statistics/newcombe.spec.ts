import fc from 'fast-check';
import { newcombe } from './newcombe';

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 6));

describe("Newcombe's interval of a paired difference", () => {
  // numpy, after Newcombe 1998 (method 10)
  test.each([
    [36, 12, 2, 0, [0.05693, 0.340428]],
    [20, 12, 2, 16, [0.056156, 0.329207]],
    [30, 12, 4, 14, [0.0023, 0.257307]],
    [30, 0, 0, 0, [-0.113513, 0.113513]],
    [53, 1, 0, 0, [-0.049622, 0.097714]],
    [200, 40, 22, 38, [0.008456, 0.111533]],
  ])(
    'with %i in both, %i in the first, %i in the second and %i in none is %5$j',
    (both, first, second, none, interval) => {
      expect(newcombe({ both, first, second, none })).toEqual(close(interval));
    },
  );

  test('does not exist without a pair', () => {
    expect(newcombe({ both: 0, first: 0, second: 0, none: 0 })).toBeNull();
  });

  test('mirrors itself when the two change places, and lies within -1 and 1', () => {
    const count = fc.nat(40);
    fc.assert(
      fc.property(count, count, count, fc.integer({ min: 1, max: 40 }), (both, first, second, none) => {
        const [low, high] = newcombe({ both, first, second, none }) ?? [NaN, NaN];
        expect(newcombe({ both, first: second, second: first, none })).toEqual([
          expect.closeTo(-high, 12),
          expect.closeTo(-low, 12),
        ]);
        expect(low >= -1 && low < high && high <= 1).toBe(true);
      }),
    );
  });
});
