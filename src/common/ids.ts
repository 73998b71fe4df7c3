import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

/** The kinds of things that have an id; the kind is its prefix. */
export type IdKind = 'eval' | 'user' | 'key' | 'rsv' | 'chg' | 'req';

/** A new id such as `eval_01k…`: 26 characters that sort by time (to the millisecond) and end in 80 random bits. */
export function newId(kind: IdKind, at: Date): string {
  return `${kind}_${ulid(at.getTime(), randomFraction).toLowerCase()}`;
}

/** Whether a text has the form of an id of that kind, so that it is worth a look-up. */
export function isId(kind: IdKind, text: string): boolean {
  return text.length === kind.length + 27 && text.startsWith(`${kind}_`) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(kind.length + 1));
}

const RANDOM_BYTES = new Uint8Array(4096);
let taken = RANDOM_BYTES.length;

// Bytes fetched in bulk: by itself ulid asks the system for each of its 16 random characters, which made ids one twentieth of a compare.
function randomFraction(): number {
  if (taken === RANDOM_BYTES.length) {
    randomFillSync(RANDOM_BYTES);
    taken = 0;
  }
  const byte = RANDOM_BYTES[taken] ?? 0;
  taken += 1;
  return byte / 256;
}
