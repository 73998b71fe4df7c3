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
import { compareExperiments, type ComparisonOptions, type ExperimentRows } from './comparison';
import type { ExperimentComparisonDto } from './comparison.dto';
import type { ModelFigures } from './figures';
import { run } from './summary.worker';

type Call = Partial<ModelFigures>;

/** An experiment of one model, a row a call; `ids` are `row-0` and so on. */
function experimentOf(
  calls: readonly Call[],
  changes: Partial<ExperimentRows> & { groups?: (index: number) => string; models?: string[]; samples?: number } = {},
): ExperimentRows {
  const { groups, models = ['a'], samples = 1, ...rows } = changes;
  const columns = columnsOf(
    calls.map((call, index) =>
      rowOf(
        models.map(() => call),
        groups?.(index) ?? null,
      ),
    ),
    { models, samples },
  );
  return {
    experimentId: 'exp_1',
    columns,
    rowIds: calls.map((_, index) => `row-${index}`),
    contentHashes: calls.map((_, index) => `content ${index}`),
    ...rows,
  };
}

const OPTIONS: ComparisonOptions = { isFinal: true, tolerance: 0.02, requestChanged: [], responseModels: [] };

function comparisonOf(...parts: Parameters<typeof compareExperiments>): ExperimentComparisonDto {
  const comparison = compareExperiments(...parts);
  if (comparison === undefined) throw new Error('These experiments cannot be compared.');
  return comparison;
}

function compared(
  before: readonly Call[],
  after: readonly Call[],
  options: Partial<ComparisonOptions> = {},
  changes: Parameters<typeof experimentOf>[1] = {},
) {
  return comparisonOf(experimentOf(before, changes), experimentOf(after, { experimentId: 'exp_2', ...changes }), {
    ...OPTIONS,
    ...options,
  });
}

/** Calls of which the first ones passed. */
const passing = (passed: number, of: number) => times(of, (index) => (index < passed ? PASSED : WRONG));

