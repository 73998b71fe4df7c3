import { createHmac, randomInt, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** A new secret: prefix, 178 random bits and a checksum, in the manner of GitHub's tokens. */
export function newToken(prefix: string): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  return prefix + random + checksum(random);
}

/** True if a text has the form of a secret with that prefix; a mistyped one fails here, without the database. */
export function isWellFormedToken(prefix: string, text: string): boolean {
  const body = text.slice(prefix.length);
  if (!text.startsWith(prefix) || body.length !== RANDOM_LENGTH + CHECKSUM_LENGTH || !/^[0-9A-Za-z]+$/.test(body))
    return false;
  return checksum(body.slice(0, RANDOM_LENGTH)) === body.slice(RANDOM_LENGTH);
}

/** The stored form of a secret: its HMAC-SHA-256 under the pepper. */
export function hashOf(secret: string, pepper: string | KeyObject): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
