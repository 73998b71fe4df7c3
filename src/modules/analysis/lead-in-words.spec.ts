import type { Lead, Rival } from '../statistics/leader';
import { leadInWords, type LeadMeasure } from './lead-in-words';

const LATENCY: LeadMeasure = { measure: 'latency', median: 408.5, rivalMedian: 900, durationMs: 14_321 };
const COST: LeadMeasure = { measure: 'cost', median: 0.00000012345678, rivalMedian: 0.5, durationMs: 14_321 };
const RIVAL: Rival = {
  name: 'b',
  rounds: 10,
  lost: 0,
  isBehind: true,
  isSettled: false,
  ratio: 1.0925,
  interval: [1.0712, 1.1098],
  isSure: true,
  pValue: 1 / 512,
};

describe('A lead in words', () => {
  test.each<[Partial<Lead>, Partial<Rival> | undefined, LeadMeasure, string]>([
    [{ pValue: null }, undefined, LATENCY, 'No other model answered.'],
    [
      { pValue: null },
      { rounds: 0 },
      LATENCY,
      'No round was answered by both a and b; to tell a difference from luck takes at least 6.',
    ],
    [
      { pValue: null },
      { rounds: 1 },
      LATENCY,
      'Only one round was answered by both a and b; to tell a difference from luck takes at least 6.',
    ],
    [
      { pValue: null },
      { rounds: 5 },
      COST,
      'Only 5 rounds were answered by both a and b; to tell a difference from luck takes at least 6.',
    ],
    [
      { confident: true },
      { ratio: 2, interval: [1.8123, 2.2] },
      LATENCY,
      'a has the lowest median latency (408.5 ms). In these 10 rounds within 14 seconds b took 2 × (1.81 to 2.2) as long.',
    ],
    [
      { confident: true },
      { ratio: 12.345, interval: null },
      { ...LATENCY, durationMs: 1400 },
      'a has the lowest median latency (408.5 ms). In these 10 rounds within 1 second b took 12.3 × as long.',
    ],
    [
      { confident: true },
      { ratio: 2, interval: null },
      { ...LATENCY, rivalMedian: LATENCY.median, durationMs: 40 },
      'a has the lowest median latency (408.5 ms). In these 10 rounds within 1 second b took 2 × as long.',
    ],
    [
      {},
      {},
      LATENCY,
      'a has the lowest median latency (408.5 ms). In these 10 rounds within 14 seconds b took 1.09 × (1.07 to 1.11) as long. A lead counts only from 1.25 × on, because moments differ as much.',
    ],
    [
      { pValue: 0.2 },
      { ratio: 1.5, interval: [0.9, 2.5] },
      LATENCY,
      'a has the lowest median latency (408.5 ms). In these 10 rounds within 14 seconds b took 1.5 × (0.9 to 2.5) as long, which may be luck.',
    ],
    [
      { pValue: 1 },
      { isBehind: false, lost: 8, ratio: 0.5, interval: [0.25, 0.9] },
      LATENCY,
      'a has the lowest median latency (408.5 ms). In these 10 rounds within 14 seconds b took 0.5 × (0.25 to 0.9) as long. It was faster in 8 of 10, so the lead may be luck.',
    ],
    [
      { pValue: 1 },
      { isBehind: false, lost: 8, ratio: 0.5, interval: null },
      COST,
      'a has the lowest median cost (0.000000123457 USD). In these 10 rounds b cost 0.5 × as much. It was cheaper in 8 of 10, so the lead may be luck.',
    ],
    [
      { confident: true },
      {},
      COST,
      'a has the lowest median cost (0.000000123457 USD). In these 10 rounds b cost 1.09 × (1.07 to 1.11) as much.',
    ],
    [
      { pValue: 0.25 },
      {},
      COST,
      'a has the lowest median cost (0.000000123457 USD). In these 10 rounds b cost 1.09 × (1.07 to 1.11) as much, which may be luck.',
    ],
    [
      { confident: true, pValue: null },
      { isSettled: true, rounds: 3, ratio: 100, interval: null },
      COST,
      'a has the lowest median cost (0.000000123457 USD). In each of these 3 rounds b cost 100 × as much.',
    ],
    [
      { confident: true },
      { isSettled: true, ratio: Infinity, interval: null },
      { ...COST, median: 0 },
      'a has the lowest median cost (0 USD). In each of these 10 rounds b cost more.',
    ],
    [
      { pValue: 1 },
      {},
      { ...COST, rivalMedian: COST.median },
      'a and b have the same median cost (0.000000123457 USD).',
    ],
    [
      { pValue: null },
      { isSettled: true, rounds: 2, isBehind: false },
      { ...COST, median: 0, rivalMedian: 0 },
      'a and b have the same median cost (0 USD).',
    ],
  ])('of %j beside %j in %j', (lead, rival, measure, words) => {
    expect(
      leadInWords('a', { confident: false, pValue: 1 / 512, ...lead, rival: rival && { ...RIVAL, ...rival } }, measure),
    ).toBe(words);
  });
});
