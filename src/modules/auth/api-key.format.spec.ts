import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { hashOf, isWellFormed, newSecret, visiblePrefix } from './api-key.format';

const PEPPER = 'pepper-0123456789abcdef';
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A text with the character at that position replaced by another one. */
function withLetter(text: string, position: number, letter: string): string {
  return text.slice(0, position) + letter + text.slice(position + 1);
}

describe('A new API key', () => {
  test('consists of mcs_ and 36 letters and digits, and is well formed', () => {
    for (let i = 0; i < 200; i += 1) {
      const secret = newSecret();
      expect(secret).toMatch(/^mcs_[0-9A-Za-z]{36}$/);
      expect(isWellFormed(secret)).toBe(true);
    }
  });

  test('carries at least 160 random bits: thirty positions that each take all 62 letters', () => {
    const secrets = Array.from({ length: 2000 }, newSecret);
    expect(new Set(secrets).size).toBe(secrets.length);
    for (let position = 4; position < 34; position += 1) {
      expect(new Set(secrets.map((secret) => secret[position])).size).toBe(LETTERS.length);
    }
    expect(30 * Math.log2(LETTERS.length)).toBeGreaterThanOrEqual(160);
  });
});

describe('The format of an API key', () => {
  const secret = newSecret();

  test('rejects a key with any one mistyped letter', () => {
    for (let position = 0; position < secret.length; position += 1) {
      for (const letter of LETTERS) {
        const typed = withLetter(secret, position, letter);
        if (typed !== secret)
          expect({ typed, isWellFormed: isWellFormed(typed) }).toEqual({ typed, isWellFormed: false });
      }
    }
  });

  test('rejects a key with any two neighboring letters swapped', () => {
    for (let position = 4; position < secret.length - 1; position += 1) {
      const [left = '', right = ''] = secret.slice(position, position + 2);
      const typed = withLetter(withLetter(secret, position, right), position + 1, left);
      expect(isWellFormed(typed)).toBe(left === right);
    }
  });

  test.each([
    ['nothing', ''],
    ['the prefix alone', 'mcs_'],
    ['a blank before', ` ${secret}`],
    ['a blank after', `${secret} `],
    ['a line break after', `${secret}\n`],
    ['one letter too few', secret.slice(0, -1)],
    ['one letter too many', `${secret}0`],
    ['no prefix', secret.slice(4)],
    ['a foreign prefix', `sk-_${secret.slice(4)}`],
    ['a capital prefix', `MCS_${secret.slice(4)}`],
    ['a letter outside the alphabet', withLetter(secret, 10, 'é')],
    ['two keys', secret + secret],
  ])('rejects %s', (_, text) => {
    expect(isWellFormed(text)).toBe(false);
  });

  test('rejects any 36 letters that somebody makes up', () => {
    const letters = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 36, maxLength: 36 });
    fc.assert(
      fc.property(letters, (text) => !isWellFormed(`mcs_${text}`)),
      { numRuns: 2000 },
    );
  });
});

describe('The hash of an API key', () => {
  test('is the HMAC-SHA-256 of the key under the pepper, in hexadecimal', () => {
    // RFC 4231, test case 2.
    expect(hashOf('what do ya want for nothing?', 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
    const secret = newSecret();
    expect(hashOf(secret, PEPPER)).toBe(createHmac('sha256', PEPPER).update(secret).digest('hex'));
  });

  test('changes with the key and with the pepper and does not contain the key', () => {
    const [one, other] = [newSecret(), newSecret()];
    const hashes = [hashOf(one, PEPPER), hashOf(other, PEPPER), hashOf(one, `${PEPPER}!`)];
    expect(new Set(hashes).size).toBe(3);
    expect(hashes.join()).not.toContain(one.slice(4, 14));
  });
});

describe('The visible prefix of an API key', () => {
  test('is the start of the key and leaves more than 128 random bits unseen', () => {
    const secret = newSecret();
    const visible = visiblePrefix(secret);
    expect(secret.startsWith(visible)).toBe(true);
    expect(visible.startsWith('mcs_')).toBe(true);
    const unseenRandom = 30 - (visible.length - 4);
    expect(visible.length).toBeGreaterThan(6);
    expect(unseenRandom * Math.log2(LETTERS.length)).toBeGreaterThan(128);
  });
});
