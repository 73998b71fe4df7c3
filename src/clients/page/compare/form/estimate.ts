import { shortAmount } from '../../../client/amount-text';
import type { Estimate, Model } from '../../../client/client';
import { priceRange } from '../../money';
import { DEFAULT_MAX_TOKENS, groupDigits } from '../limits';
import type { FormContent } from './form-content';

/** The price of a compare, in the words of the form. */
interface EstimateText {
  text: string;
  /** With all digits. */
  title: string;
  /** Set when money will be charged though the chosen models are covered by the free evals. */
  warning: string | undefined;
}

/** The sentence above Run, for models with `samples` calls each. */
export function estimateText(
  { cost_usd: cost, charge_usd: charge, free, free_evals_remaining: left }: Estimate,
  areModelsFree: boolean,
  samples = 1,
): EstimateText {
  if (free) {
    return {
      text: `free, ${groupDigits(left)} left`,
      title: `The models cost at most $${cost.most}. This eval is free: nothing is charged. Free evals left this month: ${groupDigits(left)}.`,
      warning: undefined,
    };
  }
  const text = priceRange(charge.least, charge.most);
  return {
    text,
    title: `You are charged $${charge.most} at most and $${charge.least} at least. The models cost $${cost.least} to $${cost.most}.`,
    warning:
      areModelsFree && text !== 'costs nothing' ? warningText(shortAmount(charge.most), left, samples) : undefined,
  };
}

function warningText(most: string, left: number, samples: number): string | undefined {
  if (samples > 1) return `More than one sample is never free: at most ${most} will be charged.`;
  return left === 0 ? `No free evals left: at most ${most} will be charged.` : undefined;
}

/**
 * The cost of 1,000 calls of each model whose answers use all of `max_tokens`, in USD, without room for thought and
 * prices by length. Without an estimate, four characters count as a token.
 */
export function costsOfCalls(
  models: readonly Model[],
  estimate: Estimate | undefined,
  { prompt, input, maxTokens }: Pick<FormContent, 'prompt' | 'input' | 'maxTokens'>,
): Map<Model, number> {
  const counted = estimate?.models.map((model) => model.estimated_input_tokens) ?? [];
  const inputTokens = counted.length === 0 ? Math.ceil((prompt.length + input.length) / 4) : Math.max(...counted);
  const outputTokens = Number(maxTokens) || Number(DEFAULT_MAX_TOKENS);
  return new Map(
    models.map((model) => [
      model,
      (inputTokens * Number(model.input_per_1m) + outputTokens * Number(model.output_per_1m)) / 1000,
    ]),
  );
}

/** The price of one model of a compare; undefined for a model that the estimate does not know. */
export function modelEstimateText({ models, free }: Estimate, id: string): string | undefined {
  const estimate = models.find(({ model }) => model === id);
  if (estimate === undefined) return undefined;
  const { cost_usd: cost, charge_usd: charge, estimated_input_tokens: input, max_output_tokens: output } = estimate;
  const { least, most } = free ? cost : charge;
  return `${priceRange(least, most)}${free ? ', free' : ''}: about ${groupDigits(input)} tokens in, at most ${groupDigits(output)} out`;
}
