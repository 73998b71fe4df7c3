import { mergeAttempts } from './merge-figures';

const attempt = (rowNo: number, figures: number[] | null) => ({
  rowNo,
  rowId: `r${rowNo}`,
  group: null,
  content: 'c',
  figures,
});

describe('The attempts of a row', () => {
  it('are one row, in which the last answer of each model counts', () => {
    // Two models with two figures each, of which the first is the number of answers.
    expect(
      mergeAttempts(
        [attempt(0, [1, 10, 0, 0]), attempt(1, [1, 11, 1, 21]), attempt(1, [0, 0, 0, 0]), attempt(0, [0, 0, 1, 20])],
        2,
      ).map(({ figures }) => figures),
    ).toEqual([
      [1, 10, 0, 0],
      [1, 11, 1, 21],
      [0, 0, 1, 20],
    ]);
    expect(
      mergeAttempts([attempt(0, [1, 10, 0, 0]), attempt(0, [0, 0, 1, 20]), attempt(0, [0, 0, 0, 0])], 2).map(
        ({ figures }) => figures,
      ),
    ).toEqual([[1, 10, 1, 20]]);
  });

  it('without figures leave those of the others', () => {
    expect(
      mergeAttempts([attempt(0, null), attempt(0, [1, 1]), attempt(0, null)], 1).map(({ figures }) => figures),
    ).toEqual([[1, 1]]);
    expect(mergeAttempts([], 1)).toEqual([]);
  });
});
