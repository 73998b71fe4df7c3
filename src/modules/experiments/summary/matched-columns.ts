import { withoutMissing } from '../../statistics/clustered';
import { sortedQuantile } from '../../statistics/quantiles';
import { sixDigits } from '../../statistics/rounding';

/** The values of those rows; NaN where there is none. */
export function gather(values: ArrayLike<number>, indexes: readonly number[]): Float64Array {
  return Float64Array.from(indexes, (index) => values[index] ?? NaN);
}

/** The mean of the values of rows that the other column has too. */
export function meanBeside(values: Float64Array, other: Float64Array): number | null {
  const common = values.filter((value, row) => !Number.isNaN(value) && !Number.isNaN(other[row] ?? NaN));
  return common.length === 0 ? null : sixDigits(common.reduce((sum, value) => sum + value, 0) / common.length);
}

/** Null where it is a timeout, and without values. */
export function medianOf(values: Float64Array): number | null {
  const sorted = withoutMissing(values).sort();
  const median = sorted.length === 0 ? NaN : sortedQuantile(sorted, 0.5);
  return Number.isFinite(median) ? sixDigits(median) : null;
}
