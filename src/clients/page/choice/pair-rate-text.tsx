import { ModelName } from '../compare/model-mark';
import type { PairRate } from './rates';

/** How often one model of a pair was preferred, in words. */
export function PairRateText({ rate: { better, other, text }, models }: { rate: PairRate; models: readonly string[] }) {
  return (
    <>
      <ModelName model={better} models={models} /> preferred to <bdi>{other}</bdi> in <span class="rate">{text}</span>
    </>
  );
}
