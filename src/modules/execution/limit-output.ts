import type { Effort } from '../../common/effort';
import type { ExtraOptions } from '../evals/extra-options';
import type { ResultWarning } from '../evals/result.entity';
import type { Model } from '../models/catalog';

/** The output limit if the caller sets none. */
export const DEFAULT_MAX_TOKENS = 500;

/** The options that set the output limit, with defaults filled in. */
export interface OutputSettings {
  maxTokens: number;
  /** False when the output limit is the default. */
  isMaxTokensGiven: boolean;
  /** Options that few compares set; absent if none is set. */
  extra?: ExtraOptions | undefined;
}

/** The output limit of one call. */
export interface OutputLimit {
  /** The limit that is sent. All vendors count thought and text together, so it is their sum. */
  maxTokens: number;
  /** Of these, the room for thought. */
  reasoningTokens: number;
}

/**
 * The output limit for a model at the effort that is sent, cut to what the model can produce. Room for thought is cut
 * before room for text; a warning is given if the caller asked for more.
 */
export function limitOutput(
  options: OutputSettings,
  { reasoning, maxOutputTokens }: Pick<Model, 'reasoning' | 'maxOutputTokens'>,
  effort: Effort | undefined,
  warnings: ResultWarning[],
): OutputLimit {
  const limit = maxOutputTokens ?? Infinity;
  const text = Math.min(options.maxTokens, limit);
  const room = reasoning === undefined ? 0 : thoughtRoom(options, reasoning, effort);
  const reasoningTokens = Math.min(room, limit - text);
  // The caller did not ask for a default room, so nothing is said where a model has less.
  const isRoomCut = reasoningTokens < room && options.extra?.reasoning_tokens !== undefined;
  if (isRoomCut) {
    warnings.push({
      code: 'max_tokens_clamped',
      message: `This model produces at most ${limit} tokens, thought included; max_tokens and reasoning_tokens together were lowered to that limit, with ${reasoningTokens} for thought.`,
    });
  } else if (text < options.maxTokens) {
    warnings.push({
      code: 'max_tokens_clamped',
      message: `This model produces at most ${limit} tokens; max_tokens was lowered to that limit.`,
    });
  }
  return { maxTokens: text + reasoningTokens, reasoningTokens };
}

/**
 * The room that the caller asked for; without any limit of the caller, the catalog's allowance for models that are
 * known to think.
 */
function thoughtRoom(
  { isMaxTokensGiven, extra }: OutputSettings,
  reasoning: NonNullable<Model['reasoning']>,
  sent: Effort | undefined,
): number {
  const effort = reasoning.mandatory ? 'always' : (sent ?? reasoning.default);
  // Room that no thought can use would let the text be longer than max_tokens.
  if (effort === 'none') return 0;
  return extra?.reasoning_tokens ?? (isMaxTokensGiven || effort === null ? 0 : reasoning.allowance);
}
