import { distance } from 'fastest-levenshtein';

/** How alike two texts are told to be: by edits of characters, or by the words that they share. */
export type SimilarityMetric = 'levenshtein' | 'token_f1';

/** Longer texts are compared by their words: edits of long texts take long to count and say little. */
export const MAX_LEVENSHTEIN_CHARACTERS = 8000;
/** Of longer texts, the words of the beginning are compared. */
const MAX_WORDS_CHARACTERS = 65_536;

/** How alike two texts are, from 0 to 1: by edits up to 8,000 characters, else by words. */
export function similarity(left: string, right: string): number {
  const isLong = Math.max(left.length, right.length) > MAX_LEVENSHTEIN_CHARACTERS;
  return isLong ? tokenF1(left, right) : levenshteinSimilarity(left, right);
}

/** 1 less the share of characters to be edited to turn one text into the other. Takes time in proportion to the product of the lengths. */
export function levenshteinSimilarity(left: string, right: string): number {
  if (left === right) return 1;
  return 1 - distance(left, right) / Math.max(left.length, right.length);
}

/** The F1 score of the words that two texts share, without regard to case and order. */
export function tokenF1(left: string, right: string): number {
  return left === right ? 1 : wordsF1(countWords(left), countWords(right));
}

/** How often each word of a text occurs. */
export interface WordCounts {
  counts: ReadonlyMap<string, number>;
  total: number;
}

// Scripts that put no spaces between words: there every character counts as one.
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+/gv;

/** Counts the words of a text, or of its first 65,536 characters. */
export function countWords(text: string): WordCounts {
  const words = text.slice(0, MAX_WORDS_CHARACTERS).normalize('NFKC').toLowerCase().match(WORD) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, total: words.length };
}

/** The F1 score of shared words; 0 where a text has none. */
export function wordsF1(left: WordCounts, right: WordCounts): number {
  const [fewer, more] = left.counts.size <= right.counts.size ? [left, right] : [right, left];
  if (fewer.total === 0 || more.total === 0) return 0;
  let shared = 0;
  for (const [word, count] of fewer.counts) shared += Math.min(count, more.counts.get(word) ?? 0);
  return (2 * shared) / (left.total + right.total);
}
