import type { Lead } from '../statistics/leader';
import { leadInWords, type LeadMeasure } from './lead-in-words';

const LATENCY: LeadMeasure = { measure: 'latency', median: 408.5, rivalMedian: 900 };
const COST: LeadMeasure = { measure: 'cost', median: 0.00000012345678, rivalMedian: 0.5 };

describe('A lead in words', () => {
  test.each<[Partial<Lead>, LeadMeasure, string]>([
    [{ pValue: null, rival: undefined }, LATENCY, 'No other model answered.'],
    [{ pValue: null, rival: { name: 'b', rounds: 0 } }, LATENCY, 'No round was answered by both a and b; to tell a difference from luck takes at least 6.'],
    [{ pValue: null, rival: { name: 'b', rounds: 1 } }, LATENCY, 'Only one round was answered by both a and b; to tell a difference from luck takes at least 6.'],
    [{ pValue: null, rival: { name: 'b', rounds: 5 } }, COST, 'Only 5 rounds were answered by both a and b; to tell a difference from luck takes at least 6.'],
    [{ confident: true, pValue: 1 / 512, rival: { name: 'b', rounds: 10 } }, LATENCY, 'a has the lowest median latency (408.5 ms). Were it no faster than b, a difference like this would show with a probability of 0.00195313.'],
    [{ pValue: 0.25, rival: { name: 'b', rounds: 10 } }, COST, 'a has the lowest median cost (0.000000123457 USD). Were it no cheaper than b, a difference like this would show with a probability of 0.25, so it may be luck.'],
    [{ confident: true, pValue: 1 / 32, rival: { name: 'b', rounds: 6 } }, { ...LATENCY, rivalMedian: LATENCY.median }, 'a has the lowest median latency (408.5 ms). Were it no faster than b, a difference like this would show with a probability of 0.03125.'],
    [{ pValue: 1, rival: { name: 'b', rounds: 10 } }, { ...COST, rivalMedian: COST.median }, 'a and b have the same median cost (0.000000123457 USD).'],
    [{ pValue: 1, rival: { name: 'b', rounds: 10 } }, { measure: 'cost', median: 0, rivalMedian: 0 }, 'a and b have the same median cost (0 USD).'],
  ])('of %j and %j', (lead, measure, words) => {
    expect(leadInWords('a', { confident: false, pValue: null, rival: undefined, ...lead }, measure)).toBe(words);
  });
});
