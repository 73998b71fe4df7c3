import stringWidth from 'string-width';
import { fit, harmless, harmlessJson, oneLine, truncate, wrap } from './text';

const HOSTILE = [
  '\u001b[2J\u001b[31mred',
  '\u001b]0;title\u0007',
  '\u001b]8;;https://example.com\u001b\\link',
  '\u009b31mC1',
  'a\rb',
  'a\u0008b',
  '\u007f',
  'a\u202eb\u2066c',
  '\ud800',
  '\u0000',
];
const HARMFUL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('harmless', () => {
  it.each(HOSTILE)('leaves nothing of %j that a terminal obeys', (text) => {
    expect(harmless(text)).not.toMatch(HARMFUL);
    expect(harmless(text).isWellFormed()).toBe(true);
    expect(harmlessJson(JSON.stringify(text))).not.toMatch(HARMFUL);
    expect(JSON.parse(harmlessJson(JSON.stringify(text)))).toBe(text);
  });

  it('shows control characters as symbols, and keeps lines, right-to-left text and emoji', () => {
    expect(harmless('\u001b[31m\r\n\tשלום 👩‍👩‍👧\u2028x')).toBe('␛[31m\n    שלום 👩‍👩‍👧\nx');
    expect(oneLine(' a\n\n b\tc ')).toBe('a b c');
  });
});

describe('Text in columns', () => {
  it.each([
    'abc',
    'a long word: donaudampfschifffahrt',
    '日本語のテキスト',
    '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧',
    'e\u0301e\u0301e\u0301e\u0301',
    '',
  ])('%j is as wide as asked for', (text) => {
    for (const width of [1, 4, 9]) {
      expect(stringWidth(fit(text, width))).toBe(width);
      expect(stringWidth(truncate(text, width))).toBeLessThanOrEqual(width);
      if (width > 1) for (const line of wrap(text, width)) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  it('keeps indentation, but not the blank at which a line was broken', () => {
    expect(wrap('  one two\n    x', 6)).toEqual(['  one', 'two', '    x']);
  });
});
