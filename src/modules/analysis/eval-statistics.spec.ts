import { Money } from '../../common/money';
import type { Verdict } from '../checks/verdict';
import { compareOwnAnswers } from '../statistics/answer-comparison';
import { answersOf, statisticsOf } from './eval-statistics';
import { EvalStatisticsDto } from './eval-statistics.dto';
import type { StoredEval } from '../evals/evals.service';
import type { Result } from '../evals/result.entity';

const RATES = { input: '2', cachedInput: '0.5', cacheWrite: '2', output: '8' };

interface Answer {
  output?: string;
  latencyMs?: number;
  ttftMs?: number | null;
  cost?: string;
  outputTokens?: number;
  cached?: number;
  outcomes?: Verdict['outcome'][];
  failed?: boolean | 'timeout' | 'unavailable';
}

const ANSWER = { output: 'yes', latencyMs: 100, ttftMs: 10, cost: '0.001', outputTokens: 5, cached: 0, failed: false };

function resultOf(model: string, answer: Answer): Result {
  const { output, latencyMs, ttftMs, cost, outputTokens, cached, outcomes, failed } = {
    ...ANSWER,
    outcomes: undefined,
    ...answer,
  };
  const call = failed
    ? { output: '', cost: Money.zero, error: { code: failed === true ? 'timeout' : failed } }
    : { output, cost: Money.of(cost), error: null };
  const details = { ttftMs, cachedInputTokens: cached, cacheWriteTokens: 0, rates: failed ? null : RATES };
  return {
    model,
    latencyMs,
    outputTokens,
    details,
    checks: outcomes?.map((outcome) => ({ outcome })) ?? null,
    ...call,
  } as unknown as Result;
}

/** An eval with the answers of each model, one for each sample. */
function evalOf(answers: Record<string, Answer[]>): StoredEval {
  const models = Object.keys(answers);
  const samples = Object.values(answers)[0]?.length ?? 0;
  const results = Array.from({ length: samples }, (_, sample) =>
    models.map((model) => resultOf(model, answers[model]?.[sample] ?? {})),
  ).flat();
  return { record: { models, samples, durationMs: 14_321 }, results } as unknown as StoredEval;
}

const computed = (stored: StoredEval) => statisticsOf(stored, compareOwnAnswers(answersOf(stored)));

/** The statistics in an answer. */
function statistics(answers: Record<string, Answer[]>) {
  return JSON.parse(JSON.stringify(EvalStatisticsDto.from(computed(evalOf(answers)))));
}

const LATENCIES = [412, 388, 951, 402, 397, 430, 1210, 405, 399, 420];
const repeat = (answer: Answer, count: number): Answer[] => new Array<Answer>(count).fill(answer);

