import { Sayings } from '../statistics/agreement';
import { Numbering } from '../statistics/fingerprint';
import { levenshteinSimilarity, MAX_LEVENSHTEIN_CHARACTERS, Vocabulary, wordsF1 } from '../statistics/similarity';
import { sixDigits } from '../statistics/rounding';
import type { Steps } from '../statistics/steps';

/** The change of a model's answers: the same texts, texts that agree, or at least one answer without a match in the other eval. */
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

/** An answer with numbers for its text and for what it says: where they are the same, so are those. Long texts themselves are slow to find in a Map. */
interface Answer {
  text: string;
  number: number;
  saying: number;
}

/** Two answers to compare, unless they are the same. */
type Pair = readonly [before: Answer, after: Answer];

interface Pairing {
  output: OutputChange;
  pairs: Pair[];
}

/** Products of characters that may be compared by edits for one answer, about a fifth of a second of work; beyond that, all texts are compared by words. */
const MAX_EDIT_WORK = 1.28e9;

/** Compares the answers of each model. Yields between the steps, none of which takes long. */
export function* compareAnswers(models: readonly Answers[]): Steps<AnswerDrift[]> {
  const pairings: (Pairing | undefined)[] = [];
  for (const { before, after } of models) pairings.push(before.length === 0 || after.length === 0 ? undefined : yield* pairUp(before, after));
  const maxCharacters = editWork(pairings) <= MAX_EDIT_WORK ? MAX_LEVENSHTEIN_CHARACTERS : 0;
  const drifts: AnswerDrift[] = [];
  for (const pairing of pairings) drifts.push(pairing === undefined ? { output: null, similarity: null } : { output: pairing.output, similarity: yield* meanSimilarity(pairing.pairs, maxCharacters) });
  return drifts;
}

function* pairUp(before: readonly string[], after: readonly string[]): Steps<Pairing> {
  const reader = new Reader();
  const [first, second] = [yield* reader.read(before), yield* reader.read(after)];
  const [earlier, later] = [reader.resolved(first), reader.resolved(second)];
  const same = matched(earlier, later, ({ number }) => number);
  const agreeing = matched(same.before, same.after, ({ saying }) => saying);
  const rest: Pair[] = [];
  for (const [index, answer] of agreeing.before.entries()) {
    const partner = agreeing.after[index];
    if (partner !== undefined) rest.push([answer, partner]);
  }
  return { output: outputChange(earlier, later), pairs: [...same.pairs, ...agreeing.pairs, ...rest] };
}

/** Reads each different text once. */
class Reader {
  private readonly texts = new Numbering();
  private readonly sayings = new Sayings();
  private readonly known: number[] = [];

  *read(texts: readonly string[]): Steps<Answer[]> {
    const answers: Answer[] = [];
    for (const text of texts) {
      const number = this.texts.numberOf(text);
      answers.push({ text, number, saying: this.known[number] ??= this.sayings.read(text) });
      yield;
    }
    return answers;
  }

  /** The meanings of the answers among all that were read. */
  resolved(answers: readonly Answer[]): Answer[] {
    return answers.map((answer) => ({ ...answer, saying: this.sayings.resolved(answer.saying) }));
  }
}

function outputChange(before: readonly Answer[], after: readonly Answer[]): OutputChange {
  if (isSameSet(before, after, ({ number }) => number)) return 'same';
  return isSameSet(before, after, ({ saying }) => saying) ? 'equivalent' : 'changed';
}

function isSameSet(before: readonly Answer[], after: readonly Answer[], of: (answer: Answer) => number): boolean {
  const [one, other] = [new Set(before.map(of)), new Set(after.map(of))];
  return one.size === other.size && [...one].every((number) => other.has(number));
}

/** Pairs the answers of both sides that have the same number, each once, and returns the rest. */
function matched(before: readonly Answer[], after: readonly Answer[], of: (answer: Answer) => number): { before: Answer[]; after: Answer[]; pairs: Pair[] } {
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
  return pairings.flatMap((pairing) => pairing?.pairs ?? []).reduce((work, [{ text: before, number }, { text: after, number: other }]) => {
    const isByEdits = number !== other && Math.max(before.length, after.length) <= MAX_LEVENSHTEIN_CHARACTERS;
    return isByEdits ? work + before.length * after.length : work;
  }, 0);
}

function* meanSimilarity(pairs: readonly Pair[], maxCharacters: number): Steps<number> {
  let sum = 0;
  for (const [before, after] of pairs) {
    sum += before.number === after.number ? 1 : yield* similarity(before.text, after.text, maxCharacters);
    yield;
  }
  return sixDigits(sum / pairs.length);
}

/** By edits up to this number of characters, else by words: then each text is read in a separate step. */
function* similarity(before: string, after: string, maxCharacters: number): Steps<number> {
  if (Math.max(before.length, after.length) <= maxCharacters) return levenshteinSimilarity(before, after);
  const vocabulary = new Vocabulary();
  const words = vocabulary.read(before);
  yield;
  const others = vocabulary.read(after);
  yield;
  return wordsF1(words, others);
}
