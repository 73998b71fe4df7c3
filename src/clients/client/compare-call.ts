import { withInclude, type Call, type CallOptions, type IncludeOptions } from './transport';

export const COMPARE = '/api/v1/compare';

/** Options of a compare beside its body. */
export interface CompareOptions extends CallOptions, IncludeOptions {
  /** Names the compare, so that sending it again is no second one; made up where none is given. */
  idempotencyKey?: string;
}

/** The request of a compare, which may be sent again. */
export function compareCall(
  body: unknown,
  { idempotencyKey = newIdempotencyKey(), ...options }: CompareOptions,
  accept: string,
  path = COMPARE,
): Call {
  return {
    ...options,
    method: 'POST',
    path,
    query: withInclude(options),
    body,
    headers: { accept, 'idempotency-key': idempotencyKey },
    isRepeatable: true,
  };
}

/**
 * Options of a rerun: `maxCostUsd` refuses it with 402 if it could cost more; the default is the `max_cost_usd` of the
 * eval.
 */
export type RerunOptions = CompareOptions & { maxCostUsd?: number };

/** The request of a rerun, which may be sent again. */
export function rerunCall({ maxCostUsd, ...options }: RerunOptions, path: string): Call {
  return compareCall(
    { ...(maxCostUsd !== undefined && { options: { max_cost_usd: maxCostUsd } }) },
    options,
    'application/json',
    path,
  );
}

/** Made up for each call. Not `crypto.randomUUID`, which browsers have on secure pages only. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
