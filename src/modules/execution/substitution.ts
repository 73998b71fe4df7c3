import { cheapestPrice } from '../billing/pricing';
import { substituteFor } from '../models/same-model';
import { ProviderError } from '../providers/provider.error';
import type { ModelOutcome } from './model-outcome';

/**
 * The call with the name of the model that answered, if it is not the requested one; the call then has that model's
 * price where it is lower.
 */
export function withSubstitute(call: ModelOutcome): ModelOutcome {
  const { priced, outcome } = call;
  if ('failure' in outcome) return call;
  const substitute = substituteFor(priced.model, outcome.completion.responseModel);
  if (substitute === undefined) return call;
  // Never a higher price: the caller was admitted with the maximum of the requested model.
  return {
    ...call,
    substitute,
    priced: { ...priced, price: cheapestPrice(outcome.usage.counts, priced.price, priced.pricesOf(substitute)) },
  };
}

/** The same call as a failure, for a caller that accepts no other model. */
export function refuseSubstitute(call: ModelOutcome): ModelOutcome {
  const {
    substitute = '',
    priced: { model },
    outcome: { latencyMs, attempts, totalMs },
  } = call;
  const message = `The vendor answered with ${substitute} instead of ${model.vendorModel}, and exact_model accepts no other model.`;
  return {
    ...call,
    outcome: { failure: new ProviderError('model_substituted', { message }), latencyMs, attempts, totalMs },
  };
}
