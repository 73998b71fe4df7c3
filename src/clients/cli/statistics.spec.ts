import stringWidth from 'string-width';
import type { Eval, Statistics } from '../client/client';
import { leaderLines, percent, printStatistics, sampleWords, statisticsColumns, statisticsTable } from './statistics';
import type { System } from './system';
import { tabSeparated } from './table';
import { Terminal } from './terminal';

const latency = {
  n: 6,
  min: 40,
  max: 81,
  mean: 55,
  stddev: 9,
  p50: 54.5,
  p50_ci: [49.4, 61.6],
  p90: 76.5,
  p90_ci: null,
};
const full = {
  model: 'sim-swift',
  answered: 6,
  failed: 0,
  latency_ms: latency,
  ttft_ms: null,
  cost_usd: { mean: '0.0000319', mean_without_cache: '0.0000319', min: '0.00003', max: '0.00004' },
  output_tokens: null,
  checks: { passed: 4, of: 6, share: 0.666667, ci: [0.004, 0.996], score: null },
  agreement: { distinct: 2, modal_share: 0.666667, mean_similarity: 0.9 },
};
const few = {
  ...full,
  model: 'openrouter/日本語の長い名前/of-a-vendor-with-a-very-long-name',
  answered: 1,
  failed: 2,
  latency_ms: { ...latency, p50: 3.14159, p50_ci: null, p90: 3.14159 },
  checks: { passed: 1, of: 1, share: 1, ci: null, score: null },
  agreement: { distinct: 1, modal_share: 1, mean_similarity: null },
};
const failed = {
  model: 'sim-titan',
  answered: 0,
  failed: 3,
  latency_ms: null,
  ttft_ms: null,
  cost_usd: null,
  output_tokens: null,
  agreement: null,
};
const STATISTICS = {
  samples: 6,
  models: [full, few, failed],
  fastest: { model: 'sim-swift', confident: true, p_value: 0.03125, because: 'It was the fastest in all rounds.' },
  cheapest: { model: 'sim-swift', confident: false, p_value: null, because: 'Only 3 rounds were answered by both.' },
} as unknown as Statistics;
const STORED = {
  eval_id: 'eval_1',
  models: ['a', 'b', 'c'],
  results: Array.from({ length: 18 }, (_, call) => ({
    model: ['sim-swift', 'b', 'c'][call % 3],
    output: 'text',
    latency_ms: 50 + (call % 3),
    cost_usd: '0.001',
  })),
  statistics: STATISTICS,
} as unknown as Eval;

/** The output on a terminal of `columns` columns, or in a pipe. */
function printed(stored: Eval, columns?: number): string {
  let text = '';
  const system = {
    environment: {},
    out: {
      isTerminal: columns !== undefined,
      columns: columns ?? 80,
      rows: 24,
      write: (more: string) => {
        text += more;
      },
    },
  } as unknown as System;
  printStatistics(new Terminal(system, false), stored);
  return text;
}

describe('The statistics of an eval', () => {
  it.each([40, 80, 200])('fit a terminal of %s columns, with words on what they mean', (columns) => {
    const text = printed(STORED, columns);
    expect(`\n${text}`).toMatchSnapshot();
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('go into a pipe as figures, each in a separate column that is empty if there is none', () => {
    expect(printed(STORED)).toBe(`${tabSeparated(statisticsColumns(STATISTICS)).join('\n')}\n`);
    const [head = '', ...lines] = printed(STORED).trimEnd().split('\n');
    expect(
      lines.map((line) =>
        Object.fromEntries(line.split('\t').flatMap((cell, i) => (cell === '' ? [] : [[head.split('\t')[i], cell]]))),
      ),
    ).toEqual([
      {
        model: 'sim-swift',
        answered: '6',
        failed: '0',
        p50_ms: '54.5',
        p50_low: '49.4',
        p50_high: '61.6',
        p90_ms: '76.5',
        cost_mean_usd: '0.0000319',
        checks_passed: '4',
        checks_of: '6',
        checks_low: '0.004',
        checks_high: '0.996',
        texts: '2',
        modal_share: '0.666667',
        mean_similarity: '0.9',
      },
      {
        model: few.model,
        answered: '1',
        failed: '2',
        p50_ms: '3.14159',
        p90_ms: '3.14159',
        cost_mean_usd: '0.0000319',
        checks_passed: '1',
        checks_of: '1',
        texts: '1',
        modal_share: '1',
      },
      { model: 'sim-titan', answered: '0', failed: '3' },
    ]);
  });

  it('say nothing of an eval without them', () => {
    const plain = { ...STORED, statistics: undefined } as unknown as Eval;
    expect([printed(plain, 80), printed(plain)]).toEqual(['', '']);
  });

  it('have a column for checks only where a model was checked', () => {
    expect(statisticsTable(STATISTICS).head).toContain('checks passed');
    const unchecked = statisticsTable({ ...STATISTICS, models: [failed] });
    expect([unchecked.head, unchecked.lines]).toEqual([
      ['model', 'answered', 'p50 ms', 'p90 ms', 'a call costs', 'texts'],
      [['sim-titan', '0 of 3', '-', '-', '-', '-']],
    ]);
  });

  it('lose the number of texts before the slow calls, where the terminal is narrow', () => {
    const head = (columns: number) =>
      printed(
        { ...STORED, models: ['sim-swift'], statistics: { ...STATISTICS, models: STATISTICS.models.slice(0, 1) } },
        columns,
      )
        .split('\n')[1]
        ?.replace(/ {2,}/g, '|');
    expect([200, 90, 75].map(head)).toEqual([
      'model|answered|p50 ms|p90 ms|a call costs|texts|checks passed',
      'model|answered|p50 ms|p90 ms|a call costs|checks passed',
      'model|answered|p50 ms|a call costs|checks passed',
    ]);
  });

  it('name a leader among several models, with a doubt where there is one', () => {
    expect(leaderLines(STORED)).toEqual([
      'sim-swift was fastest in all 6 rounds. That is likely more than luck.',
      'The leading models were equally cheap in all 6 rounds.',
    ]);
    expect(leaderLines({ ...STORED, statistics: { ...STATISTICS, fastest: null, cheapest: null } })).toEqual([]);
    expect(leaderLines({ ...STORED, models: ['sim-swift'] })).toEqual([]);
  });

  it('say which sample is seen, and how to see another', () => {
    expect(sampleWords(STORED, 2)).toBe('Sample 2 of 6; mcs eval eval_1 --sample N shows another.');
  });
});

describe('A share in percent', () => {
  it.each([
    [0, '0 %'],
    [0.0001, '<1 %'],
    [0.0099, '<1 %'],
    [0.01, '1 %'],
    [0.125, '13 %'],
    [0.99, '99 %'],
    [0.9901, '>99 %'],
    [0.9999, '>99 %'],
    [1, '100 %'],
  ])('%d is %s, for not all is never 100', (share, text) => {
    expect(percent(share)).toBe(text);
  });
});
