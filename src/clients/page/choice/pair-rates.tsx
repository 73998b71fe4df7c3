import type { Preferences } from '../../client/client';
import { ModelName } from '../compare/models/model-mark';

/** A pair of models in words. */
interface PairRate {
  better: string;
  other: string;
  /** Such as "14 of 20 (48 to 85 %)". */
  text: string;
}

/** Calls of each model a month, for which its cost is shown. */
export const CALLS_PER_MONTH = 50_000;

/** How often one model was preferred to the other, pair by pair; a pair without a choice is left out. */
export function pairRates({ pairs }: Preferences): PairRate[] {
  return pairs.flatMap(({ models: [better = '', other = ''], preferred: { a }, evals, ci }) =>
    evals === 0 ? [] : [{ better, other, text: `${a} of ${evals}${intervalText(ci)}` }],
  );
}

/** Amounts of a month, all with cents. */
export function monthText(exact: string): string {
  const dollars = Number(exact);
  if (dollars > 0 && dollars < 0.005) return 'less than $0.01';
  return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

function intervalText(ci: readonly unknown[] | null | undefined): string {
  const [low, high] = (ci ?? []).map((end) => Math.round(Number(end) * 100));
  return low === undefined || high === undefined ? '' : ` (${low} to ${high} %)`;
}

/** How often one model of a pair was preferred, in words. */
export function PairRateText({ rate: { better, other, text }, models }: { rate: PairRate; models: readonly string[] }) {
  return (
    <>
      <ModelName model={better} models={models} /> preferred to <bdi>{other}</bdi> in <span class="rate">{text}</span>
    </>
  );
}
