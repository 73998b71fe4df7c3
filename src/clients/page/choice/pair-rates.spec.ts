import type { Preferences } from '../../client/client';
import { monthText, pairRates } from './pair-rates';

describe('The rate of a pair', () => {
  it('is in words with its interval, and only where somebody chose', () => {
    const pair = (a: number, b: number, ci: number[] | null) => ({
      models: ['x', 'y'],
      preferred: { a, b, ties: 0 },
      rate: null,
      ci,
      evals: a + b,
      neither: 0,
    });
    expect(
      pairRates({
        pairs: [pair(14, 6, [0.4809, 0.8545]), pair(0, 0, null)],
        models: [],
        evals: 20,
        blind_share: 0,
      } as unknown as Preferences),
    ).toEqual([{ better: 'x', other: 'y', text: '14 of 20 (48 to 85 %)' }]);
  });
});

describe('The cost of a month', () => {
  it.each([
    ['0.85', '$0.85'],
    ['22', '$22.00'],
    ['10.9125', '$10.91'],
    ['32.4', '$32.40'],
    ['12345.678', '$12,345.68'],
    ['0', '$0.00'],
    ['0.0049', 'less than $0.01'],
    ['0.006', '$0.01'],
  ])('%s is %s', (exact, text) => expect(monthText(exact)).toBe(text));
});
