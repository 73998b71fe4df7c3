import fc, { type Arbitrary } from 'fast-check';
import { NASTY_BODIES, type NastyBody } from '../support/nasty-bodies';

type Make = (bytes: number) => string;

const SMALL = [
  '0',
  '""',
  'null',
  'true',
  '[]',
  '{}',
  '[[]]',
  '{"a":{}}',
  '1e400',
  '-0',
  '"\\ud800"',
  '"\\u0000"',
  '"x"',
  '"2026-01-01T00:00:00Z"',
];

const repeated = (bytes: number, piece: (i: number) => string) => {
  const pieces: string[] = [];
  for (let length = 0; length < bytes;) length += (pieces[pieces.push(piece(pieces.length)) - 1]?.length ?? 0) + 1;
  return pieces.join(',');
};

/** Ways to make something large of something small. */
const GROWN: readonly ((inner: string) => Make)[] = [
  (inner) => (bytes) => `[${repeated(bytes, () => inner)}]`,
  (inner) => (bytes) => `{${repeated(bytes, (i) => `"k${i}":${inner}`)}}`,
  (inner) => (bytes) => `{${repeated(bytes, (i) => `"${i * 7919}":${inner}`)}}`,
  (inner) => (bytes) => `{${repeated(bytes, () => `"same":${inner}`)}}`,
  (inner) => (bytes) => `{"${'n'.repeat(bytes)}":${inner}}`,
  (inner) => (bytes) => `${'['.repeat(bytes / 2)}${inner}${']'.repeat(bytes / 2)}`,
  (inner) => (bytes) => `${'{"a":'.repeat(bytes / 6)}${inner}${'}'.repeat(bytes / 6)}`,
  (inner) => (bytes) => `${`[${inner},`.repeat(bytes / (inner.length + 3))}0${']'.repeat(bytes / (inner.length + 3))}`,
  (inner) => (bytes) => JSON.stringify(inner.repeat(bytes / (2 * inner.length))),
  () => (bytes) => '7'.repeat(bytes),
];

const small = fc.constantFrom(...SMALL);
/** One thing grown out of another that is itself small or a little grown. */
const grown: Arbitrary<Make> = fc
  .tuple(
    fc.constantFrom(...GROWN),
    fc.oneof(
      small,
      fc
        .tuple(fc.constantFrom(...GROWN), small, fc.integer({ min: 10, max: 3000 }))
        .map(([grow, inner, bytes]) => grow(inner)(bytes)),
    ),
  )
  .map(([grow, inner]) => grow(inner));

/** Random bodies of about `bytes` bytes: a few documented members and others, each grown from a seed. */
export function nastyBodies(members: readonly string[], bytes: number): Arbitrary<string> {
  const name = fc.constantFrom(...members, 'unknown', 'toString');
  return fc
    .array(fc.tuple(name, grown, fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 5 })
    .map((parts) => {
      const whole = parts.reduce((sum, [, , share]) => sum + share, 0);
      return `{${parts.map(([key, make, share]) => `"${key}":${make(Math.floor((bytes * 0.45 * share) / whole))}`).join(',')}}`;
    });
}

/** The bodies of the list, as the fuzzer sends them. */
export function listedBodies(members: readonly string[], bytes: number): Arbitrary<string> {
  return fc.constantFrom(...NASTY_BODIES).map((body: NastyBody) => body.make(members, bytes));
}
