import { sum } from './mean';

/**
 * Cohen's kappa of two raters: by how much they agree beyond chance, 1 for always and 0 for no more than chance.
 * `counts[i][j]` says how often the first said i and the second j; null where chance alone would agree always.
 */
export function cohensKappa(counts: readonly (readonly number[])[]): number | null {
  const total = sum(counts.map(sum));
  const observed = sum(counts.map((row, i) => row[i] ?? 0)) / total;
  const byChance = sum(counts.map((row, i) => sum(row) * sum(counts.map((other) => other[i] ?? 0)))) / total ** 2;
  return total === 0 || byChance === 1 ? null : (observed - byChance) / (1 - byChance);
}
