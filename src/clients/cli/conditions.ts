import type { RunResult } from '../client/client';
import { substituteOf } from '../client/substitute';

/** The conditions of an answer, where they are known. */
interface Conditions {
  /** The effort that was sent. */
  effort: string | undefined;
  /** Tokens of thought, a part of the output tokens. */
  thought: number;
  /** The model that answered in place of the asked model. */
  substitute: string | undefined;
}

/** Reads them from a result. Older services leave some of these members out. */
export function conditionsOf(result: RunResult): Conditions {
  const known: { applied?: Record<string, unknown>; tokens?: { reasoning: number } } = result.details ?? {};
  const { reasoning_effort: effort } = known.applied ?? {};
  return {
    effort: typeof effort === 'string' ? effort : undefined,
    thought: known.tokens?.reasoning ?? 0,
    substitute: substituteOf(result),
  };
}
