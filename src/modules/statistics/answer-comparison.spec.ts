import fc from 'fast-check';
import { computing } from '../../../test/support/timing';
import { compareAnswers, compareOwnAnswers, type ModelAnswers } from './answer-comparison';

const models = (answers: Record<string, string[]>): ModelAnswers[] =>
  Object.entries(answers).map(([model, texts]) => ({ model, answers: texts }));
const compared = (answers: Record<string, string[]>) => compareAnswers(models(answers));

describe('The agreement of models', () => {
  test('is 1 for permuted keys and for 42 and 42.0, and 0 for 42 and 43', () => {
    expect(compared({ a: ['{"x":1,"y":2}'], b: ['{"y":2.0,"x":1}'], c: ['42'], d: ['42.0'], e: ['43'] })).toMatchObject(
      {
        models: ['a', 'b', 'c', 'd', 'e'],
        metric: 'levenshtein',
        matrix: [
          [null, { agree: 1 }, { agree: 0 }, { agree: 0 }, { agree: 0 }],
          [{ agree: 1 }, null, { agree: 0 }, { agree: 0 }, { agree: 0 }],
          [{ agree: 0 }, { agree: 0 }, null, { agree: 1, similarity: 0.5 }, { agree: 0, similarity: 0.5 }],
          [{ agree: 0 }, { agree: 0 }, { agree: 1, similarity: 0.5 }, null, { agree: 0, similarity: 0.25 }],
          [{ agree: 0 }, { agree: 0 }, { agree: 0, similarity: 0.5 }, { agree: 0, similarity: 0.25 }, null],
        ],
        groups: [['a', 'b'], ['c', 'd'], ['e']],
        consensus: { share: 0.4, models: ['a', 'b'] },
      },
    );
  });

  test('takes a number without a unit for one with it only where all units are the same', () => {
    expect(compared({ a: ['42'], b: ['42 km'], c: ['42.0'] })).toMatchObject({
      groups: [['a', 'b', 'c']],
      consensus: { share: 1 },
    });
    expect(compared({ a: ['42'], b: ['42 km'], c: ['42.0'], d: ['26 miles'] })).toMatchObject({
      groups: [['a', 'c'], ['b'], ['d']],
      consensus: { share: 0.5, models: ['a', 'c'] },
    });
    expect(compared({ a: ['3 million'], b: ['3 billion'] })).toMatchObject({ groups: [['a'], ['b']], consensus: null });
  });

  test('is counted over all pairs of answers, and for one model over the pairs of its answers', () => {
    const { matrix, groups, consensus } = compared({ a: ['yes', 'yes', 'no'], b: ['Yes.', 'no'] });
    expect(matrix.map((row) => row.map((cell) => cell?.agree))).toEqual([
      [1 / 3, 0.5],
      [0.5, 0],
    ]);
    expect(matrix[0]?.[0]?.similarity).toBeCloseTo(1 / 3, 9);
    expect(groups).toEqual([['a', 'b']]);
    expect(consensus).toEqual({ share: 0.6, models: ['a', 'b'] });
  });

  test('is 1 between models that gave the same text', () => {
    const all = { agree: 1, similarity: 1 };
    expect(compared({ a: ['same', 'same'], b: ['same'] }).matrix).toEqual([
      [all, all],
      [all, null],
    ]);
  });

  test('leaves out models that failed, and finds no consensus where no two answers agree', () => {
    expect(compared({ failed: [], a: ['north'], b: ['south'] })).toMatchObject({
      matrix: [
        [null, null, null],
        [null, null, { agree: 0 }],
        [null, { agree: 0 }, null],
      ],
      groups: [['a'], ['b']],
      consensus: null,
    });
    expect(compared({ failed: [] })).toMatchObject({ matrix: [[null]], groups: [], consensus: null });
  });

  test.each([
    ['one answer is long', { a: ['word '.repeat(1001)], b: ['Word'] }],
    ['all together are long', { a: Array.from({ length: 6 }, (_, index) => `${index} `.repeat(2400)), b: ['Word'] }],
  ])('is measured by words throughout when %s', (_, answers) => {
    expect(compared(answers).metric).toBe('token_f1');
    expect(compareOwnAnswers(models(answers))[1]).toEqual({ distinct: 1, modalShare: 1, meanSimilarity: null });
  });

  test('is measured by edits up to 5,000 characters of one answer and 25,000 of all, each different one counted once', () => {
    const texts = (count: number, length: number) =>
      Array.from({ length: count }, (_, index) => String(index).repeat(length));
    const all: Record<string, string[]>[] = [
      { a: texts(5, 5000) },
      { a: texts(5, 5000), b: texts(5, 5000) },
      { a: texts(5, 5000), b: ['x'] },
      { a: texts(1, 5001) },
    ];
    expect(all.map((answers) => compared(answers).metric)).toEqual([
      'levenshtein',
      'levenshtein',
      'token_f1',
      'token_f1',
    ]);
  });

  test('is symmetric, lies within 0 and 1 and is the same on every call, in any order of models', () => {
    const texts = fc.array(fc.oneof(fc.constantFrom('42', '42.0', 'yes', 'Yes.', 'no', '{"a":1}'), fc.lorem()), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 5 }), (all) => {
        const given = all.map((answers, index) => ({ model: `m${index}`, answers }));
        const { matrix, ...rest } = compareAnswers(given);
        expect(compareAnswers(given)).toEqual({ matrix, ...rest });
        const turned = compareAnswers(given.toReversed())
          .matrix.map((row) => row.toReversed())
          .toReversed();
        for (const [row, cells] of matrix.entries()) {
          for (const [column, cell] of cells.entries()) {
            expect(matrix[column]?.[row]).toEqual(cell);
            for (const value of cell === null ? [] : [cell.agree, cell.similarity])
              expect(value >= 0 && value <= 1 + 1e-12).toBe(true);
            expect(turned[row]?.[column]).toEqual(
              cell && { agree: expect.closeTo(cell.agree, 9), similarity: expect.closeTo(cell.similarity, 9) },
            );
          }
        }
      }),
    );
  });
});

