import type { Result, RunResult } from './types';

/**
 * The vendor's name for the model that answered in place of the asked model. The service decides which names mean
 * another model; older services leave some of these members out.
 */
export function substituteOf(result: RunResult | Result | undefined): string | undefined {
  const warnings: unknown = result?.warnings;
  const isSubstituted = [
    result?.error,
    ...(Array.isArray(warnings) ? (warnings as ({ code?: unknown } | null)[]) : []),
  ].some((remark) => remark?.code === 'model_substituted');
  return isSubstituted ? (result?.details?.answered_by ?? undefined) : undefined;
}
