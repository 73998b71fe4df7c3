import { leastCost, mostCost, tokenLimits } from '../billing/pricing';
import { Money } from '../common/money';
import type { PricedModel } from '../models/models.service';
import { adapt, type Options } from './parameters';

/** What one model can cost for an order, before it is called. */
export interface Quote {
  priced: PricedModel;
  maxTokens: number;
  most: Money;
}

/** The most each model can cost for a prompt. */
export function quotesFor(models: readonly PricedModel[], prompt: string, options: Options): Quote[] {
  return models.map((priced) => {
    const { maxTokens } = adapt(options, priced.model);
    return { priced, maxTokens, most: mostCost(priced.price, tokenLimits(prompt, priced.model.vendor, maxTokens)) };
  });
}

/** The most the whole order can cost. */
export function mostOf(quotes: readonly Quote[]): Money {
  return Money.sum(quotes.map(({ most }) => most));
}

/** The least one model can cost for a prompt of about that many tokens. */
export function leastOf({ priced, most }: Quote, estimatedInputTokens: number): Money {
  const least = leastCost(priced.price, estimatedInputTokens);
  // An estimate may lie above what is certain; the range never turns round.
  return least.compare(most) < 0 ? least : most;
}
