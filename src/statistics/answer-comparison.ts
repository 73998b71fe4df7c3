import { agreementKey } from './agreement';
import { levenshteinSimilarity, MAX_LEVENSHTEIN_CHARACTERS, Vocabulary, wordsF1, type SimilarityMetric, type WordNumbers } from './similarity';

/** The answers of one model, in the order of their rounds. */
export interface ModelAnswers {
  model: string;
  answers: readonly string[];
}

/** How far two models agree, over all pairs of an answer of each. */
export interface PairAgreement {
  /** The share of the pairs that agree. */
  agree: number;
  /** Their mean similarity. */
  similarity: number;
}

/** How far the models agree with each other and with themselves. */
export interface AnswerAgreement {
  models: string[];
  metric: SimilarityMetric;
  /** By row and column in the order of `models`. A model with itself: over the pairs of its own answers. Null where there is no pair. */
  matrix: (PairAgreement | null)[][];
  /** Models whose most frequent answers agree; the largest group first. */
  groups: string[][];
  /** The most frequent answer: its share of all answers and the models whose most frequent answer it is. Null when no two answers agree. */
  consensus: { share: number; models: string[] } | null;
}

/** How far a model agrees with itself. */
export interface SelfAgreement {
  /** How many different answers it gave. */
  distinct: number;
  /** The share of the most frequent one. */
  modalShare: number;
  /** Null with a single answer. */
  meanSimilarity: number | null;
}

/** Answers that are longer all together are compared by their words: edits would take too long to count. */
const MAX_LEVENSHTEIN_TOTAL = 25_000;
/** Of all answers together, the words of so many characters are compared: of many long ones the beginnings. */
const MAX_WORDS_TOTAL = 1_048_576;

/** A computation in steps of a few milliseconds, so that whoever runs it can pause in between. */
export type Steps<T> = Generator<undefined, T>;

/** Answers that are ready to be compared. */
interface ReadAnswers {
  /** All are compared by one measure, so that its values can be compared too. */
  metric: SimilarityMetric;
  /** What an answer says: those that agree say the same. */
  keyOf: (answer: string) => string;
  similarityOf: (left: string, right: string) => number;
}

/** Compares all answers of each pair of models, and those of each model with each other. */
export function* compareAnswers(models: readonly ModelAnswers[]): Steps<AnswerAgreement> {
  const read = yield* readAnswers(models);
  const samples = models.map(({ answers }) => sampleOf(answers, read));
  const triangle: (PairAgreement | null)[][] = [];
  for (const [row, left] of samples.entries()) {
    const cells: (PairAgreement | null)[] = [];
    for (const right of samples.slice(0, row)) cells.push(yield* betweenSamples(right, left, read));
    triangle.push([...cells, yield* withinSample(left, read)]);
  }
  const indexes = [...samples.keys()];
  const matrix = indexes.map((row) => indexes.map((column) => triangle[Math.max(row, column)]?.[Math.min(row, column)] ?? null));
  return { models: models.map(({ model }) => model), metric: read.metric, matrix, ...classesOf(models, read) };
}

/** Compares the answers of each model with each other; null for a model without one. The measure is that of `compareAnswers`. */
export function* compareOwnAnswers(models: readonly ModelAnswers[]): Steps<(SelfAgreement | null)[]> {
  const read = yield* readAnswers(models);
  const found: (SelfAgreement | null)[] = [];
  for (const { answers } of models) {
    const sample = sampleOf(answers, read);
    const within = yield* withinSample(sample, read);
    const largest = Math.max(...sample.keys.values());
    found.push(sample.size === 0 ? null : { distinct: sample.keys.size, modalShare: largest / sample.size, meanSimilarity: within?.similarity ?? null });
  }
  return found;
}

