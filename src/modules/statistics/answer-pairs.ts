import { AnswerReader, at, type Answer } from './answer-reader';
import { mean } from './mean';
import { sixDigits } from './rounding';
import { levenshteinSimilarity, MAX_LEVENSHTEIN_CHARACTERS, tokenF1 } from './similarity';

/**
 * The change of a model's answers: the same texts, texts that agree, or at least one answer without a match in the
 * other eval.
 */
export type OutputChange = 'same' | 'equivalent' | 'changed';

/** The answers of one model in both evals. */
export interface Answers {
  before: readonly string[];
  after: readonly string[];
}

/** How the answers of one model differ; null where one of the evals has none. */
export interface AnswerDrift {
  output: OutputChange | null;
  /** Mean over pairs of answers, from 0 to 1. Equal or agreeing answers are paired first. */
  similarity: number | null;
}

/** Two answers to compare, unless they are the same. */
type Pair = readonly [before: Answer, after: Answer];

interface Pairing {
  output: OutputChange;
  pairs: Pair[];
  texts: readonly string[];
}

/**
 * Products of characters that may be compared by edits for one response, about a fifth of a second of work; beyond
 * that, all texts are compared by words.
 */
const MAX_EDIT_WORK = 1.28e9;

export function pairAnswers(models: readonly Answers[]): AnswerDrift[] {
  const pairings = models.map(({ before, after }) =>
    before.length === 0 || after.length === 0 ? undefined : pairUp(before, after),
  );
  const maxCharacters = editWork(pairings) <= MAX_EDIT_WORK ? MAX_LEVENSHTEIN_CHARACTERS : 0;
  return pairings.map((pairing) =>
    pairing === undefined
      ? { output: null, similarity: null }
      : { output: pairing.output, similarity: meanSimilarity(pairing, maxCharacters) },
  );
}

function pairUp(before: readonly string[], after: readonly string[]): Pairing {
  const reader = new AnswerReader();
  const [earlier, later] = [reader.read(before), reader.read(after)];
  const keyOf = (answer: Answer) => reader.keyOf(answer);
  const same = matched(earlier, later, (answer) => answer);
  const agreeing = matched(same.before, same.after, keyOf);
  const rest = agreeing.before.flatMap((answer, index): Pair[] => {
    const partner = agreeing.after[index];
    return partner === undefined ? [] : [[answer, partner]];
  });
  return {
    output: outputChange(earlier, later, keyOf),
    pairs: [...same.pairs, ...agreeing.pairs, ...rest],
    texts: reader.texts,
  };
}

function outputChange(
  before: readonly Answer[],
  after: readonly Answer[],
  keyOf: (answer: Answer) => number,
): OutputChange {
  if (isSameSet(before, after)) return 'same';
  return isSameSet(before.map(keyOf), after.map(keyOf)) ? 'equivalent' : 'changed';
}

function isSameSet(before: readonly number[], after: readonly number[]): boolean {
  const [one, other] = [new Set(before), new Set(after)];
  return one.size === other.size && [...one].every((number) => other.has(number));
}

/** Pairs the answers of both sides that have the same number, each once, and returns the rest. */
function matched(
  before: readonly Answer[],
  after: readonly Answer[],
  of: (answer: Answer) => number,
): { before: Answer[]; after: Answer[]; pairs: Pair[] } {
  const waiting = Map.groupBy(after, of);
  const pairs: Pair[] = [];
  const rest = before.filter((answer) => {
    const partner = waiting.get(of(answer))?.shift();
    if (partner !== undefined) pairs.push([answer, partner]);
    return partner === undefined;
  });
  return { before: rest, after: [...waiting.values()].flat(), pairs };
}

function editWork(pairings: readonly (Pairing | undefined)[]): number {
  return pairings.reduce(
    (work, pairing) =>
      (pairing?.pairs ?? []).reduce((sum, [before, after]) => {
        const [one, other] = [at(pairing?.texts ?? [], before), at(pairing?.texts ?? [], after)];
        return before !== after && Math.max(one.length, other.length) <= MAX_LEVENSHTEIN_CHARACTERS
          ? sum + one.length * other.length
          : sum;
      }, work),
    0,
  );
}

function meanSimilarity({ pairs, texts }: Pairing, maxCharacters: number): number {
  return sixDigits(
    mean(
      pairs.map(([before, after]) =>
        before === after ? 1 : similarity(at(texts, before), at(texts, after), maxCharacters),
      ),
    ),
  );
}

/** By edits up to this number of characters, else by words. */
function similarity(before: string, after: string, maxCharacters: number): number {
  return Math.max(before.length, after.length) <= maxCharacters
    ? levenshteinSimilarity(before, after)
    : tokenF1(before, after);
}
