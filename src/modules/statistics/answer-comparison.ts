import { AnswerReader, at, type Answer } from './answer-reader';
import {
  levenshteinSimilarity,
  MAX_LEVENSHTEIN_CHARACTERS,
  Vocabulary,
  wordsF1,
  type SimilarityMetric,
} from './similarity';

/** The answers of one model, in the order of their rounds. */
export interface ModelAnswers {
  model: string;
  answers: readonly string[];
}

/** How far two models agree, over all pairs of an answer of each. */
export interface PairAgreement {
  /** The share of the pairs that agree. */
  agree: number;
  similarity: number;
}

/** How far the models agree with each other and with themselves. */
export interface AnswerAgreement {
  models: string[];
  metric: SimilarityMetric;
  /**
   * By row and column in the order of `models`. A model with itself: over the pairs of its answers. Null where there is
   * no pair.
   */
  matrix: (PairAgreement | null)[][];
  /** Models whose most frequent answers agree; the largest group first. */
  groups: string[][];
  /**
   * The most frequent answer: its share of all answers and the models whose most frequent answer it is. Null when no
   * two answers agree.
   */
  consensus: { share: number; models: string[] } | null;
}

export interface SelfAgreement {
  distinct: number;
  modalShare: number;
  /** Null with a single answer. */
  meanSimilarity: number | null;
}

/** Answers that are longer all together are compared by their words: edits would take too long to count. */
const MAX_LEVENSHTEIN_TOTAL = 25_000;
/** The total number of characters whose words are compared: of many long answers only the beginnings. */
const MAX_WORDS_TOTAL = 1_048_576;

/** Answers that are ready to be compared. */
interface ReadAnswers {
  /** All are compared by one measure, so that its values can be compared too. */
  metric: SimilarityMetric;
  answers: readonly (readonly Answer[])[];
  /** The number of an answer's meaning: answers that agree have the same number. */
  keyOf: (answer: Answer) => number;
  similarityOf: (left: Answer, right: Answer) => number;
}

export function compareAnswers(models: readonly ModelAnswers[]): AnswerAgreement {
  const read = readAnswers(models);
  const samples = read.answers.map((answers) => sampleOf(answers, read));
  const triangle = samples.map((left, row) => [
    ...samples.slice(0, row).map((right) => betweenSamples(right, left, read)),
    withinSample(left, read),
  ]);
  const indexes = [...samples.keys()];
  const matrix = indexes.map((row) =>
    indexes.map((column) => triangle[Math.max(row, column)]?.[Math.min(row, column)] ?? null),
  );
  const names = models.map(({ model }) => model);
  return { models: names, metric: read.metric, matrix, ...classesOf(names, samples) };
}

/**
 * Compares the answers of each model with each other; null for a model without one. The measure is that of
 * `compareAnswers`.
 */
export function compareOwnAnswers(models: readonly ModelAnswers[]): (SelfAgreement | null)[] {
  const read = readAnswers(models);
  return read.answers.map((answers) => {
    const sample = sampleOf(answers, read);
    const modal = mostFrequent(sample.keys);
    return (
      modal && {
        distinct: sample.keys.size,
        modalShare: modal.count / sample.size,
        meanSimilarity: withinSample(sample, read)?.similarity ?? null,
      }
    );
  });
}

function readAnswers(models: readonly ModelAnswers[]): ReadAnswers {
  const reader = new AnswerReader();
  const answers = models.map((model) => reader.read(model.answers));
  const { texts } = reader;
  const keyOf = (answer: Answer) => reader.keyOf(answer);
  if (areShort(texts))
    return {
      metric: 'levenshtein',
      answers,
      keyOf,
      similarityOf: (left, right) => levenshteinSimilarity(at(texts, left), at(texts, right)),
    };
  const vocabulary = new Vocabulary();
  const words = texts.map((text) => vocabulary.read(text, Math.floor(MAX_WORDS_TOTAL / texts.length)));
  return {
    metric: 'token_f1',
    answers,
    keyOf,
    similarityOf: (left, right) => wordsF1(at(words, left), at(words, right)),
  };
}

function areShort(answers: readonly string[]): boolean {
  const total = answers.reduce((sum, { length }) => sum + length, 0);
  return total <= MAX_LEVENSHTEIN_TOTAL && answers.every(({ length }) => length <= MAX_LEVENSHTEIN_CHARACTERS);
}

/** The answers of a model, each different one once. */
interface Sample {
  size: number;
  /** How often each text was answered. */
  texts: ReadonlyMap<Answer, number>;
  /** How often each thing was said. */
  keys: ReadonlyMap<number, number>;
}

function sampleOf(answers: readonly Answer[], { keyOf }: ReadAnswers): Sample {
  return { size: answers.length, texts: countOf(answers), keys: countOf(answers.map(keyOf)) };
}

function betweenSamples(left: Sample, right: Sample, { similarityOf }: ReadAnswers): PairAgreement | null {
  const pairs = left.size * right.size;
  if (pairs === 0) return null;
  let alike = 0;
  for (const [text, count] of left.texts) {
    for (const [other, otherCount] of right.texts)
      alike += count * otherCount * (text === other ? 1 : similarityOf(text, other));
  }
  let agreeing = 0;
  for (const [key, count] of left.keys) agreeing += count * (right.keys.get(key) ?? 0);
  return { agree: agreeing / pairs, similarity: alike / pairs };
}

function withinSample({ size, texts, keys }: Sample, { similarityOf }: ReadAnswers): PairAgreement | null {
  const pairs = pairsOf(size);
  if (pairs === 0) return null;
  let alike = 0;
  const different = [...texts];
  for (const [index, [text, count]] of different.entries()) {
    alike += pairsOf(count);
    for (const [other, otherCount] of different.slice(index + 1))
      alike += count * otherCount * similarityOf(text, other);
  }
  const agreeing = [...keys.values()].reduce((sum, count) => sum + pairsOf(count), 0);
  return { agree: agreeing / pairs, similarity: alike / pairs };
}

/**
 * The models by their most frequent answers, and the most frequent answer of all. Ties go to the answer that was given
 * first.
 */
function classesOf(
  models: readonly string[],
  samples: readonly Sample[],
): Pick<AnswerAgreement, 'groups' | 'consensus'> {
  const modal = new Map(models.map((model, index) => [model, mostFrequent(at(samples, index).keys)?.value]));
  const groups = Map.groupBy(
    models.filter((model) => modal.get(model) !== undefined),
    (model) => modal.get(model),
  );
  const top = mostFrequent(sumOf(samples.map(({ keys }) => keys)));
  const total = samples.reduce((sum, { size }) => sum + size, 0);
  return {
    groups: [...groups.values()].sort((left, right) => right.length - left.length),
    consensus: top === null || top.count < 2 ? null : { share: top.count / total, models: groups.get(top.value) ?? [] },
  };
}

function sumOf(counts: readonly ReadonlyMap<number, number>[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const [value, count] of counts.flatMap((map) => [...map])) sums.set(value, (sums.get(value) ?? 0) + count);
  return sums;
}

function mostFrequent(counts: ReadonlyMap<number, number>): { value: number; count: number } | null {
  let top: { value: number; count: number } | null = null;
  for (const [value, count] of counts) if (top === null || count > top.count) top = { value, count };
  return top;
}

function countOf(values: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function pairsOf(size: number): number {
  return (size * (size - 1)) / 2;
}
