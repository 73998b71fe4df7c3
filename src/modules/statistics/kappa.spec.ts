import fc from 'fast-check';
import { cohensKappa } from './kappa';

/** The pairs of a table that counts the first rater's categories by row and the second's by column. */
function pairsOf(table: readonly (readonly number[])[]): [number, number][] {
  return table.flatMap((row, first) =>
    row.flatMap((count, second) => Array.from({ length: count }, (): [number, number] => [first, second])),
  );
}

const pairs = fc.array(fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 2 })), { maxLength: 40 });

describe("Cohen's kappa", () => {
  test.each([
    [
      0.4,
      [
        [20, 5],
        [10, 15],
      ],
    ],
    [
      0.65,
      [
        [8, 1, 1],
        [2, 6, 2],
        [0, 1, 9],
      ],
    ],
    [
      -1,
      [
        [0, 5],
        [5, 0],
      ],
    ],
    [
      0,
      [
        [9, 3],
        [3, 1],
      ],
    ],
    [0, [[7, 3]]],
  ])('is %d for %j', (kappa, table) => {
    expect(cohensKappa(pairsOf(table))).toBeCloseTo(kappa, 12);
  });

  test('does not exist without a pair, nor where both raters know one category', () => {
    expect([
      cohensKappa([]),
      cohensKappa([[3, 3]]),
      cohensKappa([
        [0.1, 0.1],
        [0.1, 0.1],
      ]),
    ]).toEqual([null, null, null]);
  });

  test('is 0 where the raters have no category in common', () => {
    expect(cohensKappa([[0, 1]])).toBe(0);
  });

  test('is at most 1, and 1 for full agreement over two categories', () => {
    fc.assert(
      fc.property(pairs, (some) => {
        expect(cohensKappa(some) ?? 0).toBeLessThanOrEqual(1);
        const same = some.map(([one]) => [one, one] as const);
        expect(cohensKappa(same)).toBe(new Set(same.map(([one]) => one)).size < 2 ? null : 1);
      }),
    );
  });

  test('depends neither on the names of categories nor on the order of raters', () => {
    fc.assert(
      fc.property(pairs, (some) => {
        const kappa = cohensKappa(some);
        expect(cohensKappa(some.map(([one, other]) => [10 - 3 * one, 10 - 3 * other]))).toBe(kappa);
        expect(cohensKappa(some.map(([one, other]) => [other, one]))).toBe(kappa);
      }),
    );
  });
});
