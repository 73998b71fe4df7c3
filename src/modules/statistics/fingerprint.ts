import { createHash } from 'node:crypto';

/** Longer texts have a fingerprint shorter than themselves. */
const MAX_PLAIN_CHARACTERS = 100;

/**
 * A short text that is the same for the same text only, to find long texts in a Map: V8 hashes those above 16,383
 * characters by their length alone.
 */
export function fingerprint(text: string): string {
  return text.length <= MAX_PLAIN_CHARACTERS
    ? text
    : `sha256 ${createHash('sha256').update(text, 'utf16le').digest('base64')}`;
}

/** Gives every text a number: the same text the same, from 0 in the order of their first sight. */
export class Numbering {
  private readonly numbers = new Map<string, number>();

  numberOf(text: string): number {
    const name = fingerprint(text);
    const number = this.numbers.get(name) ?? this.numbers.size;
    this.numbers.set(name, number);
    return number;
  }
}
