export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The mean of at least one value. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
