import type { Fault } from './vendor.script';

/** The faults that are refusals with a distinct status. */
export const STATUS_FAULTS = [
  'bad-key',
  'quota',
  'rate-limit',
  'overload',
  'server-error',
  'context-too-long',
  'content-refused',
  'model-not-found',
  'bad-request',
] as const satisfies readonly Fault[];

export type StatusFault = (typeof STATUS_FAULTS)[number];

/** A refusal: status and the parsed body. */
export interface VendorError {
  status: number;
  body: unknown;
}

/** How one vendor refuses. */
export type ErrorTable = Record<StatusFault, VendorError>;

/**
 * Strings that must never leave the service: a key, an organization, an address.
 * Every error body of the server that real vendors fill with such things carries one; they all contain this word.
 */
export const MARKER = 'MARKER';

/** The key that `bad-key` bodies quote in full, although real vendors mask the middle of it. */
export function canaryKey(prefix: string): string {
  return `${prefix}${MARKER}4f9a2b7c0d1e8f6a5b3c`;
}

/**
 * The words that `bad-request` adds to what the vendor says: the service passes those on, so here redaction has to
 * work.
 */
export function canaryWords(prefix: string, address: string): string {
  return `(key ${canaryKey(prefix)}, request req_${MARKER}0123456789, see ${address})`;
}
