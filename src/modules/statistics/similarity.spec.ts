import fc from 'fast-check';
import { levenshteinSimilarity, tokenF1, Vocabulary } from './similarity';

const read = (text: string, maxCharacters?: number) => new Vocabulary().read(text, maxCharacters);

describe('The similarity of two texts', () => {
  test('counts edits of characters', () => {
    expect(levenshteinSimilarity('kitten', 'sitting')).toBeCloseTo(0.571429, 6);
    expect([
      levenshteinSimilarity('', ''),
      levenshteinSimilarity('', 'abc'),
      levenshteinSimilarity('abc', 'abc'),
    ]).toEqual([1, 0, 1]);
  });

  test('or counts shared words', () => {
    expect(tokenF1('the cat sat on the mat', 'the cat is on a mat')).toBeCloseTo(0.666667, 6);
    expect([
      tokenF1('The Cat.', 'cat, the'),
      tokenF1('a b', 'c d'),
      tokenF1('', 'a'),
      tokenF1('', ''),
      tokenF1('…', '!'),
    ]).toEqual([1, 0, 0, 1, 0]);
  });

  test('finds the words of scripts that put no spaces between them', () => {
    // 東京, は and 大きい against 東京, は and 小さい.
    expect(tokenF1('東京は大きい', '東京は小さい')).toBeCloseTo(4 / 6, 6);
    expect(tokenF1('GPT東京', 'GPT 京都')).toBeCloseTo(2 / 4, 6);
    expect([tokenF1('スーパー、コンピューター。', 'スーパー コンピューター'), tokenF1('ภาษาไทย', 'ไทยภาษา')]).toEqual([
      1, 1,
    ]);
  });

  test('reads no more than 16,384 characters of text without spaces', () => {
    expect(
      [read('東京'.repeat(30_000)), read(`${'東京 '.repeat(8191)}東京 大阪 end`)].map(({ length }) => length),
    ).toEqual([8192, 8193]);
  });

  test('compares the beginnings of very long texts', () => {
    expect(tokenF1('word '.repeat(20_000), `${'word '.repeat(19_999)}other`)).toBe(1);
    expect(tokenF1(`${'word '.repeat(13_107)}x y`, `${'word '.repeat(13_107)}x z`)).toBe(1);
    // No more of them for any caller; and of characters that are short for a phrase not all of the phrases.
    expect(read('a '.repeat(100_000), 200_000)).toHaveLength(32_768);
    expect(read('\ufdfa'.repeat(65_536)).length).toBeLessThan(32_768);
  });

  test('lies within 0 and 1, is 1 for the same text and does not depend on the order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (left, right) => {
        for (const metric of [levenshteinSimilarity, tokenF1]) {
          const value = metric(left, right);
          expect(value >= 0 && value <= 1).toBe(true);
          expect(metric(right, left)).toBe(value);
          expect(metric(left, left)).toBe(1);
        }
      }),
    );
  });
});
