import fc from 'fast-check';
import { firstIdAt, isId, newId, type IdKind } from './ids';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const KINDS: readonly IdKind[] = ['eval', 'user', 'key', 'rsv', 'chg', 'req', 'aud'];
const NOW = new Date('2026-11-20T10:00:00.123Z');
const BODY = '01kaghz3nv0123456789abcdef';

/** The instant that the first ten characters of an id's body spell. */
function instantOf(id: string): Date {
  const letters = [...id.slice(id.indexOf('_') + 1).slice(0, 10)];
  return new Date(letters.reduce((sum, letter) => sum * 32 + ALPHABET.indexOf(letter), 0));
}

describe('A new id', () => {
  test.each(KINDS)(
    'consists, for kind %s, of its prefix and 26 characters of the alphabet without i, l, o and u',
    (kind) => {
      expect(newId(kind, NOW)).toMatch(new RegExp(`^${kind}_[${ALPHABET}]{26}$`));
    },
  );

  test('is recognized as an id of its kind and of no other', () => {
    for (const kind of KINDS) {
      const id = newId(kind, NOW);
      expect(KINDS.filter((other) => isId(other, id))).toEqual([kind]);
    }
  });

  test('encodes the instant it was made for, to the millisecond', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(2), max: new Date('2999-12-31T23:59:59.999Z'), noInvalidDate: true }),
        (at) => {
          expect(instantOf(newId('eval', at)).toISOString()).toBe(at.toISOString());
        },
      ),
    );
  });

  test('sorts as text after every id of an earlier millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4e12 }), fc.integer({ min: 1, max: 1e9 }), (at, later) => {
        expect(newId('eval', new Date(at)) < newId('eval', new Date(at + later))).toBe(true);
      }),
    );
  });

  test('differs from ten thousand others of the same millisecond, so that none can be guessed from another', () => {
    const ids = Array.from({ length: 10_000 }, () => newId('eval', NOW));
    expect(new Set(ids).size).toBe(ids.length);
    // A counter in the random part would leave its first letters alone.
    expect(new Set(ids.map((id) => id.slice(15, 17))).size).toBeGreaterThan(500);
  });
});

describe('The format of an id', () => {
  test('accepts an unchanged id', () => {
    expect(isId('eval', `eval_${BODY}`)).toBe(true);
  });

  test.each([
    ['the empty text', ''],
    ['a prefix alone', 'eval_'],
    ['a body alone', BODY],
    ['another kind', `user_${BODY}`],
    ['capitals', `eval_${BODY.toUpperCase()}`],
    ['a capital prefix', `EVAL_${BODY}`],
    ['one character too few', `eval_${BODY.slice(1)}`],
    ['one character too many', `eval_${BODY}0`],
    ['a letter outside the alphabet', `eval_${BODY.slice(1)}u`],
    ['a space', ` eval_${BODY.slice(1)}`],
    ['a line break at the end', `eval_${BODY.slice(1)}\n`],
    ['an SQL quote', `eval_${BODY.slice(1)}'`],
    ['a U+0000', `eval_${BODY.slice(1)}\u0000`],
    ['a hyphen for the underscore', `eval-${BODY}`],
  ])('rejects %s', (_, text) => {
    expect(isId('eval', text)).toBe(false);
  });

  test('rejects any text that somebody makes up', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => !isId('key', text)));
  });
});

describe('The first id of an instant', () => {
  test('sorts after all ids made before and before all made then or later', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(2), max: new Date('9999-12-31'), noInvalidDate: true }), (at) => {
        const first = firstIdAt('eval', at);
        expect(isId('eval', first)).toBe(true);
        expect(newId('eval', at) >= first).toBe(true);
        expect(newId('eval', new Date(at.getTime() - 1)) < first).toBe(true);
      }),
    );
  });
});
