import { isWellFormedToken, newToken } from '../auth/token.format';

const PREFIX = 'mcs_share_';

/** A new token of a share link: 178 random bits and a checksum. */
export function newShareToken(): string {
  return newToken(PREFIX);
}

export function isWellFormedShareToken(text: string): boolean {
  return isWellFormedToken(PREFIX, text);
}
