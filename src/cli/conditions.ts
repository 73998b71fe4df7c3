import type { RunResult } from '../client/client';

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
export function conditionsOf({ details, error, warnings = [] }: RunResult): Conditions {
  const known: { applied?: Record<string, unknown>; tokens?: { reasoning: number }; answered_by?: string | null } = details ?? {};
  const { reasoning_effort: effort } = known.applied ?? {};
  const isSubstituted = [error, ...warnings].some((remark) => remark?.code === 'model_substituted');
  return { effort: typeof effort === 'string' ? effort : undefined, thought: known.tokens?.reasoning ?? 0, substitute: isSubstituted ? known.answered_by ?? undefined : undefined };
}
