import { costOf } from '../billing/pricing';
import { Money } from '../../common/money';
import type { Rates } from '../models/catalog';
import type { Result, ResultDetails } from '../evals/result.entity';

export type PricedResult = Pick<Result, 'cost' | 'inputTokens' | 'outputTokens' | 'details'>;

export function tokensOf({
  inputTokens,
  outputTokens,
  details: { cachedInputTokens, cacheWriteTokens, reasoningTokens },
}: PricedResult): Parameters<typeof costOf>[0] {
  return { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens };
}

export function priceOf(rates: NonNullable<ResultDetails['rates']>): Rates {
  return {
    input: Money.of(rates.input),
    cachedInput: Money.of(rates.cachedInput),
    cacheWrite: Money.of(rates.cacheWrite),
    output: Money.of(rates.output),
  };
}

/**
 * The quotient of two amounts as a plain decimal, rounded to 12 decimals; 1 for a base of zero, as of models on the
 * operator's own servers.
 */
export function ratioOf(amount: Money, base: Money): string {
  return base.compare(Money.zero) === 0 ? '1' : (Number(amount.toString()) / Number(base.toString())).toFixed(12);
}

/**
 * The cost of tokens at that list price: the price itself, or the share of it that the vendor charged for the result if
 * it stated a cost below the list price.
 */
export function costAt(listed: Money, result: PricedResult): Money {
  const {
    cost,
    details: { rates, statedCost },
  } = result;
  return statedCost === undefined || rates === null
    ? listed
    : cost.times(ratioOf(listed, costOf(tokensOf(result), priceOf(rates)).cost));
}
