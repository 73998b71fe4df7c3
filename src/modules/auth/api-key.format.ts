import { isWellFormedToken, newToken } from './token.format';

export { hashOf } from './token.format';

const PREFIX = 'mcs_';

export function newSecret(): string {
  return newToken(PREFIX);
}

export function isWellFormed(secret: string): boolean {
  return isWellFormedToken(PREFIX, secret);
}

/** The part of a key that may be shown, long enough to tell keys apart. */
export function visiblePrefix(secret: string): string {
  return secret.slice(0, PREFIX.length + 6);
}
