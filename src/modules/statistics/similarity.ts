import { distance } from 'fastest-levenshtein';
import { Numbering } from './fingerprint';
import { normalized } from './normalized';
import { segmented, UNSPACED, WORD_OR_RUN } from './words';

/** The measure of similarity of two texts: edits of characters, or shared words. */
export type SimilarityMetric = 'levenshtein' | 'token_f1';

/**
 * Longer texts are compared by their words: to count the edits of two of 8,000 characters would hold up everything else
 * for 40 ms, of these 12.
 */
export const MAX_LEVENSHTEIN_CHARACTERS = 5000;
/** Of longer texts, the words of the beginning are compared. */
const MAX_WORDS_CHARACTERS = 65_536;
/** Fewer of text without spaces, whose words are shorter and take longer to find: 10 ms for these. */
const MAX_SEGMENTED_CHARACTERS = 16_384;

/**
 * 1 less the share of characters to be edited to turn one text into the other. Takes time in proportion to the product
 * of the lengths.
 */
export function levenshteinSimilarity(left: string, right: string): number {
  if (left === right) return 1;
  return 1 - distance(left, right) / Math.max(left.length, right.length);
}

/** The F1 score of the words that two texts share, without regard to case and order. */
export function tokenF1(left: string, right: string): number {
  if (left === right) return 1;
  const vocabulary = new Vocabulary();
  return wordsF1(vocabulary.read(left), vocabulary.read(right));
}

/** The words of a text as ascending numbers, each as often as it occurs. */
type WordNumbers = Uint32Array;

/** Gives every word a number: texts of numbers are compared many times faster. */
export class Vocabulary {
  private readonly numbers = new Numbering();

  /** The words of the first `maxCharacters` of a text, at most 65,536, without regard to case. */
  read(text: string, maxCharacters = MAX_WORDS_CHARACTERS): WordNumbers {
    const length = Math.min(maxCharacters, MAX_WORDS_CHARACTERS);
    // Some characters are short for a whole phrase.
    const words =
      normalized(text.slice(0, length))
        .slice(0, 2 * length)
        .match(WORD_OR_RUN) ?? [];
    return Uint32Array.from(UNSPACED.test(text) ? segmented(words, MAX_SEGMENTED_CHARACTERS) : words, (word) =>
      this.numbers.numberOf(word),
    ).sort();
  }
}

/** The F1 score of shared words; 0 where a text has none. Both are read by one vocabulary. */
export function wordsF1(left: WordNumbers, right: WordNumbers): number {
  const total = left.length + right.length;
  let shared = 0;
  for (let here = 0, there = 0; here < left.length && there < right.length;) {
    const difference = (left[here] ?? 0) - (right[there] ?? 0);
    if (difference === 0) shared++;
    if (difference <= 0) here++;
    if (difference >= 0) there++;
  }
  return total === 0 ? 0 : (2 * shared) / total;
}