describe('The agreement of a model with itself', () => {
  test('counts what it said and how often it said the most frequent', () => {
    expect(compareOwnAnswers(models({ a: ['yes', 'Yes', 'no', 'yes'], b: ['one'], failed: [] }))).toEqual([
      { distinct: 2, modalShare: 0.75, meanSimilarity: expect.closeTo((1 + 2 * (2 / 3) + 3 * 0) / 6, 9) },
      { distinct: 1, modalShare: 1, meanSimilarity: null },
      null,
    ]);
  });
});

describe('Long answers that begin alike and are equally long', () => {
  const endings = Array.from({ length: 200 }, (_, index) => String(index).padStart(3, '0'));
  const compare = (answers: string[]) =>
    computing(() =>
      compareOwnAnswers([
        { model: 'a', answers: answers.slice(0, 100) },
        { model: 'b', answers: [...answers.slice(100), ...answers.slice(100)] },
      ]),
    );

  test('are distinguished as quickly as others', () => {
    const alike = compare(endings.map((ending) => `${'漢字'.repeat(30_000)}${ending}`));
    expect(alike.result).toEqual([
      { distinct: 100, modalShare: 0.01, meanSimilarity: 1 },
      { distinct: 100, modalShare: 0.01, meanSimilarity: 1 },
    ]);
    const others = compare(endings.map((ending) => `${ending}${'漢字'.repeat(30_000)}`));
    // If they were found in a Map by their text, it would compare each with all others.
    expect(alike.ms / others.ms).toBeLessThan(5);
  });
});

describe('The comparison of 200 long answers', () => {
  const vocabulary = Array.from({ length: 3000 }, (_, index) => `w${(index * 7919) % 100_003}`);
  const answers = Array.from({ length: 200 }, (_, answer) =>
    Array.from({ length: 12_000 }, (__, word) => vocabulary[(word * word * (answer + 1) + word) % 3000]).join(' '),
  );

  test('reads the beginnings only', () => {
    const given = [
      { model: 'a', answers: answers.slice(0, 100) },
      { model: 'b', answers: answers.slice(100) },
    ];
    const { metric, matrix } = compareAnswers(given);
    expect(metric).toBe('token_f1');
    const sameBeginnings = given.map(({ model, answers: texts }) => ({
      model,
      answers: texts.map((text) => `${text} end`),
    }));
    expect(compareAnswers(sameBeginnings).matrix).toEqual(matrix);
  });
});
