import { ApiError } from '../../common/errors';
import type { Idempotency, IdempotencyState } from './reservation.types';

/**
 * The eval that an Idempotency-Key in this state stands for. @throws ApiError idempotency_key_in_use,
 * idempotency_key_reused
 */
export function replayOf(state: IdempotencyState, { fingerprint }: Idempotency): string | undefined {
  if (state === undefined) return undefined;
  if (state === 'running') throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1 });
  if (state.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
  return state.evalId;
}

/** The error if two requests with one key came at the same instant: the database lets one of them reserve. */
export function asKeyInUse(error: unknown): unknown {
  const isTaken = (error as { code?: unknown }).code === '23505';
  return isTaken ? new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1, cause: error }) : error;
}
