import type { TokenUsage } from '../provider';

/** The token counts that a message and its stream events share. */
export interface MessageUsage {
  input_tokens: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  output_tokens: number;
  output_tokens_details?: { thinking_tokens: number } | null;
}

/**
 * Anthropic counts cache reads and writes beside `input_tokens`, and thinking inside `output_tokens`. Undefined when
 * the input was not counted.
 */
export function convertAnthropicUsage(usage: MessageUsage): TokenUsage | undefined {
  if (typeof usage.input_tokens !== 'number' || typeof usage.output_tokens !== 'number') return undefined;
  const cachedInputTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return {
    inputTokens: usage.input_tokens + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: usage.output_tokens,
    reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}
