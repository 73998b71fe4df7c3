import { minCost, maxCost, tokenLimits } from '../billing/pricing';
import { Money } from '../common/money';
import type { PricedModel } from '../models/models.service';
import { adaptParameters, type CompareSettings } from './adapt-parameters';

/** What one model can cost for an order, before it is called. */
export interface Quote {
  priced: PricedModel;
  maxTokens: number;
  maxCost: Money;
}

/** The most each model can cost for a prompt. */
export function quotesFor(models: readonly PricedModel[], prompt: string, options: CompareSettings): Quote[] {
  return models.map((priced) => {
    const { maxTokens } = adaptParameters(options, priced.model);
    return { priced, maxTokens, maxCost: maxCost(priced.price, tokenLimits(prompt, priced.model.vendor, maxTokens)) };
  });
}

/** The most the whole order can cost. */
export function totalMaxCost(quotes: readonly Quote[]): Money {
  return Money.sum(quotes.map(({ maxCost }) => maxCost));
}

/** The least one model can cost for a prompt of about that many tokens. */
export function minCostOf({ priced, maxCost }: Quote, estimatedInputTokens: number): Money {
  const least = minCost(priced.price, estimatedInputTokens);
  // An estimate may lie above what is certain; the range never turns round.
  return least.compare(maxCost) < 0 ? least : maxCost;
}
