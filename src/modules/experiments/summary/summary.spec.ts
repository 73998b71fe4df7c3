import fc from 'fast-check';
import {
  columnsOf,
  FAILED,
  PASSED,
  rowOf,
  times,
  TIMED_OUT,
  UNDECIDED,
  WRONG,
} from '../../../../test/support/experiment-rows';
import type { SummaryTask } from './compared-models';
import { summarize } from './summary';
import { SummaryInput, type FiguresRow, type SummaryInputOptions } from './summary-input';
import type { ComparedMetric, ExperimentFiguresDto, ModelPairDto } from './summary.dto';

function summaryOf(
  rows: readonly FiguresRow[],
  options: Partial<SummaryInputOptions> = {},
  task: Partial<SummaryTask> = {},
): ExperimentFiguresDto {
  return summarize({
    experimentId: 'exp_1',
    columns: columnsOf(rows, options),
    isFinal: true,
    rowCountOfDataset: rows.length,
    temperature: 0,
    ...task,
  });
}

const pairOf = (summary: ExperimentFiguresDto, metric: ComparedMetric) =>
  summary.pairs.find((pair) => pair.metric === metric);
/** Rows in which both pass, only a, only b, and none. */
const outcomes = (both: number, first: number, second: number, none: number) => [
  ...times(both, () => rowOf([PASSED, PASSED])),
  ...times(first, () => rowOf([PASSED, WRONG])),
  ...times(second, () => rowOf([WRONG, PASSED])),
  ...times(none, () => rowOf([WRONG, WRONG])),
];
const numbersIn = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : [];

/** To 4 digits. */
const near = (value: number) => expect.closeTo(value, 4 - Math.ceil(Math.log10(Math.abs(value) + 1)));

/** A pair with the models in the other order. */
function mirrored({ metric, rows, ci, p_value, p_adjusted, verdict }: ModelPairDto) {
  const ends = ci && ci.map((end) => (metric === 'passed' ? 0 - end : 1 / end)).reverse();
  const verdicts = { better: 'worse', worse: 'better', cannot_tell: 'cannot_tell' } as const;
  return { metric, rows, ci: ends, p_value, p_adjusted, verdict: verdict && verdicts[verdict] };
}

