import { columnsOf, FAILED, PASSED, rowOf, times, WRONG } from '../../../../test/support/experiment-rows';
import { recommend } from './recommendation';
import { summarize } from './summary';
import type { FiguresRow, SummaryInputOptions } from './summary-input';

/** The recommendation after these rows; the models are a, b and so on. */
function recommendationOf(
  rows: readonly FiguresRow[],
  tolerance = 0.02,
  options: Partial<SummaryInputOptions> = {},
  isFinal = true,
) {
  return recommend(
    summarize({
      experimentId: 'exp_1',
      columns: columnsOf(rows, options),
      isFinal,
      rowCountOfDataset: rows.length,
      temperature: 0,
    }),
    tolerance,
  );
}

/** An answer without a check. */
const NO_CHECK = { decided: 0, passed: 0, score: NaN };
const at = (figures: object, cost: number) => ({ ...figures, cost });
/** Rows in which both pass, only a, only b, and none; a call of a costs 0.01 and one of b 0.001. */
const outcomes = (both: number, first: number, second: number, none: number) => [
  ...times(both, () => rowOf([at(PASSED, 0.01), at(PASSED, 0.001)])),
  ...times(first, () => rowOf([at(PASSED, 0.01), at(WRONG, 0.001)])),
  ...times(second, () => rowOf([at(WRONG, 0.01), at(PASSED, 0.001)])),
  ...times(none, () => rowOf([at(WRONG, 0.01), at(WRONG, 0.001)])),
];

describe('The recommendation', () => {
  test('is the cheaper of two models that pass as often', () => {
    expect(recommendationOf(outcomes(190, 0, 0, 10))).toEqual({
      model: 'b',
      basis: 'best',
      best: 'b',
      tolerance: 0.02,
      alternative: null,
      words: 'Take b: on these rows no other passes more than its 95.0 %, and a passed answer costs $0.0011.',
    });
  });

  test('is the cheaper one where it is not worse by more than the tolerance, and says by how much', () => {
    expect(recommendationOf(outcomes(285, 3, 2, 10), 0.05)).toEqual({
      model: 'b',
      basis: 'not_worse',
      best: 'a',
      tolerance: 0.05,
      alternative: null,
      words:
        'Take b: it passes as many as a to within 5 points (−2.3 to 1.6), and a passed answer costs $0.001 instead of $0.01 (90 % less).',
    });
  });

  test('is the best one where a cheaper one is unclear, with the rows that would decide', () => {
    expect(recommendationOf(outcomes(285, 3, 2, 10))).toMatchObject({
      model: 'a',
      basis: 'best',
      alternative: { model: 'b', rows_needed: 436 },
      words:
        'Take a: on these rows no other passes more than its 96.0 %, and a passed answer costs $0.01. b costs 90 % less and cannot be told apart on 300 rows; about 440 rows would decide.',
    });
    // With this difference, more rows would show that it is worse.
    expect(recommendationOf(outcomes(18, 1, 0, 1))).toMatchObject({
      model: 'a',
      alternative: { model: 'b', rows_needed: 254 },
      words: expect.stringMatching(/on 20 rows; about 250 rows would decide\.$/),
    });
  });

  test('names no worse model, however cheap', () => {
    expect(recommendationOf(outcomes(150, 40, 0, 10))).toMatchObject({ model: 'a', basis: 'best', alternative: null });
  });

  test.each([
    ['the best passes fewer than half', outcomes(5, 1, 0, 20), 'none is good: the best passes 23.1 % of the rows'],
    ['there is no check', times(30, () => rowOf([NO_CHECK, NO_CHECK])), 'no check decided an answer'],
    [
      'too few calls count',
      times(100, (row) => rowOf([PASSED, row < 6 ? FAILED : PASSED])),
      'only 94.0 % of the calls of b count, and 95.0 % are needed',
    ],
  ])('is none where %s', (_, rows, why) => {
    expect(recommendationOf(rows)).toEqual({
      model: null,
      basis: null,
      best: null,
      tolerance: 0.02,
      alternative: null,
      words: `No model is recommended: ${why}.`,
    });
  });

  test('is none of a single model, and nothing at all before the end', () => {
    expect(
      recommendationOf(
        times(30, () => rowOf([PASSED])),
        0.02,
        { models: ['a'] },
      )?.words,
    ).toBe('No model is recommended: only a was asked.');
    expect(recommendationOf(outcomes(190, 0, 0, 10), 0.02, {}, false)).toBeNull();
  });

  test('takes a free model for its cost of nothing, and of two free ones the better', () => {
    const free = times(200, (row) => rowOf([at(PASSED, 0.01), at(row < 199 ? PASSED : WRONG, 0), at(PASSED, 0)]));
    expect(recommendationOf(free, 0.05, { models: ['a', 'b', 'c'] })).toMatchObject({
      model: 'c',
      words: 'Take c: on these rows no other passes more than its 100.0 %, and a passed answer costs nothing.',
    });
  });

  test('goes by scores where no check decides what passes', () => {
    const scored = times(300, (row) =>
      rowOf([
        { ...NO_CHECK, score: row % 2 === 0 ? 0.9 : 0.8, cost: 0.01 },
        { ...NO_CHECK, score: row % 2 === 0 ? 0.8 : 0.9, cost: 0.001 },
      ]),
    );
    expect(recommendationOf(scored)).toMatchObject({
      model: 'b',
      words: 'Take b: on these rows no other scores higher, and a call costs $0.001.',
    });
  });
});
