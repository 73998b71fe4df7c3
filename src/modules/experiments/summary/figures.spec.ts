import { Money } from '../../../common/money';
import type { Check } from '../../checks/types';
import type { Verdict } from '../../checks/verdict';
import type { Result, ResultError } from '../../evals/result.entity';
import type { CompareCommand } from '../../execution/compare.types';
import { encodeFigures, failureFigures, FIGURE_INDEX, figuresOf, figuresWidth } from './figures';

const RATES = { input: '2', cachedInput: '0.5', cacheWrite: '2', output: '8' };

interface Call {
  output?: string;
  latencyMs?: number;
  cached?: number;
  warnings?: string[];
  outcomes?: Record<string, Verdict['outcome']>;
  failed?: string;
}

function resultOf(
  position: number,
  { output = 'yes', latencyMs = 100, cached = 0, warnings = [], outcomes, failed }: Call,
): Result {
  const verdicts =
    outcomes &&
    Object.entries(outcomes).map(([name, outcome]) => ({
      name,
      outcome,
      score: { pass: 1, fail: 0, error: null, skipped: null }[outcome],
    }));
  const call =
    failed === undefined
      ? {
          output,
          cost: Money.of('0.001'),
          error: null,
          inputTokens: 100,
          details: { ttftMs: 10, cachedInputTokens: cached, cacheWriteTokens: 0, rates: RATES },
        }
      : {
          output: '',
          cost: Money.zero,
          error: { code: failed },
          inputTokens: 0,
          details: { ttftMs: null, cachedInputTokens: 0, cacheWriteTokens: 0, rates: null },
        };
  return {
    position,
    latencyMs,
    outputTokens: 20,
    warnings: warnings.map((code) => ({ code })),
    checks: verdicts ?? null,
    ...call,
  } as unknown as Result;
}

/** The figures of model a, whose calls are these, beside a model b. */
function figuresOfCalls(
  calls: readonly Call[],
  checkNames: readonly string[] = [],
  checks: readonly Partial<Check>[] = [],
) {
  const results = calls.flatMap((call, sample) => [
    resultOf(2 * sample, call),
    resultOf(2 * sample + 1, { output: 'no', latencyMs: 999 }),
  ]);
  return figuresOf(results.toReversed(), ['a', 'b'], checkNames, checks as Check[])[0];
}

describe('The figures of a row', () => {
  test('of one answer are those of the answer', () => {
    expect(
      figuresOfCalls(
        [{ outcomes: { city: 'pass' }, cached: 40, warnings: ['output_truncated', 'temperature_ignored'] }],
        ['city', 'other'],
      ),
    ).toEqual({
      answered: 1,
      failed: 0,
      decided: 1,
      passed: 1,
      score: 1,
      latencyMs: 100,
      timeouts: 0,
      ttftMs: 10,
      cost: 0.001,
      costWithoutCache: 0.00106,
      outputTokens: 20,
      distinct: 1,
      modal: 1,
      cut: 1,
      temperatureIgnored: 1,
      cachedInputTokens: 40,
      inputTokens: 100,
      checks: [
        { decided: 1, passed: 1 },
        { decided: 0, passed: 0 },
      ],
    });
  });

  test('take what failed or was not decided for missing, not for wrong', () => {
    const calls: Call[] = [
      { outcomes: { city: 'pass', other: 'error' } },
      { outcomes: { city: 'fail', other: 'error' } },
      { failed: 'unavailable', outcomes: { city: 'skipped', other: 'skipped' } },
      { outcomes: { city: 'pass', other: 'pass' } },
    ];
    expect(figuresOfCalls(calls, ['city', 'other'])).toMatchObject({
      answered: 3,
      failed: 1,
      decided: 2,
      passed: 1,
      score: expect.closeTo(2 / 3, 9),
      checks: [
        { decided: 3, passed: 2 },
        { decided: 1, passed: 1 },
      ],
    });
    expect(figuresOfCalls([{}])).toMatchObject({ decided: 0, passed: 0, score: NaN });
    expect(figuresOfCalls([{ failed: 'unavailable' }])).toMatchObject({
      answered: 0,
      failed: 1,
      decided: 0,
      score: NaN,
      latencyMs: NaN,
      ttftMs: NaN,
      cost: 0,
      outputTokens: NaN,
      distinct: 0,
      modal: 0,
    });
  });

  test('weigh the scores of checks', () => {
    expect(
      figuresOfCalls([{ outcomes: { city: 'pass', other: 'fail' } }], [], [{ weight: 3 }, { weight: 1 }]),
    ).toMatchObject({ score: 0.75 });
  });

  test('take a timeout for slower than every answer', () => {
    const latency = (...calls: Call[]) => figuresOfCalls(calls)?.latencyMs;
    const timeout = { failed: 'timeout', latencyMs: 5 };
    expect(latency({ latencyMs: 100 }, { latencyMs: 300 }, timeout)).toBe(300);
    expect(latency({ latencyMs: 100 }, timeout)).toBe(Infinity);
    expect(latency({ latencyMs: 100 }, { latencyMs: 300 }, { failed: 'unavailable', latencyMs: 1 })).toBe(200);
    expect(latency(timeout)).toBe(Infinity);
  });

  test('of a row without an answer have the timeouts of the models that were asked, for slower than every answer', () => {
    const command = { models: ['a', 'b', 'c'], checks: [], samples: 2 } as unknown as CompareCommand;
    const errors = [
      { model: 'a', error: { code: 'timeout' } },
      { model: 'b', error: { code: 'unavailable' } },
    ] as { model: string; error: ResultError }[];
    const figures = failureFigures(errors, ['a', 'b'], command);
    const width = figures.length / 3;
    expect(
      [0, 1, 2].map((model) =>
        (['failed', 'timeouts', 'latencyMs'] as const).map((name) => figures[model * width + FIGURE_INDEX[name]]),
      ),
    ).toEqual([
      [2, 2, Infinity],
      [2, 0, NaN],
      [0, 0, NaN],
    ]);
  });

  test('count answers that agree', () => {
    expect(figuresOfCalls([{ output: 'Paris' }, { output: 'paris.' }, { output: 'Rome' }])).toMatchObject({
      distinct: 2,
      modal: 2,
    });
  });

  test('are the same after they were stored, unknown ones too', () => {
    const figures = figuresOf(
      [resultOf(0, { outcomes: { city: 'fail' } }), resultOf(1, { failed: 'timeout' })],
      ['a', 'b'],
      ['city'],
    );
    const encoded = encodeFigures(figures);
    expect(encoded).toHaveLength(2 * figuresWidth(1));
    for (const [index, { checks, ...members }] of figures.entries()) {
      const ofModel = encoded.slice(index * figuresWidth(1));
      expect(Object.fromEntries(Object.entries(FIGURE_INDEX).map(([member, at]) => [member, ofModel[at]]))).toEqual({
        ...members,
        checks: checks[0]?.decided,
      });
      expect(ofModel[FIGURE_INDEX.checks + 1]).toBe(checks[0]?.passed);
    }
  });
});
