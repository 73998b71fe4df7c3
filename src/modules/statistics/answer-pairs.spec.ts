import { computing } from '../../../test/support/timing';
import { pairAnswers } from './answer-pairs';
import { MAX_LEVENSHTEIN_CHARACTERS } from './similarity';

const times = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, index) => of(index));
const outputs = (before: string[], after: string[]) => pairAnswers([{ before, after }])[0];

describe('The answers of two evals', () => {
  test.each([
    ['the same', ['a'], ['a'], { output: 'same', similarity: 1 }],
    ['the same in another order', ['a', 'b'], ['b', 'a'], { output: 'same', similarity: 1 }],
    ['the same, more often', ['a'], ['a', 'a'], { output: 'same', similarity: 1 }],
    ['equivalent numbers', ['42'], ['42.0'], { output: 'equivalent', similarity: 0.5 }],
    [
      'equivalent JSON beside the same',
      ['{"a":1,"b":2}', 'x'],
      ['x', '{"b":2,"a":1}'],
      { output: 'equivalent', similarity: expect.any(Number) },
    ],
    ['a number and the same with a unit', ['42'], ['42 km'], { output: 'equivalent', similarity: expect.any(Number) }],
    ['another scale', ['3 million'], ['3 billion'], { output: 'changed', similarity: expect.any(Number) }],
    ['changed', ['kitten'], ['sitting'], { output: 'changed', similarity: 0.571429 }],
    [
      'changed in one of three',
      ['yes', 'yes', 'yes'],
      ['yes', 'no', 'yes'],
      { output: 'changed', similarity: 0.666667 },
    ],
    ['no longer there', ['yes', 'no'], ['yes', 'yes'], { output: 'changed', similarity: 0.5 }],
    ['only there later', [], ['a'], { output: null, similarity: null }],
    ['only there before', ['a'], [], { output: null, similarity: null }],
  ])('are %s', (_, before, after, expected) => {
    expect(outputs(before, after)).toEqual(expected);
  });

  test('are compared by words when comparing them by edits would take too long, all of them alike', () => {
    const [one, other] = ['a b '.repeat(MAX_LEVENSHTEIN_CHARACTERS / 4), 'b a '.repeat(MAX_LEVENSHTEIN_CHARACTERS / 4)];
    const similarity = (models: number) =>
      pairAnswers(times(models, () => ({ before: [one], after: [other] }))).map((drift) => drift.similarity);
    expect(similarity(1)[0]).toBeLessThan(1);
    expect(similarity(100)).toEqual(times(100, () => 1));
  });

  test('are compared by edits up to 5,000 characters and by words above', () => {
    const [left, right] = ['a'.repeat(4999), 'a'.repeat(5000)];
    expect(outputs([left], [right])?.similarity).toBe(1 - 1 / 5000);
    expect(outputs([left], [`${right}a`])?.similarity).toBe(0);
    expect(outputs([`${right}a b`], [`b ${right}a`])?.similarity).toBe(1);
  });

  test('are paired and read as quickly when 200 of them are long and begin alike', () => {
    const pair = (textOf: (ending: string) => string) => {
      const texts = times(200, (index) => textOf(String(index).padStart(3, '0')));
      return computing(() => pairAnswers([{ before: texts.slice(0, 100), after: texts.slice(100) }]));
    };
    const alike = pair((ending) => `${'漢字'.repeat(30_000)}${ending}`);
    expect(alike.result).toEqual([{ output: 'changed', similarity: expect.closeTo(1, 3) }]);
    expect(alike.ms / pair((ending) => `${ending}${'漢字'.repeat(30_000)}`).ms).toBeLessThan(5);
  });
});
