import type { Effort } from '../../common/effort';
import type { CompletionRequest } from './provider';

/** The fewest tokens of thought that a vendor with budgets takes. */
export const MIN_THINKING_BUDGET = 1024;

/** Where no room was set apart, thought gets this part of the limit, and the text the rest. */
const SHARE_OF_LIMIT = 0.8;

/** The part of the room that a lower effort gets. */
const SHARES: Partial<Record<Effort, number>> = { minimal: 0.1, low: 0.25, medium: 0.5 };

/**
 * The tokens of thought for an effort above `none`, at models that take a number in place of an effort; undefined where
 * there is too little room.
 */
export function thinkingBudget(
  effort: Effort,
  { maxTokens, reasoningTokens = 0 }: Pick<CompletionRequest, 'maxTokens' | 'reasoningTokens'>,
): number | undefined {
  const room = reasoningTokens > 0 ? reasoningTokens : Math.floor(maxTokens * SHARE_OF_LIMIT);
  return room < MIN_THINKING_BUDGET
    ? undefined
    : Math.max(MIN_THINKING_BUDGET, Math.floor(room * (SHARES[effort] ?? 1)));
}
