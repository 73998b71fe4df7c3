/**
 * Chance that at least one of `k` attempts passes, without bias, after `passed` of `n` did (k ≤ n): pass@k. @throws
 * RangeError where k is not between 1 and n
 */
export function anyPassRate(passed: number, n: number, k: number): number {
  return 1 - chosenAmong(n - passed, n, k);
}

/**
 * Chance that all of `k` attempts pass, without bias, after `passed` of `n` did (k ≤ n): pass^k. The rate to the power
 * of k would say too much. @throws RangeError where k is not between 1 and n
 */
export function allPassRate(passed: number, n: number, k: number): number {
  return chosenAmong(passed, n, k);
}

/** Chance that `k` drawn from `n` without putting back are all among the `special` ones. */
function chosenAmong(special: number, n: number, k: number): number {
  if (!(k >= 1 && k <= n && special >= 0 && special <= n)) throw new RangeError(`There are no ${k} of ${n}.`);
  let chance = 1;
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, special - drawn) / (n - drawn);
  return chance;
}
