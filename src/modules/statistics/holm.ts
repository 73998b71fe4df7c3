/**
 * p-values of several tests adjusted by Holm's method, in the same order: calling those up to 5 % significant is wrong
 * about any of them in at most 5 % of cases.
 */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((left, right) => left.p - right.p);
  const adjusted = [...pValues];
  let previous = 0;
  for (const [rank, { p, index }] of order.entries()) {
    previous = Math.max(previous, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = previous;
  }
  return adjusted;
}
