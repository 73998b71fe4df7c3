import fc from 'fast-check';
import { arePossible, countTokens, estimatedUsage } from './tokens';

describe('counted tokens', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['hello', 1],
    ['hello world', 2],
    ['hello world hello world', 4],
  ])('of %j are %d', async (text, count) => {
    expect(await countTokens(text)).toBe(count);
  });

  test('are those of plain text also for what is special to a vendor', async () => {
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(1);
    expect(await countTokens('<|im_start|>system')).toBeGreaterThan(2);
  });

  test('are at least one for any text and at most one for each of its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }), async (text) => {
        const count = await countTokens(text);
        expect(count).toBeGreaterThanOrEqual(1);
        expect(count).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
    );
  });

  test('grow with the text, however long it is', async () => {
    const once = await countTokens('one two three four ');
    const often = await countTokens('one two three four '.repeat(1000));
    expect(often / once).toBeGreaterThan(750);
    expect(often / once).toBeLessThan(1250);
  });

  test.each([['one huge word', 'x'.repeat(128_000)], ['halves of surrogate pairs', '\uD83D'.repeat(5000)], ['pairs that a cut may part', `a${'\u{1F600}'.repeat(3000)}`]])('can be had for %s', async (_, text) => {
    expect(await countTokens(text)).toBeGreaterThan(100);
  });
});

describe('an estimated usage', () => {
  test('counts the prompt as input and the answer as output, and nothing else', async () => {
    expect(await estimatedUsage('hello world', 'hello', 500)).toEqual({ inputTokens: 2, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0 });
    expect(await estimatedUsage('', '', 500)).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  test('never has more output than was asked for, which is what was promised', async () => {
    expect(await estimatedUsage('', 'one two three', 3)).toMatchObject({ outputTokens: 3 });
    expect(await estimatedUsage('', 'one two three', 2)).toMatchObject({ outputTokens: 2 });
  });
});

describe('counts of a vendor', () => {
  const counts = { inputTokens: 10, cachedInputTokens: 4, cacheWriteTokens: 6, outputTokens: 5, reasoningTokens: 5 };

  test.each([[counts], [{ ...counts, inputTokens: 100_000_000 }], [{ ...counts, outputTokens: 100_000_000 }], [{ inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 }]])('are possible: %j', (possible) => {
    expect(arePossible(possible)).toBe(true);
  });

  test.each([[{ inputTokens: -1 }], [{ inputTokens: 10.5 }], [{ inputTokens: NaN }], [{ inputTokens: 100_000_001 }], [{ outputTokens: 100_000_001 }], [{ outputTokens: -1 }], [{ cachedInputTokens: 5 }], [{ cacheWriteTokens: -6 }], [{ reasoningTokens: -1 }]])('are not: %j', (slip) => {
    expect(arePossible({ ...counts, ...slip })).toBe(false);
  });
});
