import { createHmac, randomInt, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'mcs_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new secret key: prefix, 178 random bits and a checksum, in the manner of GitHub's tokens. */
export function newSecret(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  return PREFIX + random + checksum(random);
}

/** Whether a text can be one of our keys at all; a mistyped key fails here, without the database. */
export function isWellFormed(secret: string): boolean {
  if (!FORM.test(secret)) return false;
  return checksum(secret.slice(PREFIX.length, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH);
}

/** What is stored instead of the key: its HMAC-SHA-256 under the pepper. */
export function hashOf(secret: string, pepper: string | KeyObject): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}

/** The part of a key that may be shown, long enough to tell keys apart. */
export function visiblePrefix(secret: string): string {
  return secret.slice(0, PREFIX.length + 6);
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
