import { Money } from '../common/money';
import type { Result } from '../evals/result.entity';

/** The cost of a result as if the vendor had cached none of its input, in USD: repeats of a prompt are cached, calls in production are not. */
export function costWithoutCache({ cost, details }: Pick<Result, 'cost' | 'details'>): Money {
  const { rates, cachedInputTokens, cacheWriteTokens } = details;
  if (rates === null) return cost;
  const input = Money.of(rates.input);
  const read = input.minus(Money.of(rates.cachedInput)).perMillion(cachedInputTokens);
  return cost.plus(read).plus(input.minus(Money.of(rates.cacheWrite)).perMillion(cacheWriteTokens));
}
