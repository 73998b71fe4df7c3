import type { TokenLimits } from '../billing/pricing';
import type { TokenUsage } from '../providers/provider';

/** A half of a usage. */
export type Side = 'input' | 'output';

/** The counts a call is charged by, and how they came about. */
export interface SettledUsage {
  /** Whole numbers, never above what was possible; parts never exceed their wholes. */
  counts: TokenUsage;
  /** What we counted ourselves, because the vendor did not or its count cannot be true. */
  estimated: readonly Side[];
  /** What the vendor counted above anything possible. */
  aboveLimit: readonly Side[];
  /** The vendor's own counts where they differ from `counts`; they may be any numbers. */
  reported: TokenUsage | undefined;
}

// Far above any context window, and low enough that the tokens of an eval fit an integer of the database.
const MAX_TOKENS = 100_000_000;

/** More characters than the tokens of any text stand for on average. The longest that tokenizers in use have are runs of one character or of white space, which count as one here. */
const MAX_CHARACTERS_PER_TOKEN = 32;

/** The least tokens that a text can be counted as. */
export function minTokens(text: string): number {
  let characters = 0;
  let previous = '';
  for (const character of text.replace(/\s+/g, ' ')) {
    if (character !== previous) characters += 1;
    previous = character;
  }
  return Math.ceil(characters / MAX_CHARACTERS_PER_TOKEN);
}

/** About as many tokens as a text has, from its length alone: one for four bytes. */
export function roughTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The sides of a vendor's usage that are missing or cannot be true: no whole numbers, beyond any context window, or too few for the text. */
export function implausibleSides(usage: TokenUsage | undefined, prompt: string, answer: string): Side[] {
  if (usage === undefined) return ['input', 'output'];
  return [...(canBeTrue(usage.inputTokens, prompt) ? [] : ['input' as const]), ...(canBeTrue(usage.outputTokens, answer) ? [] : ['output' as const])];
}

/** The sides of a usage that are above what was possible. */
export function sidesAbove({ inputTokens, outputTokens }: TokenUsage, limits: TokenLimits): Side[] {
  return [...(inputTokens > limits.inputTokens ? ['input' as const] : []), ...(outputTokens > limits.outputTokens ? ['output' as const] : [])];
}

/** The counts cut to what was possible. Of the input, what was neither read from the cache nor written to it is cut first, so that nothing gets dearer. */
export function clampUsage(usage: TokenUsage, limits: TokenLimits): TokenUsage {
  const inputTokens = partOf(limits.inputTokens, usage.inputTokens);
  const outputTokens = partOf(limits.outputTokens, usage.outputTokens);
  const cachedInputTokens = partOf(inputTokens, usage.cachedInputTokens);
  const cacheWriteTokens = partOf(inputTokens - cachedInputTokens, usage.cacheWriteTokens);
  return { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens: partOf(outputTokens, usage.reasoningTokens) };
}

/** What a vendor claims, as far as money can be made of it. */
export function toReportedUsage(usage: TokenUsage): TokenUsage {
  return clampUsage(usage, { inputTokens: MAX_TOKENS, outputTokens: MAX_TOKENS });
}

/** Whether two usages say the same. */
export function isSameUsage(left: TokenUsage, right: TokenUsage): boolean {
  return (Object.keys(left) as (keyof TokenUsage)[]).every((kind) => left[kind] === right[kind]);
}

function canBeTrue(count: number, text: string): boolean {
  if (!Number.isInteger(count) || count < 0 || count > MAX_TOKENS) return false;
  // The text is only looked at where its length leaves a doubt.
  return count * MAX_CHARACTERS_PER_TOKEN >= text.length || count >= minTokens(text);
}

/** A count within its whole; what is no count is none. */
function partOf(whole: number, count: number): number {
  return count > 0 ? Math.min(whole, Math.floor(count)) : 0;
}
