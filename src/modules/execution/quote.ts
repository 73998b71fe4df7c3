import { minCost, maxCost, tokenLimits } from '../billing/pricing';
import { Money } from '../../common/money';
import { ratesFor } from '../models/catalog';
import type { PricedModel } from '../models/models.service';
import { adaptParameters, type CompareSettings } from './adapt-parameters';
import type { FilledPrompt } from './prompt';

/** The maximum cost of calling one model, known before it is called. */
export interface Quote {
  priced: PricedModel;
  /** Maximum output tokens that will be requested. */
  maxTokens: number;
  /** Vendor cost in USD, without margin. */
  maxCost: Money;
}

/** The maximum cost of each model for a filled prompt. */
export function quotesFor(models: readonly PricedModel[], filled: FilledPrompt, options: CompareSettings): Quote[] {
  const { text: prompt, history } = filled;
  return models.map((priced) => {
    const { maxTokens, responseFormat } = adaptParameters(options, priced.model, priced.arm);
    return {
      priced,
      maxTokens,
      maxCost: maxCost(
        priced.price,
        tokenLimits({ prompt, system: options.extra?.system, history, responseFormat, maxTokens }, priced.model.vendor),
      ),
    };
  });
}

/** The maximum cost of that many samples of all models together, in USD. */
export function totalMaxCost(quotes: readonly Quote[], samples: number): Money {
  return Money.sum(quotes.map(({ maxCost }) => maxCost)).times(String(samples));
}

/** The cost of the counted input, and of half of the output that is allowed, in USD. */
export function likelyCost({ priced: { price }, maxTokens, maxCost: most }: Quote, inputTokens: number): Money {
  const { input, output } = ratesFor(price, inputTokens);
  const likely = input.perMillion(inputTokens).plus(output.perMillion(Math.ceil(maxTokens / 2)));
  return likely.compare(most) < 0 ? likely : most;
}

/** The minimum cost of one model in USD, for a prompt of about that many tokens. */
export function minCostOf({ priced, maxCost }: Quote, estimatedInputTokens: number): Money {
  const estimate = minCost(priced.price, estimatedInputTokens);
  // The estimated input tokens may exceed the limit behind maxCost; the minimum must never exceed the maximum.
  return estimate.compare(maxCost) < 0 ? estimate : maxCost;
}
