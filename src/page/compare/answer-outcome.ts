import type { Result, RunResult } from '../../client/client';
import { groupDigits } from './limits';

/** The message of an ended answer without text. */
interface EmptyAnswer {
  sentence: string;
  /** A limit with which it may be better; undefined where the limit was not the reason. */
  raiseTo: number | undefined;
}

const RAISE_BY = 4;
/** The service takes no more. */
const MAX_TOKENS = 16_384;

/** Why an answer has no text. */
export function emptyAnswer(result: RunResult | Result | undefined, maxTokens: number | undefined): EmptyAnswer {
  const isCut = result?.details?.finish_reason === 'length' || warningsOf(result).some(({ code }) => code === 'output_truncated');
  if (!isCut) return { sentence: 'No text. The model ended its answer before the first word.', raiseTo: undefined };
  const spent = result?.output_tokens;
  const count = typeof spent === 'number' && spent > 0 ? `all ${groupDigits(spent)} tokens` : 'all its tokens';
  const raiseTo = maxTokens === undefined || maxTokens >= MAX_TOKENS ? undefined : Math.min(MAX_TOKENS, maxTokens * RAISE_BY);
  return { sentence: `No text. The model spent ${count} on reasoning (max_tokens).`, raiseTo };
}

/** The warnings of a result, as far as they can be read. */
export function warningsOf(result: RunResult | Result | undefined): { code: string; message: string }[] {
  const warnings: unknown = result?.warnings;
  if (!Array.isArray(warnings)) return [];
  return warnings.flatMap((warning: unknown) => {
    const { code, message } = (warning ?? {}) as Record<string, unknown>;
    return typeof message === 'string' ? [{ code: typeof code === 'string' ? code : 'unknown', message }] : [];
  });
}

/** The announcement of a model's end. */
export function endSentence(result: RunResult | Result): string {
  const { model } = result;
  if (result.error !== undefined) return `${model} failed: ${result.error.message}`;
  return `${model} finished, ${(result.latency_ms / 1000).toFixed(1)} seconds`;
}
