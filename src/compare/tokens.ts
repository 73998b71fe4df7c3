import type { TokenUsage } from '../providers/provider';

// Encoding a single huge word costs time with the square of its length.
const PIECE_CHARACTERS = 2000;

let tokenizer: Promise<{ countTokens(text: string, options: { disallowedSpecial: Set<string> }): number }> | undefined;

/** Tokens of a text by OpenAI's o200k encoding; near enough for other vendors too, and never less than one for a text. */
export async function countTokens(text: string): Promise<number> {
  // Loaded only when a vendor did not count: it is large.
  tokenizer ??= import('gpt-tokenizer/encoding/o200k_base');
  const encoding = await tokenizer;
  let tokens = 0;
  for (let from = 0; from < text.length; from += PIECE_CHARACTERS) {
    tokens += encoding.countTokens(text.slice(from, from + PIECE_CHARACTERS), { disallowedSpecial: new Set() });
  }
  return tokens;
}

// Far above any context window, and low enough that the tokens of an eval fit an integer of the database.
const MOST_TOKENS = 100_000_000;

/** Whether counts can be true; a vendor that slips must not take the whole eval with it. */
export function arePossible({ inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens }: TokenUsage): boolean {
  const counts = [inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens];
  return counts.every((count) => Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS) && cachedInputTokens + cacheWriteTokens <= inputTokens;
}

/** What a call used, counted by ourselves because the vendor did not say; never more output than was asked for, which bounds what was promised. */
export async function estimatedUsage(prompt: string, output: string, maxTokens: number): Promise<TokenUsage> {
  const [inputTokens, outputTokens] = [await countTokens(prompt), await countTokens(output)];
  return { inputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: Math.min(outputTokens, maxTokens), reasoningTokens: 0 };
}
