import { Money } from '../common/money';
import { ratesFor, type Price, type Rates } from '../models/catalogue';
import type { TokenUsage } from '../providers/provider';

/** What a model call costs us, to the last digit, and the rates it was computed with. */
export interface Cost {
  cost: Money;
  rates: Rates;
}

/** Cost of one call: each kind of token at its own rate. Reasoning is part of the output. */
export function costOf(usage: TokenUsage, price: Price): Cost {
  const rates = ratesFor(price, usage.inputTokens);
  const plainInput = usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens;
  const cost = Money.sum([
    rates.input.perMillion(plainInput),
    (rates.cachedInput ?? rates.input).perMillion(usage.cachedInputTokens),
    (rates.cacheWrite ?? rates.input).perMillion(usage.cacheWriteTokens),
    rates.output.perMillion(usage.outputTokens),
  ]);
  return { cost, rates };
}

/** What the user pays for a cost: cost × (1 + margin), exact; nothing for a free eval. */
export function chargeOf(cost: Money, margin: string, isFree: boolean): Money {
  return isFree ? Money.zero : cost.plus(cost.times(margin));
}

/** How the service charges, as it is told to callers. */
export interface Pricing {
  label: string;
  description: string;
  /** As a fraction. */
  margin: Money;
  freeModels: string[];
}

/** The pass-through scheme: the cost of the model calls plus a margin. */
export function passThrough(margin: string, freeModels: string[]): Pricing {
  const fraction = Money.of(margin);
  return { label: 'pass-through', description: `Model cost plus a ${fraction.times('100').toString()} percent margin.`, margin: fraction, freeModels };
}
