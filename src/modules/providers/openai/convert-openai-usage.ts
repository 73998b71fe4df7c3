import type { CompletionUsage } from 'openai/resources/completions';
import type { TokenUsage } from '../provider';

/** Usage as the vendors of this protocol send it, their own additions included. */
export interface ChatUsage extends Partial<CompletionUsage> {
  /** DeepSeek's name for cached input. */
  prompt_cache_hit_tokens?: number;
  /** Mistral's. */
  num_cached_tokens?: number;
  prompt_token_details?: { cached_tokens?: number };
  /** OpenRouter: what it charges, in USD. */
  cost?: number | null;
  /**
   * OpenRouter: true if the account has its own key of the vendor, which is then paid `upstream_inference_cost` beside
   * `cost`.
   */
  is_byok?: boolean | null;
  cost_details?: { upstream_inference_cost?: number | null } | null;
  /** xAI: what it charges, in ten-thousand-millionths of a USD. */
  cost_in_usd_ticks?: number | null;
}

/**
 * Normalizes the counts. Cached and reasoning tokens are inside the totals; if a vendor counts reasoning beside
 * completion_tokens (xAI, Gemini) the total is larger than the sum by it, so output is what the total leaves. Undefined
 * when something is missing.
 */
export function convertOpenAiUsage(usage: ChatUsage): TokenUsage | undefined {
  const { prompt_tokens: inputTokens, completion_tokens: completion, total_tokens: total } = usage;
  // Any number is handed on: whether it can be true is judged where the prompt and the answer are known.
  if (!isNumber(inputTokens) || (!isNumber(completion) && !isNumber(total))) return undefined;
  // Bounded, so that a vendor's slip can never make a cost negative.
  const cachedInputTokens = Math.min(inputTokens, countOf(cachedTokens(usage)));
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens: Math.min(
      inputTokens - cachedInputTokens,
      countOf(usage.prompt_tokens_details?.cache_write_tokens),
    ),
    outputTokens: outputTokens(completion, total, inputTokens),
    reasoningTokens: countOf(usage.completion_tokens_details?.reasoning_tokens),
  };
}

const TICKS_PER_USD = 10_000_000_000;
// A larger number is not the cost of a call, and would be written with an exponent.
const MAX_REPORTED_USD = 1_000_000_000;

/** The cost that the vendor states for the call, in USD as a plain decimal; undefined if it states none. */
export function reportedCostUsd({
  cost,
  is_byok,
  cost_details,
  cost_in_usd_ticks: ticks,
}: ChatUsage): string | undefined {
  if (isCount(ticks)) return `${Math.floor(ticks / TICKS_PER_USD)}.${String(ticks % TICKS_PER_USD).padStart(10, '0')}`;
  const parts: unknown[] = is_byok === true ? [cost, cost_details?.upstream_inference_cost] : [cost];
  return parts.every(isAmount) ? parts.reduce((sum, part) => sum + part, 0).toFixed(12) : undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_REPORTED_USD;
}

function cachedTokens(usage: ChatUsage): number | undefined {
  return (
    usage.prompt_tokens_details?.cached_tokens ??
    usage.prompt_token_details?.cached_tokens ??
    usage.prompt_cache_hit_tokens ??
    usage.num_cached_tokens
  );
}

function countOf(value: number | null | undefined): number {
  return isCount(value) ? value : 0;
}

// An impossible input makes no total meaningful.
function outputTokens(completion: number | undefined, total: number | undefined, inputTokens: number): number {
  if (!isNumber(completion)) return (total ?? 0) - inputTokens;
  return isNumber(total) && inputTokens >= 0 ? Math.max(completion, total - inputTokens) : completion;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isCount(value: number | null | undefined): value is number {
  return Number.isSafeInteger(value) && (value ?? -1) >= 0;
}
