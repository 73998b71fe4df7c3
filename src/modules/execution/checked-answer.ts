import type { CheckedAnswer } from '../checks/check-type';
import type { Result } from '../evals/result.entity';

/** The part of a result that checks read; undefined if its model gave no answer. */
export function checkedAnswer({
  output,
  latencyMs,
  cost,
  outputTokens,
  error,
  details,
}: Result): CheckedAnswer | undefined {
  if (error !== null) return undefined;
  return {
    text: output,
    finishReason: details.finishReason,
    latencyMs,
    firstTokenMs: details.ttftMs,
    cost,
    tokens: Math.max(0, outputTokens - details.reasoningTokens),
  };
}
