import { computing } from '../../../test/support/timing';
import { agreementKey } from '../statistics/agreement';
import { compareAnswers, compareOwnAnswers } from '../statistics/answer-comparison';
import { normalized } from '../statistics/normalized';
import { pairAnswers } from '../statistics/answer-pairs';

/** Hostile answers of a model, repeated to the maximum length. */
const PIECES: [what: string, piece: string][] = [
  ['one letter', 'a'],
  ['one-letter words', 'a '],
  ['marks in no order', '\u0301\u0323'],
  ['marks and voice marks', '\u0301\uff9e'],
  ['marks that become two', '\u0344'],
  ['lone surrogates', '\ud800'],
  ['NUL', '\0'],
  ['marks of direction', '\u200f\u202e'],
  ['characters that are short for a phrase', '\ufdfa'],
  ['punctuation', '.'],
  ['white space', ' \n'],
  ['brackets', '['],
  ['digits', '1'],
  ['groups of digits', '1,'],
  ['quotation marks', '"'],
  ['fences', '```\n'],
  ['emoji', '👍'],
  ['Han', '漢'],
  ['letters that grow', 'İ'],
];
const LONG = 65_536;

const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

function comparisons(piece: string, length: number) {
  // Some of them shorter than what is read for agreement, and no two the same.
  const answers = [length, length - 1, Math.floor(length * 0.76), Math.floor(length * 0.76) - 1].map((characters) =>
    filled(piece, characters),
  );
  const [before, after] = [answers.slice(0, 2), answers.slice(2)];
  const models = [
    { model: 'a', answers: before },
    { model: 'b', answers: [...after, ''] },
  ];
  return [
    computing(() => compareAnswers(models)),
    computing(() => compareOwnAnswers(models)),
    computing(() => pairAnswers([{ before: [...before, ''], after }])),
  ];
}

describe.each(PIECES)('Answers that repeat %s', (_, piece) => {
  it('are compared in a time that grows with the length, alike on every call', () => {
    const [short, long] = [comparisons(piece, LONG / 32), comparisons(piece, LONG)];
    for (const [index, { ms }] of long.entries()) {
      // 32 times as long; a time that grew with the square would be 1,024 times as long. A short one counts as 4 ms.
      expect(ms / Math.max(4, short[index]?.ms ?? 0)).toBeLessThan(100);
    }
    expect(comparisons(piece, LONG).map(({ result }) => result)).toEqual(long.map(({ result }) => result));
  });
});

describe('The normal form of a text', () => {
  it('is that of Unicode, in lower case, for texts of every language', () => {
    for (const text of [
      'Ünïcode ﬁne',
      'a\u0323\u0301',
      'a\u0301\u0323',
      'Ｆｕｌｌ',
      'ｶﾞ',
      '각',
      'नमस्ते',
      `z${'\u0301\u0323'.repeat(15)}`,
    ])
      expect(normalized(text)).toBe(text.normalize('NFKC').toLowerCase());
  });

  it('keeps marks in the order of pieces of 30', () => {
    const [marks, other] = ['\u0301\u0323'.repeat(15), '\u0323\u0301'.repeat(15)];
    expect(normalized(`a${marks}`)).toBe(normalized(`a${other}`));
    expect(normalized(`a${marks}${marks}`)).toBe(`${normalized(`a${marks}`)}\u034f${marks.normalize('NFKC')}`);
    expect(
      [`A${other}${other}`, `a${marks}`].map((text) => agreementKey(text) === agreementKey(`a${marks}${marks}`)),
    ).toEqual([true, false]);
  });
});
