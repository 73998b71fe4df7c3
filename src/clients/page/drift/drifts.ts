import type { Drift } from '../../client/client';
import { answeredByText } from '../../client/drift-text';

/** The changes of one model. */
export type ModelDrift = Drift['models'][number];

/** How much more, such as "+12 %"; undefined where there is nothing to relate to. */
export function relativeChange(before: number | null, after: number | null): string | undefined {
  if (before === null || after === null || before === 0) return undefined;
  const percent = Math.round((after / before - 1) * 100);
  return percent === 0 ? '±0 %' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}

/** The changed settings, in words. */
export function settingsOf({
  vendor_model: vendor,
  answered_by: names,
  applied,
  prices,
}: Pick<ModelDrift, 'vendor_model' | 'answered_by' | 'applied' | 'prices'>): string[] {
  return [
    ...(vendor.changed ? [`the vendor’s model is now ${vendor.after}, was ${vendor.before}`] : []),
    ...(names.changed ? [answeredByText(names)] : []),
    ...(applied.changed ? ['other parameters were sent'] : []),
    ...(prices.changed ? ['the prices changed'] : []),
  ];
}