describe('The summary of an experiment', () => {
  // scipy.stats.binomtest for the rates and the p-value, numpy for the rest
  test('of one sample counts passes, and tests them by row', () => {
    const summary = summaryOf(outcomes(200, 40, 22, 38));
    expect(summary).toMatchObject({ final: true, rows: 300, groups: 0, coverage: 1, warnings: [] });
    expect(summary.models.map(({ passed }) => passed)).toEqual([
      { rate: 0.8, ci: [0.751071, 0.841343], method: 'wilson' },
      { rate: 0.74, ci: [0.687552, 0.786379], method: 'wilson' },
    ]);
    expect(pairOf(summary, 'passed')).toEqual({
      models: ['a', 'b'],
      metric: 'passed',
      rows: 300,
      difference: 0.06,
      ratio: null,
      ci: [0.00845639, 0.111533],
      p_value: 0.0300159,
      p_adjusted: 0.0300159,
      verdict: 'better',
      words: 'a passes more often than b by 6.0 points (0.8 to 11.2), for rows like these.',
      flips: { gained: 40, lost: 22 },
      detectable_difference: 0.0730109,
    });
    expect(summary.ranking).toEqual({
      metric: 'passed',
      models: [
        { model: 'a', rank: { best: 1, worst: 1 } },
        { model: 'b', rank: { best: 2, worst: 2 } },
      ],
    });
    expect(summary.headline).toBe('a is better than b by 6.0 points (0.8 to 11.2) on 300 rows, for rows like these.');
  });

  test('of one sample in groups takes a group for one, so that the interval is wider than that of independent rows', () => {
    const rows = times(60, (index) => rowOf([index % 12 < 8 ? PASSED : WRONG, WRONG], `group ${index % 12}`));
    const [grouped, single] = [summaryOf(rows), summaryOf(rows.map((row) => ({ ...row, group: null })))].map(
      (summary) => summary.models[0]?.passed,
    );
    expect([grouped?.method, grouped?.rate, single?.method, single?.rate]).toEqual([
      'clustered_t',
      0.666667,
      'wilson',
      0.666667,
    ]);
    const widthOf = (passed: typeof grouped) => (passed?.ci?.[1] ?? NaN) - (passed?.ci?.[0] ?? NaN);
    expect(widthOf(grouped)).toBeGreaterThan(2 * widthOf(single));
  });

  test('says in words no more than it knows', () => {
    const interim = summaryOf(outcomes(10, 40, 0, 0), {}, { isFinal: false, rowCountOfDataset: 300 });
    expect(pairOf(interim, 'passed')?.words).toBe(
      'a and b on 50 rows: difference 80.0 points, 65.1 to 88.8, for rows like these. Nothing is tested before the experiment is final.',
    );
    expect(pairOf(interim, 'cost_usd')?.words).toBe(
      'a and b on 50 rows: a costs 1 × as much, for rows like these. Nothing is tested before the experiment is final.',
    );
    expect(pairOf(summaryOf(outcomes(40, 0, 0, 0)), 'latency_ms')?.words).toBe(
      'a and b cannot be told apart on 40 rows (a takes 1 × as long), for rows like these. A difference counts only from 1.25 × on, because latency differs as much from one moment to the next.',
    );
    expect(summaryOf([]).warnings).toEqual([]);
    expect(summaryOf(times(10, (index) => rowOf([PASSED, index === 0 ? FAILED : PASSED]))).headline).toMatch(
      /^a and b cannot be told apart on 9 rows \(difference [^()]+\): only 90\.0 % of the calls count; below 95\.0 % no model is called better\.$/,
    );
  });

  test('never calls models equal, nor one the best of a shared place, but names what costs less', () => {
    const rows = outcomes(200, 24, 20, 56).map(({ group }, index) =>
      rowOf(
        [
          index < 224 ? PASSED : WRONG,
          index < 200 || (index >= 224 && index < 244)
            ? { cost: 0.00016 + (index % 7) * 1e-9 }
            : { ...WRONG, cost: 0.00016 },
        ],
        group,
      ),
    );
    const summary = summaryOf(rows);
    expect(summary.headline).toBe(
      'a and b cannot be told apart on 300 rows (difference 1.3 points, −3.1 to 5.7); b costs 84 % less.',
    );
    expect(pairOf(summary, 'passed')).toMatchObject({
      verdict: 'cannot_tell',
      words: 'a and b cannot be told apart on 300 rows (difference 1.3 points, −3.1 to 5.7), for rows like these.',
    });
    expect(pairOf(summary, 'cost_usd')).toMatchObject({
      verdict: 'worse',
      difference: null,
      flips: null,
      detectable_difference: null,
      words: expect.stringMatching(/^a costs 6\.25 × \(6\.25 to 6\.25\) as much as b/),
    });
    expect(summary.ranking?.models.map(({ rank }) => rank)).toEqual([
      { best: 1, worst: 2 },
      { best: 1, worst: 2 },
    ]);
  });

  test('ranks only by more than luck explains, so a place may be a range', () => {
    // c passes never, a and b nearly always.
    const rows = times(60, (index) =>
      rowOf([index === 3 ? WRONG : PASSED, index === 9 || index === 4 ? WRONG : PASSED, WRONG]),
    );
    const summary = summaryOf(rows, { models: ['a', 'b', 'c'] });
    expect(summary.ranking?.models).toEqual([
      { model: 'a', rank: { best: 1, worst: 2 } },
      { model: 'b', rank: { best: 1, worst: 2 } },
      { model: 'c', rank: { best: 3, worst: 3 } },
    ]);
    expect(summary.headline).toBe('a and b cannot be told apart on 60 rows (difference 1.7 points, −6.0 to 9.8).');
    const winner = summaryOf(
      times(60, () => rowOf([PASSED, WRONG, WRONG])),
      { models: ['a', 'b', 'c'] },
    );
    expect(winner.headline).toBe(
      'a is better than every other model. The closest is b, 100.0 points (91.5 to 100.0) behind on 60 rows, for rows like these.',
    );
  });

  test('says why no model is better where the interval alone would call one better', () => {
    const summary = summaryOf(outcomes(25, 5, 0, 0));
    expect(pairOf(summary, 'passed')).toMatchObject({
      p_adjusted: 0.0625,
      verdict: 'cannot_tell',
      words: expect.stringMatching(
        / rows like these\. The range excludes equal models, but the test does not exclude luck: its p is 0\.0625, above 0\.05\.$/,
      ),
    });
    expect(summary.headline).toMatch(
      /^a and b cannot be told apart on 30 rows \(difference 16\.7 points, \d.*\): the range excludes equal models, but the test does not exclude luck: its p is 0\.0625, above 0\.05\.$/,
    );
  });

  test('has no p-value, no verdict and no rank before it is final', () => {
    const summary = summaryOf(outcomes(10, 40, 0, 0), {}, { isFinal: false, rowCountOfDataset: 300 });
    expect(summary.pairs.map(({ p_value, p_adjusted, verdict }) => [p_value, p_adjusted, verdict])).toEqual(
      times(3, () => [null, null, null]),
    );
    expect(pairOf(summary, 'passed')?.ci).not.toBeNull();
    expect(summary.ranking?.models.map(({ rank }) => rank)).toEqual([
      { best: 1, worst: 2 },
      { best: 1, worst: 2 },
    ]);
    expect(summary.headline).toBe(
      'The experiment is not final: 50 of 300 rows. No model is called better before its end.',
    );
    expect(summary.warnings).toEqual([]);
  });

  test.each([
    ['failed', FAILED],
    ['undecided', UNDECIDED],
  ])('calls nothing better where more than 5 %% of the calls are missing because they %s', (_, missing) => {
    const rowsWith = (count: number) => times(100, (index) => rowOf([PASSED, index < count ? missing : WRONG]));
    expect(pairOf(summaryOf(rowsWith(5)), 'passed')?.verdict).toBe('better');
    const summary = summaryOf(rowsWith(6));
    expect(summary).toMatchObject({
      coverage: 0.94,
      warnings: ['b: only 94.0 % of the calls count, so it is called neither better nor worse.'],
    });
    expect(pairOf(summary, 'passed')).toMatchObject({
      rows: 94,
      verdict: 'cannot_tell',
      words: expect.stringContaining('Only 94.0 % of the calls count; below 95.0 % no model is called better.'),
    });
    expect(summary.models[1]?.passed?.rate).toBe(0);
    expect(summary.headline).toContain('cannot be told apart');
    expect(summaryOf(rowsWith(100)).headline).toBe('a and b have no row in common.');
  });

  test('counts a row that failed for every model as missing', () => {
    const rows: FiguresRow[] = [
      ...times(90, () => rowOf([PASSED, WRONG])),
      ...times(10, () => ({ group: null, figures: null })),
    ];
    expect(summaryOf(rows)).toMatchObject({ rows: 100, coverage: 0.9 });
    expect(pairOf(summaryOf(rows), 'passed')).toMatchObject({ rows: 90, verdict: 'cannot_tell' });
  });

  test('does not take missing answers for wrong ones', () => {
    const [a] = summaryOf([
      ...times(97, () => rowOf([PASSED, PASSED])),
      ...times(3, () => rowOf([FAILED, PASSED])),
    ]).models;
    expect(a).toMatchObject({ rows: 97, answered: 97, failed: 3, coverage: 0.97, passed: { rate: 1 } });
  });

  test('counts a timeout as slower than every answer', () => {
    // Without the timeouts, a would be faster in each row.
    const rows = times(100, (index) =>
      rowOf([index < 60 ? TIMED_OUT : { latencyMs: 100 + index }, { latencyMs: 300 + index }]),
    );
    const summary = summaryOf(rows);
    expect(summary.models[0]?.latency_ms).toEqual({
      p50: null,
      p50_ci: null,
      p90: null,
      p90_ci: null,
      method: 'order_statistics',
      timeouts: 60,
    });
    expect(pairOf(summary, 'latency_ms')?.verdict).not.toBe('better');
    // numpy.quantile
    const few = summaryOf(
      times(100, (index) => rowOf([index < 4 ? TIMED_OUT : { latencyMs: 100 + index }, { latencyMs: 300 + index }])),
    );
    expect(few.models[0]?.latency_ms).toMatchObject({ p50: 153.5, p90: 193.1, timeouts: 4 });
    expect(pairOf(few, 'latency_ms')).toMatchObject({
      rows: 100,
      verdict: 'better',
      words: expect.stringMatching(/^b takes \d\.\d+ × \(.+\) as long as a, for rows like these\.$/),
    });
  });

  // numpy on ln: the ratio of other/one
  test('compares latencies by their ratio, and calls none better below 1.25', () => {
    const [slow, fast] = [
      [820, 790, 1010, 900, 870, 940],
      [410, 400, 520, 430, 455, 460],
    ];
    const summary = summaryOf(slow.map((latencyMs, index) => rowOf([{ latencyMs }, { latencyMs: fast[index] ?? 0 }])));
    expect(pairOf(summary, 'latency_ms')).toMatchObject({
      ratio: 1.9934,
      ci: [1.92522, 2.064],
      p_value: 0.03125,
      verdict: 'worse',
      words: 'a takes 1.99 × (1.93 to 2.06) as long as b, for rows like these.',
    });
    // scipy.stats.ttest_1samp on ln
    const close = summaryOf(
      times(250, (index) =>
        rowOf([{ latencyMs: 800 + ((index * 7919) % 211) }, { latencyMs: 710 + ((index * 104_729) % 307) }]),
      ),
    );
    expect(pairOf(close, 'latency_ms')).toMatchObject({
      ratio: 1.05152,
      ci: [1.03551, 1.06778],
      p_value: expect.closeTo(5.83456e-10, 14),
      verdict: 'cannot_tell',
      words: expect.stringContaining('A difference counts only from 1.25 × on'),
    });
  });

  test('takes a group for one cluster, and the samples of a row for one value', () => {
    // numpy: d of 12 rows in 6 groups
    const shares = [2, 1, 2, 4, 0, 2, 2, 0, 1, 3, 2, 1];
    const rows = shares.map((passed, index) =>
      rowOf(
        [
          { answered: 4, decided: 4, passed, modal: 3 },
          { answered: 4, decided: 4, passed: 0 },
        ],
        `g${Math.floor(index / 2)}`,
      ),
    );
    const summary = summaryOf(rows, { samples: 4 });
    expect(summary).toMatchObject({ groups: 6, warnings: ['Fewer than 30 groups: intervals are approximate.'] });
    expect(pairOf(summary, 'passed')).toMatchObject({
      difference: 0.416667,
      ci: [0.21917, 0.614163],
      p_value: 0.03125,
      verdict: 'better',
    });
    expect(summary.models[0]).toMatchObject({
      passed: { rate: 0.416667, ci: [0.21917, 0.614163], method: 'clustered_t' },
      all_pass_rate: 0.0833333,
      any_pass_rate: 0.833333,
      self_agreement: 0.75,
    });
    expect(
      summaryOf(
        rows.map(({ figures }) => ({ figures, group: null })),
        { samples: 4 },
      ).models[0]?.passed?.ci,
    ).not.toEqual([0.21917, 0.614163]);
  });

  test('leaves rows with a missing sample out of the rates of all and of any', () => {
    const three = { answered: 3, decided: 3, passed: 3, modal: 3 };
    const [a] = summaryOf(
      [
        rowOf([three, three]),
        rowOf([{ ...three, passed: 0 }, three]),
        rowOf([{ ...three, answered: 2, failed: 1, decided: 2, passed: 2 }, three]),
      ],
      { samples: 3 },
    ).models;
    expect(a).toMatchObject({ all_pass_rate: 0.5, any_pass_rate: 0.5, passed: { rate: 0.666667 } });
    expect(summaryOf([rowOf([PASSED, PASSED])]).models[0]).toMatchObject({
      all_pass_rate: null,
      any_pass_rate: null,
      self_agreement: null,
    });
  });

  test('adjusts the p-values of one metric for all pairs', () => {
    const rows = times(40, (index) => rowOf([index < 9 ? WRONG : PASSED, index < 2 ? WRONG : PASSED, PASSED]));
    const passed = summaryOf(rows, { models: ['a', 'b', 'c'] }).pairs.filter(({ metric }) => metric === 'passed');
    expect(passed.map(({ p_value }) => p_value)).toEqual([0.015625, 0.00390625, 0.5]);
    expect(passed.map(({ p_adjusted }) => p_adjusted)).toEqual([0.03125, 0.0117188, 0.5]);
  });

  test('ranks by scores where no check decides what passes, and not at all without checks', () => {
    const scored = summaryOf(
      times(40, (index) =>
        rowOf([
          { ...UNDECIDED, score: 0.9 - (index % 5) / 100 },
          { ...UNDECIDED, score: 0.5 + (index % 3) / 100 },
        ]),
      ),
    );
    expect([
      scored.ranking?.metric,
      pairOf(scored, 'passed'),
      pairOf(scored, 'score')?.verdict,
      scored.models[0]?.passed,
    ]).toEqual(['score', undefined, 'better', null]);
    const unchecked = summaryOf(times(40, () => rowOf([{ ...UNDECIDED, cost: 0.0005 }, UNDECIDED])));
    expect(unchecked).toMatchObject({
      ranking: null,
      coverage: 1,
      headline: 'There was no check, so nothing says which answers are good; a costs 50 % less.',
    });
    const undecided = summaryOf(
      times(40, () => rowOf([{ ...UNDECIDED, checks: [{ decided: 0, passed: 0 }] }])),
      { models: ['a'], checkNames: ['city'] },
    );
    expect(undecided.headline).toBe('No check decided an answer, so nothing says which answers are good.');
  });

  test('has rates of the checks of the experiment that were decided', () => {
    const rows = times(20, (index) =>
      rowOf([
        {
          checks: [
            { decided: 1, passed: Number(index > 0) },
            { decided: 0, passed: 0 },
          ],
        },
      ]),
    );
    expect(summaryOf(rows, { models: ['a'], checkNames: ['city', 'other'] }).models[0]?.checks).toEqual([
      { name: 'city', rate: 0.95, ci: [0.763869, 0.991119], method: 'wilson' },
    ]);
  });

  test('sums costs, and means them by row', () => {
    const summary = summaryOf(
      times(100, (index) =>
        rowOf([
          {
            answered: 2,
            cost: 0.1 + index / 1000,
            costWithoutCache: 0.2 + index / 1000,
            modal: 2,
            decided: 2,
            passed: 2,
          },
          { answered: 2, decided: 2, passed: 2 },
        ]),
      ),
      { samples: 2 },
    );
    expect(summary.models[0]?.cost_usd).toMatchObject({ mean: 0.07475, total: 14.95, mean_without_cache: 0.12475 });
  });

  test('warns of what may mislead', () => {
    const rows = times(40, (index) =>
      rowOf([{ cut: Number(index < 3), temperatureIgnored: 1 }, { cachedInputTokens: 11 }]),
    );
    expect(summaryOf(rows, {}, { rowCountOfDataset: 1000, temperature: 0.7 }).warnings).toEqual([
      'The figures are from 40 of the 1,000 rows of the experiment, which are a random sample.',
      'Each row was asked once, so chance within a row is not measured. Use temperature 0 or 3 samples.',
      'a: 7.5 % of the answers were cut at the token limit.',
      'a does not take the temperature.',
      'b: 22.0 % of the input was cached, which other calls may not be.',
    ]);
    expect(
      summaryOf(times(40, (index) => rowOf([{ cut: Number(index < 2) }, { cachedInputTokens: 10 }]))).warnings,
    ).toEqual([]);
    expect(summaryOf(times(29, () => rowOf([PASSED, PASSED]))).warnings).toEqual([
      'Fewer than 30 rows: intervals are approximate.',
    ]);
  });

  test('is the same on each call, also where signs are drawn', () => {
    const [a, b] = [
      (index: number) => ({ latencyMs: 100 + ((index * 37) % 91) }),
      (index: number) => ({ latencyMs: 110 + ((index * 53) % 97) }),
    ];
    const rows = times(60, (index) => rowOf([a(index), b(index)]));
    expect(summaryOf(rows)).toEqual(summaryOf(rows));
    const swapped = summaryOf(
      times(60, (index) => rowOf([b(index), a(index)])),
      { models: ['b', 'a'] },
    );
    expect(pairOf(swapped, 'latency_ms')?.p_value).toBe(pairOf(summaryOf(rows), 'latency_ms')?.p_value);
  });

  test('mirrors itself when two models change places', () => {
    const model = fc
      .record({
        kind: fc.constantFrom(PASSED, PASSED, WRONG, FAILED, TIMED_OUT),
        latencyMs: fc.integer({ min: 1, max: 5000 }),
        cost: fc.integer({ min: 1, max: 900 }),
      })
      .map(({ kind, latencyMs, cost }) => ('answered' in kind ? kind : { ...kind, latencyMs, cost: cost / 1e6 }));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(model, model, fc.constantFrom(null, 'g', 'h')), { minLength: 1, maxLength: 30 }),
        (rows) => {
          const summary = summaryOf(rows.map(([a, b, group]) => rowOf([a, b], group)));
          const swapped = summaryOf(
            rows.map(([a, b, group]) => rowOf([b, a], group)),
            { models: ['b', 'a'] },
          );
          expect(swapped.pairs.map(mirrored)).toEqual(
            summary.pairs.map(({ metric, rows: common, ci, p_value, p_adjusted, verdict }) => ({
              metric,
              rows: common,
              ci: ci && ci.map(near),
              p_value,
              p_adjusted,
              verdict,
            })),
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('Hostile figures', () => {
  test.each<[string, FiguresRow[], Partial<SummaryInputOptions>]>([
    ['no row', [], {}],
    ['one row', [rowOf([PASSED, WRONG])], {}],
    ['one model', times(40, (index) => rowOf([index % 3 === 0 ? WRONG : PASSED])), { models: ['a'] }],
    ['only failed calls', times(40, () => rowOf([FAILED, TIMED_OUT])), {}],
    ['only failed rows', times(40, () => ({ group: null, figures: null })), {}],
    ['answers that are all the same', times(40, () => rowOf([PASSED, PASSED])), {}],
    ['one group', times(40, (index) => rowOf([PASSED, index % 2 === 0 ? WRONG : PASSED], 'g')), {}],
    [
      'zeros',
      times(40, () => rowOf([{ latencyMs: 0, cost: 0, costWithoutCache: 0, outputTokens: 0, inputTokens: 0 }, PASSED])),
      {},
    ],
    [
      'huge counts',
      times(300, (index) =>
        rowOf([
          { outputTokens: 1e15 - index, inputTokens: 1e15, cost: 1e15, costWithoutCache: 1e15, latencyMs: 1e15 },
          { outputTokens: 1e-15, cost: 1e-15 },
        ]),
      ),
      {},
    ],
  ])('of %s have only finite numbers, and intervals in order', (_, rows, options) => {
    const summary = summaryOf(rows, options);
    expect(numbersIn(summary).filter((number) => !Number.isFinite(number))).toEqual([]);
    expect(JSON.stringify(summary)).not.toMatch(/NaN|Infinity|undefined/);
    for (const [low, high] of JSON.stringify(summary)
      .match(/(?<=ci":)\[[^\]]+\]/g)
      ?.map((text) => JSON.parse(text)) ?? [])
      expect(low).toBeLessThanOrEqual(high);
    expect(summary.pairs.every(({ p_value: p }) => p === null || (p > 0 && p <= 1))).toBe(true);
  });

  test('have plain headlines', () => {
    expect(summaryOf([]).headline).toBe('No row has ended.');
    expect(summaryOf(times(4, () => rowOf([FAILED, FAILED]))).headline).toBe('No model answered on 4 rows.');
    expect(
      summaryOf(
        times(4, () => rowOf([PASSED])),
        { models: ['a'] },
      ).headline,
    ).toBe('Only a was asked: passed 4 of 4 (51 to 100 %).');
    expect(
      summaryOf([...times(19, () => rowOf([PASSED])), rowOf([WRONG]), rowOf([FAILED])], { models: ['a'] }).headline,
    ).toBe('Only a was asked: passed 19 of 20 (76 to 99 %).');
    expect(
      summaryOf(
        times(40, (index) => rowOf([{ ...UNDECIDED, score: 0.9 - (index % 5) / 100 }])),
        { models: ['a'] },
      ).headline,
    ).toBe('Only a was asked: mean score 0.88 (0.875 to 0.885).');
    expect(summaryOf(times(40, () => rowOf([PASSED, PASSED]))).headline).toBe(
      'a and b cannot be told apart on 40 rows (difference 0.0 points, −8.8 to 8.8).',
    );
  });

  test('are refused above the capacity, and of another width', () => {
    const input = new SummaryInput({ models: ['a'], checkNames: [], samples: 1, capacity: 1 });
    expect(() => {
      input.add([rowOf([PASSED]), rowOf([PASSED])]);
    }).toThrow('There are more rows than the summary has room for.');
    expect(() => {
      input.add([rowOf([PASSED, PASSED])]);
    }).toThrow('These are not the figures of 1 models with 0 checks.');
  });
});
