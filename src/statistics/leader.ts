import { meanInterval, serialMeanInterval, type Interval } from './intervals';
import { signFlipP } from './paired';
import type { Steps } from './steps';

/** Below so many rounds no difference can be told from luck: of five, each in the same direction, p is 0.0625. */
export const MIN_ROUNDS = 6;
/** Queues and caches of one moment can make an equal model slower by up to this ratio. */
export const MIN_SERIAL_RATIO = 1.25;
const ALPHA = 0.05;
/** Ratios that differ by rounding only count as equal. */
const ROUNDING = 1e-9;

/** One measure of a model in each round, such as latencies: undefined where it has none, infinite where it is above any other. */
export interface Contender {
  name: string;
  rounds: readonly (number | undefined)[];
}

/** A contender beside the leader, in the rounds that both have. */
export interface Rival {
  name: string;
  rounds: number;
  /** The rounds in which the rival was ahead. */
  lost: number;
  /** Whether the mean over the rounds favors the leader. */
  isBehind: boolean;
  /** Whether both measures are the same in each round, so that there is nothing to test; never where rounds share a moment. */
  isSettled: boolean;
  /** Geometric mean of the rival's measure over the leader's, and its 95 % interval; undefined and null where nothing can be divided, the interval also where nothing varied. */
  ratio: number | undefined;
  interval: Interval | null;
  /** Whether it is behind by more than luck and moments make. */
  isSure: boolean;
  /** 1 where the rounds favor the rival; null with too few. */
  pValue: number | null;
}

/** How sure it is that a leader is ahead of every other contender. */
export interface Lead {
  confident: boolean;
  /** The largest p-value against any of them; null where there is none to compare with, or too few rounds. */
  pValue: number | null;
  /** The contender that is hardest to tell from the leader: by too few common rounds, else by doubt, else by its p-value. */
  rival: Rival | undefined;
}

/** Whether `leader` is ahead of each of `others`. Every one must be behind, so nothing is corrected for their number. With `isSerial`, rounds share a moment: neighbors may be alike, and a small ratio is never sure. */
export function* leadOver(leader: Contender, others: readonly Contender[], isSerial: boolean): Steps<Lead> {
  const rivals: Rival[] = [];
  for (const other of others) {
    rivals.push(versus(leader, other, isSerial));
    yield;
  }
  const [rival] = rivals.toSorted((left, right) => doubt(right) - doubt(left));
  const pValues = rivals.flatMap(({ pValue }) => pValue ?? []);
  return { confident: rival?.isSure ?? false, pValue: rival === undefined || hasTooFew(rival) || pValues.length === 0 ? null : Math.max(...pValues), rival };
}

/** Larger for rivals that are harder to tell from the leader. */
function doubt(rival: Rival): number {
  return hasTooFew(rival) ? 2 + 1 / (1 + rival.rounds) : (rival.isSure ? 0 : 1) + (rival.pValue ?? 0) / 2;
}

function hasTooFew({ pValue, isSettled }: Rival): boolean {
  return pValue === null && !isSettled;
}

function versus(leader: Contender, other: Contender, isSerial: boolean): Rival {
  const pairs = commonRounds(leader, other);
  const finite = pairs.filter((pair) => pair.every(Number.isFinite));
  const { sizes, ratio } = sizesOf(finite);
  // Beside what is infinite only directions can be compared.
  const steps = finite.length === pairs.length ? sizes : pairs.map(([own, theirs]) => Math.sign(theirs - own));
  const interval = (isSerial ? serialMeanInterval : meanInterval)(steps);
  const isBehind = sum(steps) > 0 && (sizes.length === 0 || sum(sizes) > 0);
  const isSettled = !isSerial && pairs.length > 1 && pairs.every(([own, theirs]) => own === pairs[0]?.[0] && theirs === pairs[0][1]);
  const p = pairs.length < MIN_ROUNDS ? null : signFlipP(steps, `${leader.name}|${other.name}`);
  const isClear = isSettled || (p !== null && p <= ALPHA && (interval === null || interval[0] > 0));
  return {
    name: other.name, rounds: pairs.length, lost: pairs.filter(([own, theirs]) => theirs < own).length, isBehind, isSettled, ratio,
    interval: interval === null || ratio === undefined || steps !== sizes ? null : [Math.exp(interval[0]), Math.exp(interval[1])],
    isSure: isBehind && isClear && (!isSerial || (ratio ?? Infinity) >= MIN_SERIAL_RATIO - ROUNDING),
    pValue: p === null || isBehind ? p : 1,
  };
}

type Pair = readonly [own: number, theirs: number];

/** The rounds that both have; where both are infinite, nothing is known. */
function commonRounds(leader: Contender, other: Contender): Pair[] {
  return leader.rounds.flatMap((own, round): Pair[] => {
    const theirs = other.rounds[round];
    return own === undefined || theirs === undefined || (own === Infinity && theirs === Infinity) ? [] : [[own, theirs]];
  });
}

/** ln(other / leader) of each pair with the ratio of their mean; plain differences where a value of 0 has no logarithm. */
function sizesOf(pairs: readonly Pair[]): { sizes: number[]; ratio: number | undefined } {
  if (pairs.length === 0 || pairs.some(([own, theirs]) => own === 0 || theirs === 0)) return { sizes: pairs.map(([own, theirs]) => theirs - own), ratio: undefined };
  const sizes = pairs.map(([own, theirs]) => Math.log(theirs / own));
  return { sizes, ratio: Math.exp(sum(sizes) / sizes.length) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
