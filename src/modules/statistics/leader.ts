import { meanInterval, serialMeanInterval, type Interval } from './intervals';
import { mean, sum } from './mean';
import { signFlipP } from './paired';

/** With fewer rounds every difference may be luck: of five, each in the same direction, p is 0.0625. */
export const MIN_ROUNDS = 6;
/** Queues and caches of one moment can make an equal model slower by up to this ratio. */
export const MIN_SERIAL_RATIO = 1.25;
const ALPHA = 0.05;

/**
 * One measure of a model in each round, such as latencies: undefined where it has none, infinite where it is above any
 * other.
 */
export interface Contender {
  name: string;
  rounds: readonly (number | undefined)[];
}

/**
 * A contender beside the leader, in the `rounds` that both have; in `lost` of them it was ahead, and `isBehind` says
 * whether their mean favors the leader.
 */
export interface Rival {
  name: string;
  rounds: number;
  lost: number;
  isBehind: boolean;
  /**
   * True where both measures are the same in each round, so that there is nothing to test; never where rounds share a
   * moment.
   */
  isSettled: boolean;
  /**
   * Geometric mean of the rival's measure over the leader's, and its 95 % interval; Infinity and null where nothing can
   * be divided, the interval also where nothing varied.
   */
  ratio: number;
  interval: Interval | null;
  /** True where it is behind by more than luck and moments make. */
  isSure: boolean;
  /** 1 where the rounds favor the rival; null with too few. */
  pValue: number | null;
}

/** How sure it is that a leader is ahead of every other contender. */
export interface Lead {
  confident: boolean;
  /** The largest p-value against any of them; null where there is none to compare with, or too few rounds. */
  pValue: number | null;
  /**
   * The contender that is hardest to tell from the leader: by too few common rounds, else by doubt, else by its
   * p-value.
   */
  rival: Rival | undefined;
}

/**
 * Tests the lead of `leader` over each of `others`. Every one must be behind, so nothing is corrected for their number.
 * With `isSerial`, rounds share a moment: neighbors may be alike, and a small ratio is never sure.
 */
export function leadOver(leader: Contender, others: readonly Contender[], isSerial: boolean): Lead {
  const rivals = others.map((other) => versus(leader, other, isSerial));
  const [rival] = rivals.toSorted((left, right) => doubt(right) - doubt(left));
  const pValues = rivals.flatMap(({ pValue }) => pValue ?? []);
  return {
    confident: rival?.isSure ?? false,
    pValue: rival === undefined || doubt(rival) > 2 || pValues.length === 0 ? null : Math.max(...pValues),
    rival,
  };
}

/** Larger for rivals that are harder to tell from the leader. */
function doubt(rival: Rival): number {
  return rival.pValue === null && !rival.isSettled
    ? 2 + 1 / (1 + rival.rounds)
    : (rival.isSure ? 0 : 1) + (rival.pValue ?? 0) / 2;
}

function versus(leader: Contender, other: Contender, isSerial: boolean): Rival {
  const pairs = commonRounds(leader, other);
  const { steps, stepInterval, total, ...size } = sizesOf(pairs, isSerial);
  const isBehind = sum(steps) > 0 && total >= 0;
  const isSettled =
    !isSerial && pairs.length > 1 && pairs.every(([own, theirs]) => own === pairs[0]?.[0] && theirs === pairs[0][1]);
  const pValue = pairs.length < MIN_ROUNDS ? null : signFlipP(isBehind ? steps : [], `${leader.name}|${other.name}`);
  const isSure =
    isBehind && (isSettled || isUnlikely(pValue, stepInterval)) && (!isSerial || size.ratio > MIN_SERIAL_RATIO - 1e-9);
  return {
    name: other.name,
    rounds: pairs.length,
    lost: pairs.filter(([own, theirs]) => theirs < own).length,
    isBehind,
    isSettled,
    isSure,
    pValue,
    ...size,
  };
}

function isUnlikely(pValue: number | null, interval: Interval | null): boolean {
  return pValue !== null && pValue <= ALPHA && (interval === null || interval[0] > 0);
}

type Pair = readonly [own: number, theirs: number];

/** The rounds that both have; where both are infinite, nothing is known. */
function commonRounds(leader: Contender, other: Contender): Pair[] {
  return leader.rounds.flatMap((own, round): Pair[] => {
    const theirs = other.rounds[round];
    return own === undefined || theirs === undefined || (own === Infinity && theirs === Infinity)
      ? []
      : [[own, theirs]];
  });
}

/**
 * ln(other / leader) of each finite pair, or the difference where a 0 has no logarithm. Steps are these, or their
 * directions where some pair is not finite.
 */
function sizesOf(
  pairs: readonly Pair[],
  isSerial: boolean,
): Pick<Rival, 'ratio' | 'interval'> & { steps: number[]; stepInterval: Interval | null; total: number } {
  const finite = pairs.filter((pair) => pair.every(Number.isFinite));
  const areRatios = finite.length > 0 && finite.every(([own, theirs]) => own > 0 && theirs > 0);
  const sizes = finite.map(([own, theirs]) => (areRatios ? Math.log(theirs / own) : theirs - own));
  const steps = finite.length === pairs.length ? sizes : pairs.map(([own, theirs]) => Math.sign(theirs - own));
  const stepInterval = (isSerial ? serialMeanInterval : meanInterval)(steps);
  const interval: Interval | null =
    stepInterval !== null && areRatios && steps === sizes
      ? [Math.exp(stepInterval[0]), Math.exp(stepInterval[1])]
      : null;
  return { steps, stepInterval, total: sum(sizes), ratio: areRatios ? Math.exp(mean(sizes)) : Infinity, interval };
}
