import type { CompletionUsage } from 'openai/resources/completions';
import type { TokenUsage } from './provider';

/** Usage as the vendors of this protocol send it, their own additions included. */
export interface ChatUsage extends Partial<CompletionUsage> {
  /** DeepSeek's name for cached input. */
  prompt_cache_hit_tokens?: number;
  /** Mistral's. */
  num_cached_tokens?: number;
  prompt_token_details?: { cached_tokens?: number };
  /** OpenRouter: what it charges, in USD. */
  cost?: number | null;
  /** xAI: what it charges, in ten-thousand-millionths of a USD. */
  cost_in_usd_ticks?: number | null;
}

/**
 * Brings the counts to one meaning. Cached and reasoning tokens stand inside the totals; where a vendor counts reasoning beside
 * completion_tokens (xAI, Gemini) the total is larger than the sum by it, so output is what the total leaves. Undefined when something is missing.
 */
export function usageOf(usage: ChatUsage): TokenUsage | undefined {
  const { prompt_tokens: inputTokens, completion_tokens: completion, total_tokens: total } = usage;
  if (!isCount(inputTokens) || (!isCount(completion) && !isCount(total))) return undefined;
  // Bounded, so that a vendor's slip can never make a cost negative.
  const cachedInputTokens = Math.min(inputTokens, countOf(cachedTokens(usage)));
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens: Math.min(inputTokens - cachedInputTokens, countOf(usage.prompt_tokens_details?.cache_write_tokens)),
    outputTokens: Math.max(completion ?? 0, (total ?? 0) - inputTokens),
    reasoningTokens: countOf(usage.completion_tokens_details?.reasoning_tokens),
  };
}

const TICKS_PER_USD = 10_000_000_000;

/** What the vendor says the call costs, in USD as a plain decimal; undefined when it does not say. */
export function statedCostOf({ cost, cost_in_usd_ticks: ticks }: ChatUsage): string | undefined {
  if (isCount(ticks)) return `${Math.floor(ticks / TICKS_PER_USD)}.${String(ticks % TICKS_PER_USD).padStart(10, '0')}`;
  return typeof cost === 'number' && cost >= 0 ? cost.toFixed(12) : undefined;
}

function cachedTokens(usage: ChatUsage): number | undefined {
  return usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_token_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.num_cached_tokens;
}

function countOf(value: number | null | undefined): number {
  return isCount(value) ? value : 0;
}

function isCount(value: number | null | undefined): value is number {
  return Number.isSafeInteger(value) && (value ?? -1) >= 0;
}
