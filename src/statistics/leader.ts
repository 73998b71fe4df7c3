import { signFlipP } from './paired';
import type { Steps } from './steps';

/** Below so many rounds no difference can be told from luck: of five, each in the same direction, p is 0.0625. */
export const MIN_ROUNDS = 6;
const ALPHA = 0.05;

/** One measure of a model in each round, such as latencies; undefined in the rounds that it failed. */
export interface Contender {
  name: string;
  rounds: readonly (number | undefined)[];
}

/** How sure it is that a leader is ahead of every other contender. */
export interface Lead {
  confident: boolean;
  /** The largest p-value against any of them; null where there is none to compare with, or too few rounds. */
  pValue: number | null;
  /** The contender that is hardest to tell from the leader: by too few common rounds, else by its p-value. */
  rival: { name: string; rounds: number } | undefined;
}

/** Whether `leader` differs from each of `others` by more than luck, in the rounds that both answered. Every one must, so nothing is corrected for their number. */
export function* leadOver(leader: Contender, others: readonly Contender[]): Steps<Lead> {
  const pairs = others.map((other) => ({ name: other.name, differences: logRatios(leader, other) }));
  const shortest = pairs.toSorted((left, right) => left.differences.length - right.differences.length)[0];
  if (shortest === undefined) return { confident: false, pValue: null, rival: undefined };
  if (shortest.differences.length < MIN_ROUNDS) return { confident: false, pValue: null, rival: rivalOf(shortest) };
  const tested: ((typeof pairs)[number] & { p: number })[] = [];
  for (const pair of pairs) {
    tested.push({ ...pair, p: signFlipP(pair.differences, `${leader.name}|${pair.name}`) });
    yield;
  }
  const hardest = tested.reduce((most, next) => (next.p > most.p ? next : most));
  return { confident: hardest.p <= ALPHA, pValue: hardest.p, rival: rivalOf(hardest) };
}

function rivalOf({ name, differences }: { name: string; differences: readonly number[] }): Lead['rival'] {
  return { name, rounds: differences.length };
}

/** ln(other / leader) of each round that both have; plain differences where a value of 0 has no logarithm. */
function logRatios(leader: Contender, other: Contender): number[] {
  const pairs = leader.rounds.flatMap((own, round): [number, number][] => {
    const theirs = other.rounds[round];
    return own === undefined || theirs === undefined ? [] : [[own, theirs]];
  });
  const hasLogarithms = pairs.every(([own, theirs]) => own > 0 && theirs > 0);
  return pairs.map(([own, theirs]) => (hasLogarithms ? Math.log(theirs / own) : theirs - own));
}
