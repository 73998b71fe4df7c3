import { randomFillSync } from 'node:crypto';
import { encodeTime, ulid } from 'ulid';

/** The kinds of records that have an id; the kind is the id's prefix. */
export type IdKind = 'eval' | 'user' | 'key' | 'rsv' | 'chg' | 'req' | 'aud' | 'run' | 'shr' | 'ds' | 'exp';

/**
 * Creates an id such as `eval_01k…`: the prefix and a lowercase ULID, which sorts by time (to the millisecond) and ends
 * in 80 random bits.
 */
export function newId(kind: IdKind, at: Date): string {
  return `${kind}_${ulid(at.getTime(), randomFraction).toLowerCase()}`;
}

/** True if `text` is a well-formed id of that kind; any other text cannot be in the database. */
export function isId(kind: IdKind, text: string): boolean {
  return (
    text.length === kind.length + 27 &&
    text.startsWith(`${kind}_`) &&
    /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(kind.length + 1))
  );
}

/**
 * The lower bound of the ids created at or after `at`: greater than every earlier id and not greater than any later
 * one.
 */
export function firstIdAt(kind: IdKind, at: Date): string {
  return `${kind}_${encodeTime(at.getTime()).toLowerCase()}${'0'.repeat(16)}`;
}

// Random bytes are read from the system in bulk and each is used once; ulid on its own would make a system call for
// every character.
const random = Buffer.alloc(4096);
let used = random.length;

/** A random number in [0, 1) with eight bits of entropy, which is all ulid takes from it. */
function randomFraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += 1;
  return random.readUInt8(used - 1) / 256;
}
