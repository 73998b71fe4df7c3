import { MAX_FAILURES_IN_A_ROW, Pace } from './pace';

const GOOD = { models: ['a', 'b'], missing: [], isRateLimited: false };

describe('The pace of an experiment', () => {
  it('halves with a rate limit, down to one row, and rises by one after 20 good rows, up to what was asked for', () => {
    const pace = new Pace();
    const after = (rows: number, outcome: typeof GOOD) => {
      for (let row = 0; row < rows; row += 1) pace.count('exp', 8, outcome);
      return pace.limits['exp'];
    };
    const limited = { ...GOOD, isRateLimited: true };
    expect([
      after(1, GOOD),
      after(1, limited),
      after(2, limited),
      after(1, limited),
      after(19, GOOD),
      after(1, GOOD),
      after(20 * 20, GOOD),
    ]).toEqual([8, 4, 1, 1, 1, 2, 8]);
  });

  it('names the model that gave no answer in 20 rows in a row, and begins to count again with an answer', () => {
    const pace = new Pace();
    const failing = { ...GOOD, missing: ['b'] };
    for (let row = 1; row < MAX_FAILURES_IN_A_ROW; row += 1) expect(pace.count('exp', 8, failing)).toBeUndefined();
    expect(pace.count('exp', 8, GOOD)).toBeUndefined();
    for (let row = 1; row < MAX_FAILURES_IN_A_ROW; row += 1) expect(pace.count('exp', 8, failing)).toBeUndefined();
    expect(pace.count('exp', 8, failing)).toBe('b');
  });

  it('is of each experiment alone, and forgotten with it', () => {
    const pace = new Pace();
    pace.count('one', 8, { ...GOOD, isRateLimited: true });
    pace.count('two', 8, GOOD);
    expect(pace.limits).toEqual({ one: 4, two: 8 });
    pace.forget('one');
    expect(pace.limits).toEqual({ two: 8 });
  });
});
