import { Money } from '../../common/money';
import { costAt, type PricedResult } from './list-price';

/**
 * The cost of a result as if the vendor had cached none of its input, in USD: repeats of a prompt are cached, calls in
 * production are not.
 */
export function costWithoutCache(result: PricedResult): Money {
  const {
    cost,
    details: { rates, cachedInputTokens, cacheWriteTokens },
  } = result;
  if (rates === null) return cost;
  const input = Money.of(rates.input);
  const read = input.minus(Money.of(rates.cachedInput)).perMillion(cachedInputTokens);
  const written = input.minus(Money.of(rates.cacheWrite)).perMillion(cacheWriteTokens);
  return cost.plus(costAt(read.plus(written), result));
}
