import { sum } from './mean';

/**
 * Cohen's kappa of two raters, one pair of categories per item: 1 is full agreement, 0 that of chance. Null without a
 * pair, or if chance agreement is 1.
 */
export function cohensKappa(pairs: readonly (readonly [number, number])[]): number | null {
  const [first, second] = [new Map<number, number>(), new Map<number, number>()];
  for (const [one, other] of pairs) {
    first.set(one, (first.get(one) ?? 0) + 1);
    second.set(other, (second.get(other) ?? 0) + 1);
  }
  const agreed = pairs.length * pairs.filter(([one, other]) => one === other).length;
  const byChance = sum([...first].map(([category, count]) => count * (second.get(category) ?? 0)));
  // All are numbers of pairs of items, so the comparison is exact.
  const most = pairs.length ** 2;
  return byChance === most ? null : (agreed - byChance) / (most - byChance);
}
