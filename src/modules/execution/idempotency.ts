import { createHash } from 'node:crypto';
import type { ReservationNeed } from '../billing/reservation.types';
import type { CompareSettings } from './adapt-parameters';
import type { CompareCommand } from './compare.types';
import { DEFAULT_MAX_TOKENS } from './limit-output';

/** The fingerprint of an Idempotency-Key: everything that the caller asked for. */
export function idempotencyOf({
  idempotencyKey: key,
  prompt,
  input,
  models,
  options,
  maxCost,
  samples,
  checks,
  rerunOf,
  isStored,
}: CompareCommand): ReservationNeed['idempotency'] {
  if (key === undefined) return undefined;
  // Optional members come last, so that compares without them keep their earlier fingerprint.
  const own = {
    ...(samples > 1 && { samples }),
    ...(checks.length > 0 && { checks }),
    ...(rerunOf !== undefined ? { rerunOf } : explicitDefault(options)),
    ...options.extra,
    ...(isStored === false && { store: false }),
  };
  const more = Object.keys(own).length > 0 ? [own] : [];
  const request = JSON.stringify([
    prompt,
    input ?? null,
    models,
    options.temperature,
    options.maxTokens,
    maxCost?.toString() ?? null,
    ...more,
  ]);
  return { key, fingerprint: createHash('sha256').update(request).digest('hex') };
}

/**
 * An explicit 500 leaves no default room for thought, so it differs from no limit. A rerun takes its limit from its
 * eval.
 */
function explicitDefault({ isMaxTokensGiven, maxTokens }: CompareSettings): { max_tokens?: number } {
  return isMaxTokensGiven && maxTokens === DEFAULT_MAX_TOKENS ? { max_tokens: maxTokens } : {};
}
