import type { TokenLimits } from './pricing';
import type { TokenUsage } from '../providers/provider';

export type Side = 'input' | 'output';

/** The token counts a call is billed by, and how they were determined. */
export interface BilledUsage {
  /** Integers within the limits of the call; parts (cached, reasoning) never exceed their totals. */
  counts: TokenUsage;
  /** The sides we counted ourselves, because the vendor's count is missing or implausible. */
  estimated: readonly Side[];
  /** The sides for which the vendor reported more tokens than the call can have used. */
  aboveLimit: readonly Side[];
  /** The vendor's own counts where they differ from `counts`; not validated. */
  reported: TokenUsage | undefined;
}

// Far above any context window, and low enough that the token sum of an eval fits a Postgres integer.
const MAX_TOKENS = 100_000_000;

/**
 * An upper bound on the average characters per token of any text. The longest tokens of common tokenizers are runs of
 * one character or of whitespace, which count as one character here.
 */
const MAX_CHARACTERS_PER_TOKEN = 32;

export function minTokens(text: string): number {
  let characters = 0;
  let previous = '';
  for (const character of text.replace(/\s+/g, ' ')) {
    if (character !== previous) characters += 1;
    previous = character;
  }
  return Math.ceil(characters / MAX_CHARACTERS_PER_TOKEN);
}

/** A rough estimate of the tokens of a text from its length: one per four bytes of UTF-8. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * The sides of a reported usage that are missing or implausible: not an integer, above any context window, or too low
 * for the text.
 */
export function implausibleSides(usage: TokenUsage | undefined, prompt: string, output: string): Side[] {
  if (usage === undefined) return ['input', 'output'];
  return [
    ...(isPlausible(usage.inputTokens, prompt) ? [] : ['input' as const]),
    ...(isPlausible(usage.outputTokens, output) ? [] : ['output' as const]),
  ];
}

export function sidesAbove({ inputTokens, outputTokens }: TokenUsage, limits: TokenLimits): Side[] {
  return [
    ...(inputTokens > limits.inputTokens ? ['input' as const] : []),
    ...(outputTokens > limits.outputTokens ? ['output' as const] : []),
  ];
}

/** Reduces the counts to the limits. Uncached input is cut first, so that no token moves to a more expensive rate. */
export function clampUsage(usage: TokenUsage, limits: TokenLimits): TokenUsage {
  const inputTokens = clampPart(limits.inputTokens, usage.inputTokens);
  const outputTokens = clampPart(limits.outputTokens, usage.outputTokens);
  const cachedInputTokens = clampPart(inputTokens, usage.cachedInputTokens);
  const cacheWriteTokens = clampPart(inputTokens - cachedInputTokens, usage.cacheWriteTokens);
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens: clampPart(outputTokens, usage.reasoningTokens),
  };
}

/** Reported counts in a form that can be priced: integers up to MAX_TOKENS. */
export function toReportedUsage(usage: TokenUsage): TokenUsage {
  return clampUsage(usage, { inputTokens: MAX_TOKENS, outputTokens: MAX_TOKENS });
}

export function isSameUsage(left: TokenUsage, right: TokenUsage): boolean {
  return (Object.keys(left) as (keyof TokenUsage)[]).every((kind) => left[kind] === right[kind]);
}

function isPlausible(count: number, text: string): boolean {
  if (!Number.isInteger(count) || count < 0 || count > MAX_TOKENS) return false;
  // The text is scanned only when its length alone does not settle the question.
  return count * MAX_CHARACTERS_PER_TOKEN >= text.length || count >= minTokens(text);
}

/** A count as an integer between 0 and `total`; anything that is not a positive number becomes 0. */
function clampPart(total: number, count: number): number {
  return count > 0 ? Math.min(total, Math.floor(count)) : 0;
}
