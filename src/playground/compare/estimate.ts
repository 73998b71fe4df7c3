import type { Estimate } from '../../client/client';
import { shortAmount } from '../../client/amount-text';
import { groupDigits } from './limits';

/** What a compare will cost, as the form says it. */
export interface EstimateText {
  text: string;
  /** With all digits. */
  title: string;
  /** Set when money will be charged though the chosen models are covered by the free evals. */
  warning: string | undefined;
}

/** The sentence above Run. */
export function estimateText({ cost_usd: cost, charge_usd: charge, free, free_evals_remaining: left }: Estimate, areModelsFree: boolean): EstimateText {
  if (free) {
    return {
      text: `At most ${shortAmount(cost.most)} · free, ${groupDigits(left)} left`,
      title: `The models cost at most $${cost.most}. This eval is free: nothing is charged. Free evals left this month: ${groupDigits(left)}.`,
      warning: undefined,
    };
  }
  const isOut = areModelsFree && left === 0;
  return {
    text: `At most ${shortAmount(charge.most)}, ${shortAmount(charge.least)} or more`,
    title: `You are charged $${charge.most} at most and $${charge.least} at least. The models cost $${cost.least} to $${cost.most}.`,
    warning: isOut ? `No free evals left: at most ${shortAmount(charge.most)} will be charged.` : undefined,
  };
}

/** What one model of a compare will cost; undefined for a model that the estimate does not know. */
export function modelEstimateText({ models, free }: Estimate, id: string): string | undefined {
  const estimate = models.find(({ model }) => model === id);
  if (estimate === undefined) return undefined;
  const { cost_usd: cost, charge_usd: charge, estimated_input_tokens: input, max_output_tokens: output } = estimate;
  const range = free ? cost : charge;
  return `${shortAmount(range.least)} to ${shortAmount(range.most)}${free ? ', free' : ''}: about ${groupDigits(input)} tokens in, at most ${groupDigits(output)} out`;
}
