import fc from 'fast-check';
import { isStorable, StorablePieces, toStorable } from './postgres-text';

const HIGH = '\uD83D';
const LOW = '\uDE00';
/** Any sequence of UTF-16 units, with halves of pairs and U+0000 often among them. */
const anyUnits = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u0000', HIGH, LOW, 'a', '\uFFFD'),
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  ),
});

/** True if a text survives UTF-8 and has no U+0000, as Postgres requires. */
function survivesUtf8(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text && !text.includes('\u0000');
}

describe('Text that Postgres can store', () => {
  test.each([
    ['the empty text', ''],
    ['plain words', 'good morning'],
    ['a whole surrogate pair', `a${HIGH}${LOW}b`],
    ['other control characters', '\u0001\t\n\u007f'],
    ['the replacement character itself', '\uFFFD'],
    ['the last code points', '\uFFFF\u{10FFFF}'],
  ])('includes %s', (_, text) => {
    expect(isStorable(text)).toBe(true);
    expect(toStorable(text)).toBe(text);
  });

  test.each([
    ['U+0000 alone', '\u0000', '\uFFFD'],
    ['U+0000 within', 'a\u0000b\u0000', 'a\uFFFDb\uFFFD'],
    ['a high half at the end', `a${HIGH}`, 'a\uFFFD'],
    ['a low half at the start', `${LOW}a`, '\uFFFDa'],
    ['a pair in the wrong order', `${LOW}${HIGH}`, '\uFFFD\uFFFD'],
    ['a half before a whole pair', `${HIGH}${HIGH}${LOW}`, `\uFFFD${HIGH}${LOW}`],
    ['a pair parted by U+0000', `${HIGH}\u0000${LOW}`, '\uFFFD\uFFFD\uFFFD'],
  ])('excludes %s, which is replaced by U+FFFD', (_, text, stored) => {
    expect(isStorable(text)).toBe(false);
    expect(toStorable(text)).toBe(stored);
  });

  test('is the text that UTF-8 can encode', () => {
    fc.assert(
      fc.property(anyUnits, (text) => expect(isStorable(text)).toBe(survivesUtf8(text))),
      { numRuns: 2000 },
    );
  });

  test('is always the result of a replacement, which keeps the length and leaves storable text unchanged', () => {
    fc.assert(
      fc.property(anyUnits, (text) => {
        const stored = toStorable(text);
        expect(survivesUtf8(stored)).toBe(true);
        expect(stored).toHaveLength(text.length);
        expect(stored === text).toBe(survivesUtf8(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('The storable pieces of a text', () => {
  const piecesOf = (given: readonly string[]) => {
    const pieces = new StorablePieces();
    return [...given.map((piece) => pieces.next(piece)), pieces.end()];
  };

  test.each([
    ['a pair in two pieces', [`a${HIGH}`, `${LOW}b`], ['a', `${HIGH}${LOW}b`, '']],
    ['a pair around an empty piece', [HIGH, '', LOW], ['', '', `${HIGH}${LOW}`, '']],
    ['a half that stays alone in the middle', [`a${HIGH}`, 'cb'], ['a', '\uFFFDcb', '']],
    ['a half that stays alone at the end', [`a${HIGH}`], ['a', '\uFFFD']],
    ['two halves of the same kind', [HIGH, HIGH, LOW], ['', '\uFFFD', `${HIGH}${LOW}`, '']],
    ['U+0000', ['a\u0000', 'b'], ['a\uFFFD', 'b', '']],
  ])('keep %s', (_, given, expected) => {
    expect(piecesOf(given)).toEqual(expected);
  });

  test('are each storable, and together the storable text, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(anyUnits), (given) => {
        const pieces = piecesOf(given);
        expect(pieces.every(isStorable)).toBe(true);
        expect(pieces.join('')).toBe(toStorable(given.join('')));
      }),
    );
  });
});