describe('The comparison of two experiments', () => {
  // scipy.stats.binomtest for the p-value, numpy for Newcombe's interval
  test('finds what became better or worse by more than luck explains, and lists the rows', () => {
    const better = compared(passing(222, 300), passing(262, 300));
    expect(better).toMatchObject({
      final: true,
      rows: 300,
      unmatched: { count: 0, row_ids: [] },
      tolerance: 0.02,
      verdict: 'better',
      words: 'a is better than before by 13.3 points (9.5 to 17.4) on 300 rows, for rows like these.',
      models: [
        {
          model: 'a',
          against_model: 'a',
          verdict: 'better',
          flips: { gained_count: 40, lost_count: 0, gained: times(40, (index) => `row-${222 + index}`), lost: [] },
        },
      ],
    });
    expect(better.models[0]?.metrics.passed).toEqual({
      rows: 300,
      before: 0.74,
      after: 0.873333,
      difference: 0.133333,
      ratio: null,
      ci: [0.0950293, 0.174019],
      p_value: expect.closeTo(2 ** -39, 15),
      p_adjusted: expect.closeTo(2 ** -39, 15),
      verdict: 'better',
      rows_needed: null,
    });
    expect(compared(passing(262, 300), passing(222, 300))).toMatchObject({
      verdict: 'worse',
      words: 'a is worse than before by 13.3 points (9.5 to 17.4) on 300 rows, for rows like these.',
    });
  });

  test('says that nothing became worse only where the interval says so, else how many rows it takes', () => {
    expect(compared(passing(900, 1000), passing(901, 1000))).toMatchObject({
      verdict: 'not_worse',
      words: expect.stringMatching(/^a is not worse than before by more than 2\.0 points \(difference 0\.1 points, /),
    });
    const cannotTell = compared(passing(90, 100), passing(89, 100));
    expect(cannotTell.models[0]?.metrics.passed).toMatchObject({
      difference: -0.01,
      verdict: 'cannot_tell',
      rows_needed: 385,
    });
    expect(cannotTell).toMatchObject({
      verdict: 'cannot_tell',
      words: expect.stringMatching(
        /^a: it cannot be told if it became worse \(difference −1\.0 points.+ About 385 rows would show that it is not worse by more than 2\.0 points, if the difference stays\.$/,
      ),
    });
    // Of 20 equal rows the interval reaches to −16 points.
    expect(compared(passing(20, 20), passing(20, 20)).models[0]?.metrics.passed).toMatchObject({
      difference: 0,
      ci: [-0.161125, 0.161125],
      verdict: 'cannot_tell',
      rows_needed: 189,
    });
    expect(compared(passing(20, 20), passing(20, 20), { tolerance: 0.2 }).verdict).toBe('not_worse');
  });

  test('pairs rows by id where the content is the same, and lists the others', () => {
    const before = experimentOf(passing(200, 400));
    const after = experimentOf(passing(400, 400), {
      experimentId: 'exp_2',
      rowIds: times(400, (index) => `row-${399 - index}`),
      contentHashes: times(400, (index) => `content ${index < 150 ? 'new' : 399 - index}`),
    });
    const comparison = comparisonOf(before, after, OPTIONS);
    expect(comparison).toMatchObject({
      rows: 250,
      unmatched: { count: 150, row_ids: times(100, (index) => `row-${399 - index}`) },
    });
    expect(comparison.models[0]).toMatchObject({
      metrics: { passed: { rows: 250, before: 0.8, after: 1 } },
      flips: { gained_count: 50 },
    });
    const fewer = comparisonOf(before, experimentOf(passing(10, 10)), OPTIONS);
    expect(fewer).toMatchObject({
      rows: 10,
      unmatched: { count: 390, row_ids: times(100, (index) => `row-${10 + index}`) },
    });
    expect(comparisonOf(before, experimentOf(passing(300, 400)), OPTIONS).models[0]?.flips.gained).toHaveLength(100);
  });

  test('is refused without a common row, and without a common model', () => {
    const before = experimentOf(passing(5, 10));
    const others = [
      experimentOf(passing(5, 10), { contentHashes: times(10, () => 'new') }),
      experimentOf([]),
      experimentOf(passing(5, 10), { models: ['b'] }),
    ];
    for (const other of others) {
      expect(run({ kind: 'comparison', before, after: other, options: OPTIONS })).toBeUndefined();
    }
  });

  test('can compare a model with another one', () => {
    const comparison = comparisonOf(
      experimentOf(passing(10, 60), { models: ['a'] }),
      experimentOf(passing(60, 60), { models: ['b'] }),
      { ...OPTIONS, models: [{ before: 'a', after: 'b' }] },
    );
    expect(comparison).toMatchObject({
      verdict: 'better',
      models: [{ model: 'b', against_model: 'a' }],
      words: expect.stringContaining('b (before: a) is better than before'),
    });
  });

  test('has the verdict of the model that fares worst, and adjusts for their number', () => {
    const rowsOf = (calls: Call[]): ExperimentRows => ({
      experimentId: 'exp',
      columns: columnsOf(times(60, () => rowOf(calls))),
      rowIds: times(60, String),
      contentHashes: times(60, String),
    });
    const comparison = comparisonOf(rowsOf([PASSED, WRONG]), rowsOf([PASSED, PASSED]), { ...OPTIONS, tolerance: 0.1 });
    expect(comparison.models.map(({ verdict }) => verdict)).toEqual(['not_worse', 'better']);
    expect(comparison).toMatchObject({ verdict: 'not_worse', words: 'Not worse: a. Better: b.' });
    expect(comparison.models[1]?.metrics.passed?.p_adjusted).toBeCloseTo(
      2 * (comparison.models[1]?.metrics.passed?.p_value ?? 0),
      20,
    );
  });

  test.each([
    [0, 1],
    [1, 0],
  ])('is worse as soon as one model is, beside an undecided one, in either order (%d, %d)', (worse, undecided) => {
    const rowsOf = (calls: (index: number) => Call[]): ExperimentRows => ({
      experimentId: 'exp',
      columns: columnsOf(times(60, (index) => rowOf(calls(index)))),
      rowIds: times(60, String),
      contentHashes: times(60, String),
    });
    const inOrder = (ofWorse: Call, ofUndecided: Call) =>
      [worse, undecided].map((place) => (place === 0 ? ofWorse : ofUndecided));
    const comparison = comparisonOf(
      rowsOf((index) => inOrder(PASSED, index < 30 ? PASSED : WRONG)),
      rowsOf((index) => inOrder(WRONG, index > 2 && index < 32 ? PASSED : WRONG)),
      OPTIONS,
    );
    expect(comparison.models.map(({ verdict }) => verdict)).toEqual(
      worse === 0 ? ['worse', 'cannot_tell'] : ['cannot_tell', 'worse'],
    );
    expect(comparison.verdict).toBe('worse');
  });

  test('concludes nothing below a coverage of 95 %, nor before both are final', () => {
    const missing = times(100, (index) => (index < 6 ? UNDECIDED : PASSED));
    expect(compared(passing(0, 100), missing)).toMatchObject({
      verdict: 'cannot_tell',
      words: 'a: only 94.0 % of the calls count, so nothing can be concluded.',
    });
    expect(
      compared(
        passing(0, 100),
        times(100, (index) => (index < 5 ? FAILED : PASSED)),
      ).verdict,
    ).toBe('better');
    const interim = compared(passing(0, 100), passing(100, 100), { isFinal: false });
    expect(interim).toMatchObject({
      final: false,
      verdict: null,
      words: expect.stringContaining('Nothing is tested before both experiments are final.'),
    });
    expect(interim.models[0]).toMatchObject({
      verdict: null,
      metrics: {
        passed: { difference: 1, p_value: null, p_adjusted: null, verdict: null },
        cost_usd: { verdict: null },
      },
    });
  });

  test('compares costs and tokens by their ratio, of which less is better, and shows latency untested', () => {
    const calls = (factor: number) =>
      times(40, (index) => ({
        cost: 0.001 * factor * (1 + (index % 7) / 10),
        outputTokens: 20 + ((index * factor) % 5),
        latencyMs: 100 * factor + index,
      }));
    const [model] = compared(calls(1), calls(3)).models;
    expect(model).toMatchObject({
      latency_ms: { before: 119.5, after: 319.5 },
      metrics: {
        cost_usd: { before: 0.0012875, after: 0.0038625, difference: null, ratio: 3, ci: null, verdict: 'worse' },
        output_tokens: { before: 22, after: 22 },
      },
    });
    expect(compared(calls(3), calls(1)).models[0]?.metrics.cost_usd).toMatchObject({
      ratio: 0.333333,
      verdict: 'better',
    });
    expect(compared(calls(1), calls(1)).models[0]?.metrics.cost_usd).toMatchObject({ ratio: 1, verdict: 'not_worse' });
    // A cost of 0 has no ratio; the interval of the others is 0.996 to 1.035, and the inverse.
    const noisy = times(40, (index) => ({ cost: 0.001 * Math.exp(0.015 + (index % 2 === 0 ? 0.06 : -0.06)) }));
    expect(
      [
        compared(calls(0), noisy),
        compared(
          noisy,
          times(40, () => PASSED),
        ),
        compared(
          times(40, () => PASSED),
          noisy,
        ),
      ].map(({ models }) => models[0]?.metrics.cost_usd?.verdict),
    ).toEqual(['worse', 'not_worse', 'cannot_tell']);
    expect(
      compared(
        calls(1),
        times(40, () => TIMED_OUT),
      ).models[0],
    ).toMatchObject({
      latency_ms: { before: 119.5, after: null },
      metrics: { passed: null, cost_usd: null },
      verdict: 'cannot_tell',
    });
  });

  test('mirrors its intervals when the experiments change places, and takes a group for one cluster', () => {
    const [before, after] = [
      times(60, (index) => (index % 3 === 0 ? WRONG : PASSED)),
      times(60, (index) => (index % 4 === 0 ? WRONG : PASSED)),
    ];
    for (const changes of [{}, { groups: (index: number) => `g${Math.floor(index / 3)}` }]) {
      const [one, other] = [compared(before, after, {}, changes), compared(after, before, {}, changes)].map(
        ({ models }) => models[0]?.metrics.passed,
      );
      expect(other?.ci).toEqual((one?.ci ?? []).map((end) => expect.closeTo(-end, 6)).reverse());
      expect([other?.p_value, other?.ci?.length]).toEqual([one?.p_value, 2]);
    }
    expect(compared(before, after, {}, { groups: () => 'one' }).models[0]?.metrics.passed).toMatchObject({
      ci: null,
      p_value: 1,
      verdict: 'cannot_tell',
      rows_needed: null,
    });
  });

  test('ranks by scores where no check decided what passes', () => {
    const scored = (score: number) => times(40, (index) => ({ ...UNDECIDED, score: score + (index % 5) / 100 }));
    expect(compared(scored(0.5), scored(0.6))).toMatchObject({
      verdict: 'better',
      models: [
        {
          metrics: { passed: null, score: { difference: 0.1, ci: [0.0123784, 0.187622] } },
          flips: { gained_count: 40 },
        },
      ],
    });
  });
});

describe('The thread task', () => {
  test('computes what the functions do, and its input passes between threads without a copy of the columns', () => {
    const columns = columnsOf(times(40, (index) => rowOf([PASSED, index < 20 ? WRONG : PASSED])));
    const task = {
      kind: 'summary' as const,
      experimentId: 'exp_1',
      columns,
      isFinal: true,
      rowCountOfDataset: 40,
      temperature: 0,
    };
    expect(run({ kind: 'start' })).toBeUndefined();
    expect(run(task)).toMatchObject({
      rows: 40,
      headline: expect.stringMatching(/^a is better than b by 50\.0 points/),
    });
    expect(columns.clusters.of.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(
      columns.models
        .flatMap(({ rows, checks }) => [...Object.values(rows), ...checks])
        .every(({ buffer }) => buffer instanceof SharedArrayBuffer),
    ).toBe(true);
    expect(
      run({
        kind: 'comparison',
        before: experimentOf(passing(1, 3)),
        after: experimentOf(passing(1, 3)),
        options: OPTIONS,
      }),
    ).toMatchObject({ rows: 3 });
  });
});
