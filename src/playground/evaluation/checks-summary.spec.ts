import { checkRows, describeCheck } from './checks-summary';

const result = (model: string, ...outcomes: string[]) => ({ model, checks: outcomes.map((outcome, index) => ({ name: `c${index}`, type: 'finished', outcome, score: 0 })) });

describe('checkRows', () => {
  it('adds up the verdicts by check and model; a failed model decides nothing', () => {
    const rows = checkRows(['a', 'b'], [result('a', 'pass', 'fail'), result('b', 'skipped', 'skipped'), result('a', 'pass', 'error'), result('b', 'fail', 'pass')], [{ name: 'c1', type: 'contains', values: ['Paris'], not: true }]);
    expect(rows).toEqual([
      { name: 'c0', words: '', cells: [{ passed: 2, decided: 2, errors: 0 }, { passed: 0, decided: 1, errors: 0 }] },
      { name: 'c1', words: 'not contains values: ["Paris"]', cells: [{ passed: 0, decided: 1, errors: 1 }, { passed: 1, decided: 1, errors: 0 }] },
    ]);
  });
  it('are none without verdicts', () => expect(checkRows(['a'], [{ model: 'a' }], [])).toEqual([]));
});

describe('describeCheck', () => {
  it('says what it looks at, and not what is switched off', () => {
    expect(describeCheck({ type: 'regex', name: 'n', weight: 1, not: false, pattern: '^a', flags: null })).toBe('regex pattern: “^a”');
    expect(describeCheck({ type: 'finished' })).toBe('finished');
    expect(describeCheck({ type: 'equals', value: 'x'.repeat(500) }).length).toBeLessThan(100);
  });
});
