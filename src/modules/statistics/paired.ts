import { binomialCdf, tTwoSidedP } from './distributions';
import { meanOf } from './intervals';
import { sum } from './mean';
import { mulberry32, seedOf } from './mulberry32';

/** Up to this number of differences, every choice of signs is tried. */
const MAX_EXACT = 16;
/** Up to this number, signs are drawn at random; above it, the mean is close enough to normal for Student's t. */
const MAX_DRAWN = 200;
const DRAWS = 20_000;
/** Up to this number of signs, the numbers of choices are exact as floats. */
const MAX_COUNTED = 50;

/**
 * Two-sided p-value of paired differences under the hypothesis that each could as well have had the other sign; 1 when
 * none differs from 0.
 * Signs that are drawn come from `seed`, so the same question always has the same answer.
 */
export function signFlipP(differences: readonly number[], seed: string): number {
  const sums = differences.filter((difference) => difference !== 0).map(Math.abs);
  const [first] = sums;
  if (first === undefined) return 1;
  const total = Math.abs(sum(differences));
  // With equal sizes only the number of positive ones matters: the exact sign test, for two outcomes McNemar's.
  if (sums.every((size) => isSame(size, first)))
    return signTestP(differences.filter((difference) => difference > 0).length, sums.length);
  // Sums that differ only by rounding count as equal.
  const atLeast = total - 1e-9 * sum(sums);
  if (sums.length <= MAX_EXACT) return exactP(sums, atLeast);
  if (sums.length <= MAX_DRAWN) return drawnP(sums, atLeast, mulberry32(seedOf(seed)));
  return studentP(differences.filter((difference) => difference !== 0));
}

function isSame(left: number, right: number): boolean {
  return Math.abs(left - right) <= 1e-12 * right;
}

function signTestP(positive: number, n: number): number {
  const fewer = Math.min(positive, n - positive);
  return Math.min(1, 2 * (n <= MAX_COUNTED ? countedShare(fewer, n) : binomialCdf(fewer, n, 0.5)));
}

/**
 * The share of the choices of `n` signs with at most `k` positive ones: counted in whole numbers, so that 2 of 1,024 is
 * exactly that.
 */
function countedShare(k: number, n: number): number {
  let choices = 1;
  let counted = 0;
  for (let positive = 0; positive <= k; positive++) {
    counted += choices;
    choices = (choices * (n - positive)) / (positive + 1);
  }
  return counted / 2 ** n;
}

/** Tries all signs but the first one's: a choice and its mirror image have the same size. */
function exactP([first = 0, ...others]: readonly number[], atLeast: number): number {
  const choices = 2 ** others.length;
  const sums = signedSums(others);
  let extreme = 0;
  for (let choice = 0; choice < choices; choice++) {
    if (Math.abs(first + sumOf(sums, choice, 0)) >= atLeast) extreme++;
  }
  return extreme / choices;
}

function drawnP(sizes: readonly number[], atLeast: number, random: () => number): number {
  const sums = signedSums(sizes);
  let extreme = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0;
    // Each random number provides 32 signs.
    for (let start = 0; start < sums.length; start += 4) sum += sumOf(sums, (random() * 2 ** 32) | 0, start);
    if (Math.abs(sum) >= atLeast) extreme++;
  }
  return (1 + extreme) / (1 + DRAWS);
}

/**
 * For each 8 sizes, their sums by the 256 choices of signs: looking them up is faster than adding. A set bit makes a
 * size negative.
 */
function signedSums(sizes: readonly number[]): Float64Array[] {
  return Array.from({ length: Math.ceil(sizes.length / 8) }, (_, index) => {
    const ofByte = sizes.slice(8 * index, 8 * index + 8);
    return Float64Array.from({ length: 256 }, (_choice, bits) =>
      ofByte.reduce((total, size, bit) => total + ((bits >>> bit) & 1 ? -size : size), 0),
    );
  });
}

/** The sum of up to 32 sizes with the signs of these bits, from the table at `start` on. */
function sumOf(sums: readonly Float64Array[], bits: number, start: number): number {
  let total = 0;
  const end = Math.min(sums.length, start + 4);
  for (let index = start; index < end; index++) total += sums[index]?.[(bits >>> (8 * (index - start))) & 255] ?? 0;
  return total;
}

function studentP(differences: readonly number[]): number {
  const { mean, standardError } = meanOf(differences);
  return tTwoSidedP(mean / (standardError ?? 1), differences.length - 1);
}