/** Reads each different answer once. */
function* readAnswers(models: readonly ModelAnswers[]): Steps<ReadAnswers> {
  const answers = [...new Set(models.flatMap((model) => model.answers))];
  const keys = new Map<string, string>();
  for (const answer of answers) {
    keys.set(answer, agreementKey(answer));
    yield;
  }
  const keyOf = (answer: string): string => known(keys, answer);
  if (areShort(answers)) return { metric: 'levenshtein', keyOf, similarityOf: levenshteinSimilarity };
  const vocabulary = new Vocabulary();
  const words = new Map<string, WordNumbers>();
  for (const answer of answers) {
    words.set(answer, vocabulary.read(answer, Math.floor(MAX_WORDS_TOTAL / answers.length)));
    yield;
  }
  return { metric: 'token_f1', keyOf, similarityOf: (left, right) => wordsF1(known(words, left), known(words, right)) };
}

function areShort(answers: readonly string[]): boolean {
  const total = answers.reduce((sum, { length }) => sum + length, 0);
  return total <= MAX_LEVENSHTEIN_TOTAL && answers.every(({ length }) => length <= MAX_LEVENSHTEIN_CHARACTERS);
}

/** The answers of a model, each different one once. */
interface Sample {
  size: number;
  /** How often each text was answered. */
  texts: ReadonlyMap<string, number>;
  /** How often each thing was said. */
  keys: ReadonlyMap<string, number>;
}

function sampleOf(answers: readonly string[], { keyOf }: ReadAnswers): Sample {
  return { size: answers.length, texts: countOf(answers), keys: countOf(answers.map(keyOf)) };
}

function* betweenSamples(left: Sample, right: Sample, { similarityOf }: ReadAnswers): Steps<PairAgreement | null> {
  const pairs = left.size * right.size;
  if (pairs === 0) return null;
  let alike = 0;
  for (const [text, count] of left.texts) {
    for (const [other, otherCount] of right.texts) {
      alike += count * otherCount * (text === other ? 1 : similarityOf(text, other));
      yield;
    }
  }
  let agreeing = 0;
  for (const [key, count] of left.keys) agreeing += count * (right.keys.get(key) ?? 0);
  return { agree: agreeing / pairs, similarity: alike / pairs };
}

function* withinSample({ size, texts, keys }: Sample, { similarityOf }: ReadAnswers): Steps<PairAgreement | null> {
  const pairs = pairsOf(size);
  if (pairs === 0) return null;
  let alike = 0;
  const different = [...texts];
  for (const [index, [text, count]] of different.entries()) {
    alike += pairsOf(count);
    for (const [other, otherCount] of different.slice(index + 1)) {
      alike += count * otherCount * similarityOf(text, other);
      yield;
    }
  }
  const agreeing = [...keys.values()].reduce((sum, count) => sum + pairsOf(count), 0);
  return { agree: agreeing / pairs, similarity: alike / pairs };
}

/** The models by their most frequent answers, and the most frequent answer of all. Ties go to the answer that was given first. */
function classesOf(models: readonly ModelAnswers[], { keyOf }: ReadAnswers): Pick<AnswerAgreement, 'groups' | 'consensus'> {
  const byKey = new Map<string, string[]>();
  for (const { model, answers } of models) {
    const key = mostFrequent(countOf(answers.map(keyOf)))?.key;
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), model]);
  }
  const all = models.flatMap(({ answers }) => answers.map(keyOf));
  const top = mostFrequent(countOf(all));
  return {
    groups: [...byKey.values()].sort((left, right) => right.length - left.length),
    consensus: top === undefined || top.count < 2 ? null : { share: top.count / all.length, models: byKey.get(top.key) ?? [] },
  };
}

function mostFrequent(counts: ReadonlyMap<string, number>): { key: string; count: number } | undefined {
  let top: { key: string; count: number } | undefined;
  for (const [key, count] of counts) if (top === undefined || count > top.count) top = { key, count };
  return top;
}

function countOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function pairsOf(size: number): number {
  return (size * (size - 1)) / 2;
}

function known<T>(map: ReadonlyMap<string, T>, answer: string): T {
  const value = map.get(answer);
  if (value === undefined) throw new Error('An answer that was not read.');
  return value;
}
