import fc from 'fast-check';
import { countTokens } from './token-count';

describe('countTokens', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['hello', 1],
    ['hello world', 2],
    ['hello world hello world', 4],
  ])('returns, for %j, %d', (text, count) => {
    expect(countTokens(text)).toBe(count);
  });

  test('treats the special tokens of a vendor as plain text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
    expect(countTokens('<|im_start|>system')).toBeGreaterThan(2);
  });

  test('returns at least one for any text and at most one for each of its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }), (text) => {
        const count = countTokens(text);
        expect(count).toBeGreaterThanOrEqual(1);
        expect(count).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
    );
  });

  test('grows with the text, however long it is', () => {
    const once = countTokens('one two three four ');
    const often = countTokens('one two three four '.repeat(1000));
    expect(often / once).toBeGreaterThan(750);
    expect(often / once).toBeLessThan(1250);
  });

  test.each([
    ['one huge word', 'x'.repeat(128_000)],
    ['halves of surrogate pairs', '\uD83D'.repeat(5000)],
    ['pairs that a cut may part', `a${'\u{1F600}'.repeat(3000)}`],
  ])('accepts %s', (_, text) => {
    expect(countTokens(text)).toBeGreaterThan(100);
  });
});
