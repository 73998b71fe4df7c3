import { estimatedTokens } from './tokens';

describe('estimated tokens', () => {
  test.each([['', 0], ['a', 1], ['abc', 1], ['abcd', 2], ['x'.repeat(300), 100], ['x'.repeat(301), 101]])('of %j are %d, one for three characters begun', (text, count) => {
    expect(estimatedTokens(text)).toBe(count);
  });
});
