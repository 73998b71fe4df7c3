import { agreementKey } from '../statistics/agreement';
import type { Steps } from '../statistics/steps';
import { MAX_LEVENSHTEIN_CHARACTERS, similarity, tokenF1 } from '../statistics/similarity';
import { sixDigits } from '../statistics/rounding';

/** What becomes of the answers of a model: the same texts, texts that agree, or at least one that agrees with none of the other eval. */
export type OutputChange = 'same' | 'equivalent' | 'changed';

/** The answers of one model in both evals. */
export interface Answers {
  before: readonly string[];
  after: readonly string[];
}

/** How the answers of one model differ; null where one of the evals has none. */
export interface AnswerDrift {
  output: OutputChange | null;
  /** Mean over pairs of answers, from 0 to 1. Those that are the same or agree are paired first. */
  similarity: number | null;
}

/** Two answers to compare, unless they are the same. */
type Pair = readonly [before: string, after: string];

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
  const metric = editWork(pairings) <= MAX_EDIT_WORK ? similarity : tokenF1;
  const drifts: AnswerDrift[] = [];
  for (const pairing of pairings) drifts.push(pairing === undefined ? { output: null, similarity: null } : { output: pairing.output, similarity: yield* meanSimilarity(pairing.pairs, metric) });
  return drifts;
}

function* pairUp(before: readonly string[], after: readonly string[]): Steps<Pairing> {
  const same = matched(before, after, (text) => text);
  const keys = new Map<string, string>();
  for (const text of new Set([...before, ...after])) {
    keys.set(text, agreementKey(text));
    yield;
  }
  const keyOf = (text: string) => keys.get(text) ?? text;
  const agreeing = matched(same.before, same.after, keyOf);
  const rest = agreeing.before.slice(0, agreeing.after.length).map((text, index) => [text, agreeing.after[index] ?? ''] as const);
  return { output: outputChange(before, after, keyOf), pairs: [...same.pairs, ...agreeing.pairs, ...rest] };
}

function outputChange(before: readonly string[], after: readonly string[], keyOf: (text: string) => string): OutputChange {
  if (isSameSet(before, after)) return 'same';
  return isSameSet(before.map(keyOf), after.map(keyOf)) ? 'equivalent' : 'changed';
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  const [one, other] = [new Set(left), new Set(right)];
  return one.size === other.size && [...one].every((text) => other.has(text));
}

/** Pairs the texts of both sides that have the same key, each once, and gives back what is left of them. */
function matched(before: readonly string[], after: readonly string[], keyOf: (text: string) => string): Answers & { pairs: Pair[] } {
  const waiting = Map.groupBy(after, keyOf);
  const pairs: Pair[] = [];
  const rest = before.filter((text) => {
    const partner = waiting.get(keyOf(text))?.shift();
    if (partner !== undefined) pairs.push([text, partner]);
    return partner === undefined;
  });
  return { before: rest, after: [...waiting.values()].flat(), pairs };
}

function editWork(pairings: readonly (Pairing | undefined)[]): number {
  return pairings.flatMap((pairing) => pairing?.pairs ?? []).reduce((work, [before, after]) => {
    const isByEdits = before !== after && Math.max(before.length, after.length) <= MAX_LEVENSHTEIN_CHARACTERS;
    return isByEdits ? work + before.length * after.length : work;
  }, 0);
}

function* meanSimilarity(pairs: readonly Pair[], metric: (before: string, after: string) => number): Steps<number> {
  let sum = 0;
  for (const [before, after] of pairs) {
    sum += before === after ? 1 : metric(before, after);
    yield;
  }
  return sixDigits(sum / pairs.length);
}
