import { checkRows, describeCheck } from './checks-summary';

const result = (model: string, ...outcomes: string[]) => ({
  model,
  checks: outcomes.map((outcome, index) => ({ name: `c${index}`, type: 'finished', outcome, score: 0 })),
});

describe('checkRows', () => {
  it('adds up the verdicts by check and model; a failed model decides nothing', () => {
    const rows = checkRows(
      ['a', 'b'],
      [
        result('a', 'pass', 'fail'),
        result('b', 'skipped', 'skipped'),
        result('a', 'pass', 'error'),
        result('b', 'fail', 'pass'),
      ],
      [{ name: 'c1', type: 'contains', values: ['Paris'], not: true }],
    );
    expect(rows).toEqual([
      {
        name: 'c0',
        words: '',
        cells: [
          { passed: 2, decided: 2, errors: 0 },
          { passed: 0, decided: 1, errors: 0 },
        ],
      },
      {
        name: 'c1',
        words: 'not: contains words: “Paris”',
        cells: [
          { passed: 0, decided: 1, errors: 1 },
          { passed: 1, decided: 1, errors: 0 },
        ],
      },
    ]);
  });
  it('are none without verdicts', () => expect(checkRows(['a'], [{ model: 'a' }], [])).toEqual([]));
});

describe('describeCheck', () => {
  it.each<[object, string]>([
    [{ type: 'finished', name: 'finished-1', weight: 1, not: false }, 'is finished'],
    [
      { type: 'contains', values: ['Paris', 'Rome'], mode: 'all', ignore_case: false },
      'contains words: “Paris”, “Rome”',
    ],
    [
      { type: 'contains', values: ['Paris'], mode: 'any', ignore_case: true, not: true },
      'not: contains words: “Paris”, any of them, ignore upper and lower case',
    ],
    [{ type: 'equals', value: 'x', trim: true }, 'equals a text: “x”'],
    [{ type: 'equals', value: 'x', trim: false }, 'equals a text: “x”, ignore surrounding white space: no'],
    [{ type: 'regex', pattern: '^a', flags: '' }, 'matches a pattern: “^a”'],
    [{ type: 'json', schema: { type: 'object' }, allow_fence: true }, 'is JSON: {"type":"object"}'],
    [{ type: 'json', allow_fence: true, find: true }, 'is JSON: ignore surrounding text'],
    [{ type: 'number', value: 42, tolerance: 0.5, which: 'first' }, 'contains a number: 42, tolerance 0.5, the first'],
    [{ type: 'length', min: null, max: 40, unit: 'words' }, 'has a length: at most 40 words'],
    [{ type: 'length', min: 1, unit: 'characters' }, 'has a length: at least 1 characters'],
    [{ type: 'latency', max_ms: 500, of: 'total' }, 'is fast: milliseconds at most 500'],
    [{ type: 'newer', value: 1 }, 'newer'],
    [{ type: 'toString' }, 'toString'],
    [{}, ''],
  ])('%j is: %s', (definition, words) => expect(describeCheck(definition)).toBe(words));

  it('cuts what is long, and no sign in two', () => {
    const words = describeCheck({ type: 'equals', value: `${'x'.repeat(58)}😀${'y'.repeat(500)}` });
    expect(words).toBe(`equals a text: “${'x'.repeat(58)}\ufffd…`);
  });
});
