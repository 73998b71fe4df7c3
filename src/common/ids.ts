import { randomFillSync } from 'node:crypto';
import { encodeTime, ulid } from 'ulid';

/** The kinds of things that have an id; the kind is its prefix. */
export type IdKind = 'eval' | 'user' | 'key' | 'rsv' | 'chg' | 'req' | 'aud';

/** A new id such as `eval_01k…`: 26 characters that sort by time (to the millisecond) and end in 80 random bits. */
export function newId(kind: IdKind, at: Date): string {
  return `${kind}_${ulid(at.getTime(), randomFraction).toLowerCase()}`;
}

/** Whether a text has the form of an id of that kind, so that it is worth a look-up. */
export function isId(kind: IdKind, text: string): boolean {
  return text.length === kind.length + 27 && text.startsWith(`${kind}_`) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(kind.length + 1));
}

/** Not greater than any id that is made at that instant or later, and greater than all made before. */
export function firstIdAt(kind: IdKind, at: Date): string {
  return `${kind}_${encodeTime(at.getTime()).toLowerCase()}${'0'.repeat(16)}`;
}

// Taken from the system in bulk, each byte used once: ulid itself would ask for every letter, which costs fifty times as much as the rest of an id.
const random = Buffer.alloc(4096);
let used = random.length;

/** From 0 to less than 1, with the eight bits of a random byte. */
function randomFraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += 1;
  return random.readUInt8(used - 1) / 256;
}
