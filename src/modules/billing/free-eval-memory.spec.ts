import { FreeEvalMemory } from './free-eval-memory';

describe('FreeEvalMemory', () => {
  let nowMs = 0;
  const memory = () => new FreeEvalMemory({ monotonicMs: () => nowMs });

  test('knows nothing about a user it has not seen, unless there is no quota at all', () => {
    expect(memory().isUsedUp('user', '2026-11', 1)).toBe(false);
    expect(memory().isUsedUp('user', '2026-11', 0)).toBe(true);
  });

  test.each([
    [99, false],
    [100, true],
    [101, true],
  ])('treats a quota of 100 with %d settled free evals as used up: %s', (count, expected) => {
    const seen = memory();
    seen.note('user', '2026-11', count);
    expect(seen.isUsedUp('user', '2026-11', 100)).toBe(expected);
    expect(seen.isUsedUp('another', '2026-11', 100)).toBe(false);
  });

  test('says nothing about another month', () => {
    const seen = memory();
    seen.note('user', '2026-11', 100);
    expect(seen.isUsedUp('user', '2026-12', 100)).toBe(false);
  });

  test('is valid for five seconds and no longer, and again after it was renewed', () => {
    const seen = memory();
    nowMs = 1000;
    seen.note('user', '2026-11', 100);
    nowMs += 4999;
    expect(seen.isUsedUp('user', '2026-11', 100)).toBe(true);
    nowMs += 2;
    expect(seen.isUsedUp('user', '2026-11', 100)).toBe(false);
    seen.note('user', '2026-11', 100);
    expect(seen.isUsedUp('user', '2026-11', 100)).toBe(true);
  });
});
