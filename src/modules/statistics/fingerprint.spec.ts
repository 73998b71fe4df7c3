import { fingerprint, Numbering } from './fingerprint';

describe('A fingerprint', () => {
  test('is a short text itself, and short for a long one', () => {
    expect(fingerprint('abc')).toBe('abc');
    expect(fingerprint('a'.repeat(100))).toBe('a'.repeat(100));
    for (const length of [101, 1_000_000]) expect(fingerprint('a'.repeat(length))).toHaveLength(51);
  });

  test('distinguishes long texts, also by lone surrogates', () => {
    const long = 'a'.repeat(200);
    expect(new Set([long, `${long}a`, `${long}\ud800`, `${long}\ud801`, `${long}\ufffd`].map(fingerprint)).size).toBe(
      5,
    );
  });
});

describe('A numbering', () => {
  test('gives the same text the same number, from 0', () => {
    const numbers = new Numbering();
    const long = 'long '.repeat(100);
    expect(['a', long, 'a', `${long}.`, long].map((text) => numbers.numberOf(text))).toEqual([0, 1, 0, 2, 1]);
  });
});