describe('The statistics of an eval', () => {
  test('of ten samples have intervals where ten are enough', () => {
    const first = LATENCIES.map((latencyMs, sample) => ({
      latencyMs,
      ttftMs: 100 + sample,
      cost: '0.00002',
      outputTokens: 24 + sample,
      cached: sample === 0 ? 0 : 1,
      output: sample < 8 ? 'Paris' : 'Rome',
      outcomes: [sample === 3 ? ('fail' as const) : ('pass' as const)],
    }));
    const second = LATENCIES.map((latencyMs) => ({
      latencyMs: latencyMs * 2,
      cost: '0.00004',
      outcomes: ['pass' as const],
    }));
    expect(statistics({ 'sim-swift': first, 'sim-sage': second })).toEqual({
      samples: 10,
      models: [
        {
          model: 'sim-swift',
          answered: 10,
          failed: 0,
          latency_ms: {
            p50: 408.5,
            p50_ci: [397, 951],
            method: 'order_statistics',
            p90: 976.9,
            p90_ci: null,
            min: 388,
            max: 1210,
          },
          ttft_ms: { p50: 104.5, p50_ci: [101, 108], method: 'order_statistics' },
          cost_usd: {
            total: 0.0002,
            mean: 0.00002,
            min: 0.00002,
            max: 0.00002,
            stddev: 0,
            mean_without_cache: 0.00002135,
          },
          output_tokens: { mean: 28.5, min: 24, max: 33 },
          checks: { passed: 9, of: 10, rate: 0.9, ci: [0.59585, 0.982124], method: 'wilson' },
          agreement: { distinct: 2, modal_share: 0.8, mean_similarity: expect.any(Number) },
        },
        expect.objectContaining({
          model: 'sim-sage',
          checks: { passed: 10, of: 10, rate: 1, ci: [0.722467, 1], method: 'wilson' },
        }),
      ],
      fastest: {
        model: 'sim-swift',
        confident: true,
        p_value: 0.00195313,
        because:
          'sim-swift has the lowest median latency (408.5 ms). In these 10 rounds within 14 seconds sim-sage took 2 × as long.',
      },
      cheapest: {
        model: 'sim-swift',
        confident: true,
        p_value: 0.00195313,
        because:
          'sim-swift has the lowest median cost (0.00002 USD). In each of these 10 rounds sim-sage cost 2 × as much.',
      },
    });
  });

  test('of one sample are numbers without intervals, and nothing is sure', () => {
    expect(
      statistics({
        a: [{ latencyMs: 5, outcomes: ['pass'] }],
        b: [{ latencyMs: 500, ttftMs: null, outcomes: ['fail'] }],
      }),
    ).toEqual({
      samples: 1,
      models: [
        {
          model: 'a',
          answered: 1,
          failed: 0,
          latency_ms: { p50: 5, p50_ci: null, method: 'order_statistics', p90: 5, p90_ci: null, min: 5, max: 5 },
          ttft_ms: { p50: 10, p50_ci: null, method: 'order_statistics' },
          cost_usd: { total: 0.001, mean: 0.001, min: 0.001, max: 0.001, stddev: null, mean_without_cache: 0.001 },
          output_tokens: { mean: 5, min: 5, max: 5 },
          checks: { passed: 1, of: 1, rate: 1, ci: null, method: 'wilson' },
          agreement: { distinct: 1, modal_share: 1, mean_similarity: null },
        },
        expect.objectContaining({ ttft_ms: null, checks: { passed: 0, of: 1, rate: 0, ci: null, method: 'wilson' } }),
      ],
      fastest: {
        model: 'a',
        confident: false,
        p_value: null,
        because: 'Only one round was answered by both a and b; to tell a difference from luck takes at least 6.',
      },
      cheapest: {
        model: 'a',
        confident: false,
        p_value: null,
        because: 'Only one round was answered by both a and b; to tell a difference from luck takes at least 6.',
      },
    });
  });

  test('leave out failed calls, and models that never answered', () => {
    const { models, fastest, cheapest } = statistics({
      down: repeat({ failed: true, latencyMs: 1 }, 7),
      a: [{ failed: true, latencyMs: 1 }, ...repeat({ latencyMs: 100 }, 6)],
    });
    expect(models).toEqual([
      {
        model: 'down',
        answered: 0,
        failed: 7,
        latency_ms: null,
        ttft_ms: null,
        cost_usd: null,
        output_tokens: null,
        agreement: null,
      },
      expect.objectContaining({
        model: 'a',
        answered: 6,
        failed: 1,
        latency_ms: expect.objectContaining({ p50: 100, p50_ci: [100, 100], p90_ci: null, min: 100 }),
      }),
    ]);
    const missing = (slow: (count: number) => string) =>
      `No other model answered. down: 7 of 7 failed${slow(7)}. a: 1 of 7 failed${slow(1)}.`;
    expect([fastest, cheapest].map(({ confident, p_value, because }) => [confident, p_value, because])).toEqual([
      [false, null, missing((count) => `, ${count} by a timeout, which is slower than every answer`)],
      [false, null, missing(() => '')],
    ]);
  });

  test('know no fastest model where all failed', () => {
    expect(statistics({ a: [{ failed: true }], b: [{ failed: true }] })).toMatchObject({
      fastest: null,
      cheapest: null,
    });
  });

  test('leave an answer out of the rate whose checks could not be decided, unless another failed', () => {
    const outcomes: Verdict['outcome'][][] = [
      ['pass', 'pass'],
      ['pass', 'error'],
      ['fail', 'error'],
      ['error', 'error'],
      ['pass', 'pass'],
      ['skipped', 'pass'],
    ];
    expect(statistics({ a: outcomes.map((verdicts) => ({ outcomes: verdicts })) }).models[0].checks).toMatchObject({
      passed: 3,
      of: 4,
      rate: 0.75,
    });
    expect(statistics({ a: [{ outcomes: ['error'] }, { outcomes: ['error'] }] }).models[0].checks).toEqual({
      passed: 0,
      of: 0,
      rate: null,
      ci: null,
      method: 'wilson',
    });
  });

  test('have no rate of the checks where a model never answered, and no member of them only where the eval has none', () => {
    const [down, up] = statistics({
      down: repeat({ failed: true, outcomes: ['skipped'] }, 3),
      up: repeat({ outcomes: ['pass'] }, 3),
    }).models;
    expect([down.checks, up.checks.of]).toEqual([{ passed: 0, of: 0, rate: null, ci: null, method: 'wilson' }, 3]);
    expect(statistics({ a: [{}] }).models[0]).not.toHaveProperty('checks');
  });

  test.each([
    ['one sample', [{}], { p50: 100, p50_ci: null, p90: 100, p90_ci: null }, { stddev: null }, null],
    [
      'two samples',
      [{ latencyMs: 100 }, { latencyMs: 200, cost: '0.003' }],
      { p50: 150, p50_ci: null, p90: 190, p90_ci: null },
      { mean: 0.002, stddev: 0.00141421 },
      [0.34238, 1],
    ],
    [
      'three samples',
      [{ latencyMs: 300 }, { latencyMs: 100 }, { latencyMs: 200 }],
      { p50: 200, p50_ci: null, p90: 280, p90_ci: null },
      { stddev: 0 },
      [0.438503, 1],
    ],
    [
      'five samples, too few for the median',
      repeat({ latencyMs: 7 }, 4).concat({ latencyMs: 8 }),
      { p50: 7, p50_ci: null },
      { stddev: 0 },
      [0.565518, 1],
    ],
    [
      'ten equal ones',
      repeat({ latencyMs: 11 }, 10),
      { p50: 11, p50_ci: [11, 11], p90: 11, p90_ci: null, min: 11, max: 11 },
      { total: 0.01, stddev: 0 },
      [0.722467, 1],
    ],
    [
      'ten that cost nothing',
      repeat({ cost: '0' }, 10),
      { p50: 100 },
      { total: 0, mean: 0, min: 0, max: 0, stddev: 0, mean_without_cache: 0 },
      [0.722467, 1],
    ],
    [
      'ten of which one is faster than the clock',
      [{ latencyMs: 0 }, ...repeat({ latencyMs: 5 }, 9)],
      { p50: 5, p50_ci: [5, 5], min: 0 },
      { stddev: 0 },
      [0.722467, 1],
    ],
  ] as [string, Answer[], object, object, number[] | null][])(
    'of %s have an interval where there are enough, though its ends be equal',
    (_, answers, latency, cost, rate) => {
      const {
        models: [model],
        fastest,
        cheapest,
      } = statistics({ a: answers.map((answer) => ({ ...answer, outcomes: ['pass'] })) });
      expect(model).toMatchObject({
        latency_ms: { ...latency, method: 'order_statistics' },
        ttft_ms: { p50_ci: answers.length < 6 ? null : [10, 10], method: 'order_statistics' },
        cost_usd: cost,
        checks: { rate: 1, ci: rate, method: 'wilson' },
      });
      expect([fastest, cheapest]).toEqual(
        [1, 2].map(() => ({ model: 'a', confident: false, p_value: null, because: 'No other model answered.' })),
      );
    },
  );

  test('price what a vendor took from its cache at the rate of other input, and are the same where nothing was', () => {
    const {
      models: [hits, none],
    } = statistics({ hits: repeat({ cached: 1000 }, 2), none: repeat({}, 2) });
    // 1,000 tokens at 2 USD and not at 0.5 USD per million.
    expect([hits.cost_usd.mean, hits.cost_usd.mean_without_cache, none.cost_usd.mean_without_cache]).toEqual([
      0.001, 0.0025, 0.001,
    ]);
  });

  test('are confident of no leader among models that tie in every round, nor by models that cost nothing', () => {
    const { fastest, cheapest } = statistics({ a: repeat({ cost: '0' }, 10), b: repeat({ cost: '0' }, 10) });
    expect([fastest, cheapest]).toEqual([
      { model: 'a', confident: false, p_value: 1, because: 'a and b have the same median latency (100 ms).' },
      { model: 'a', confident: false, p_value: 1, because: 'a and b have the same median cost (0 USD).' },
    ]);
    const free = statistics({ a: repeat({ cost: '0' }, 6), b: repeat({ cost: '0.001' }, 6) }).cheapest;
    expect(free).toMatchObject({ model: 'a', confident: true, p_value: 0.03125 });
  });

  const latencies = (values: number[]): Answer[] => values.map((latencyMs) => ({ latencyMs }));

  test('are not sure of a lead by the median that the rounds contradict', () => {
    const { fastest } = statistics({
      slow: latencies([1000, 1000, 1000, 1000, 1900, 1950, 4000, 4000, 4000, 4000]),
      quick: latencies([200, 200, 200, 200, 2300, 2300, 2300, 2300, 2300, 2300]),
    });
    expect(fastest).toEqual({
      model: 'slow',
      confident: false,
      p_value: 1,
      because:
        'slow has the lowest median latency (1925 ms). In these 10 rounds within 14 seconds quick took 0.436 × (0.0105 to 18.1) as long. It was faster in 8 of 10, so the lead may be luck.',
    });
  });

  test('say how far ahead a leader is, and are not sure of a lead below 1.25 ×', () => {
    const [own, theirs] = [
      [101, 99, 100, 102, 98, 100, 101, 99, 100, 100],
      [109, 108, 110, 110, 107, 109, 110, 108, 109, 110],
    ];
    const { fastest } = statistics({ a: latencies(own), b: latencies(theirs) });
    expect(fastest).toEqual({
      model: 'a',
      confident: false,
      p_value: 0.00195313,
      because:
        'a has the lowest median latency (100 ms). In these 10 rounds within 14 seconds b took 1.09 × (1.08 to 1.1) as long. A lead counts only from 1.25 × on, because moments differ as much.',
    });
    expect(statistics({ a: repeat({ latencyMs: 100 }, 6), b: repeat({ latencyMs: 125 }, 6) }).fastest.confident).toBe(
      true,
    );
    expect(statistics({ a: repeat({ latencyMs: 100 }, 6), b: repeat({ latencyMs: 124 }, 6) }).fastest.confident).toBe(
      false,
    );
  });

  test('name failed calls in the words about a lead', () => {
    const { fastest, cheapest } = statistics({
      a: repeat({ latencyMs: 300 }, 16).map((one, index) => (index % 2 ? { failed: 'unavailable' } : one)),
      b: repeat({ latencyMs: 900 }, 16),
    });
    expect(fastest).toMatchObject({
      model: 'a',
      confident: true,
      because:
        'a has the lowest median latency (300 ms). In these 8 rounds within 14 seconds b took 3 × as long. a: 8 of 16 failed.',
    });
    expect(cheapest.because).toMatch(/ a: 8 of 16 failed\.$/);
  });

  test('take a timeout for slower than every answer, in the choice of the fastest model and in how sure that is', () => {
    const late = (every: number): Answer[] =>
      repeat({ latencyMs: 300 }, 16).map((one, index) =>
        index % every === 0 ? { failed: 'timeout', latencyMs: 60_000 } : one,
      );
    const half = statistics({ a: late(2), b: repeat({ latencyMs: 900 }, 16) });
    expect(half.fastest).toMatchObject({ model: 'b', confident: false, p_value: 1 });
    expect(half.fastest.because).toMatch(/ a: 8 of 16 failed, 8 by a timeout, which is slower than every answer\.$/);
    expect(half.cheapest).toMatchObject({ model: 'a', confident: false });
    const quarter = statistics({ a: late(4), b: repeat({ latencyMs: 900 }, 16) });
    // 12 rounds of 16 for a: p by the exact sign test.
    expect(quarter.fastest).toMatchObject({ model: 'a', confident: false, p_value: 0.0768127 });
    expect(
      statistics({
        a: repeat({ latencyMs: 300 }, 16),
        b: late(2).map((one) => ({ latencyMs: 900, ...(one.failed !== undefined && one) })),
      }).fastest,
    ).toMatchObject({ model: 'a', confident: true });
  });

  test('let no answer without text lead while another model has some', () => {
    const blank = repeat({ output: ' \n', latencyMs: 400, cost: '0.0001' }, 6);
    const { fastest, cheapest } = statistics({ blank, full: repeat({ latencyMs: 900 }, 6) });
    expect([fastest, cheapest]).toEqual(
      [1, 2].map(() => ({
        model: 'full',
        confident: false,
        p_value: null,
        because: 'No other model answered. blank: 6 of 6 had no text and do not count.',
      })),
    );
    const partly = statistics({
      partly: [...blank.slice(0, 5), { latencyMs: 1000 }],
      full: repeat({ latencyMs: 900 }, 6),
    });
    expect(partly.fastest).toMatchObject({
      model: 'full',
      because:
        'Only one round was answered by both full and partly; to tell a difference from luck takes at least 6. partly: 5 of 6 had no text and do not count.',
    });
    expect(statistics({ blank, other: repeat({ output: '', latencyMs: 900 }, 6) }).fastest).toMatchObject({
      model: 'blank',
      confident: true,
    });
  });

  test('do not speak of luck where costs do not vary', () => {
    const constant = (samples: number) =>
      statistics({ a: repeat({ cost: '0.00001' }, samples), b: repeat({ cost: '0.001' }, samples) }).cheapest;
    expect(constant(5)).toEqual({
      model: 'a',
      confident: true,
      p_value: null,
      because: 'a has the lowest median cost (0.00001 USD). In each of these 5 rounds b cost 100 × as much.',
    });
    expect(constant(1)).toMatchObject({
      confident: false,
      because: 'Only one round was answered by both a and b; to tell a difference from luck takes at least 6.',
    });
    const varying = statistics({
      a: repeat({ cost: '0.001' }, 10),
      b: [...repeat({ cost: '0.0015' }, 9), { cost: '0.0005' }],
    }).cheapest;
    expect(varying.because).toMatch(
      /^a has the lowest median cost \(0\.001 USD\)\. In these 10 rounds b cost 1\.34 × \(1\.05 to 1\.72\) as much/,
    );
  });

  test('say that two models cost the same', () => {
    expect(statistics({ a: repeat({}, 8), b: repeat({}, 8) }).cheapest).toEqual({
      model: 'a',
      confident: false,
      p_value: 1,
      because: 'a and b have the same median cost (0.001 USD).',
    });
  });

  test('keep amounts exact, without an exponent', () => {
    const exact = computed(evalOf({ a: [{ cost: '0.000000012345678901' }, { cost: '0.000000012345678903' }] }));
    expect(JSON.stringify(EvalStatisticsDto.from(exact).models[0]?.cost_usd)).toBe(
      '{"total":0.000000024691357804,"mean":0.000000012346,"min":0.000000012345678901,"max":0.000000012345678903,"stddev":0.00000000000000000141,"mean_without_cache":0.000000012346}',
    );
  });
});

describe('The answers of an eval', () => {
  test('leave out failed calls and keep the order of the samples', () => {
    const stored = evalOf({ a: [{ output: 'a1' }, { failed: true }], b: [{ output: 'b1' }, { output: 'b2' }] });
    expect(answersOf(stored)).toEqual([
      { model: 'a', answers: ['a1'] },
      { model: 'b', answers: ['b1', 'b2'] },
    ]);
  });
});
