import { elapsedText } from '../../../client/figure-text';
import type { Eval, Result } from '../../../client/client';
import { figuresOf, leadText, liveFigures, money } from './figures';

const RESULT = {
  model: 'a',
  provider: 'p',
  output: 'x',
  latency_ms: 1210,
  cost_usd: '0.00002805',
  input_tokens: 7,
  output_tokens: 1045,
  total_tokens: 1052,
  details: { ttft_ms: 310, tokens_per_second: 59.6, attempts: 1, tokens: { reasoning: 0 } },
} as unknown as Result;
const textsOf = (result: unknown) => {
  const { latency, firstText, speed, tokens, cost, attempts } = figuresOf(result as Result | undefined);
  return [latency.text, firstText.text, speed.text, tokens.text, cost.text, attempts];
};

describe('figuresOf', () => {
  it('shows what is known', () =>
    expect(textsOf(RESULT)).toEqual(['1.21 s', '310 ms', '60 tok/s', '7 + 1,045', '$0.0000281', undefined]));
  it('has all digits in the titles', () => {
    expect(figuresOf(RESULT)).toMatchObject({
      latency: { title: '1,210 ms' },
      cost: { title: '$0.00002805' },
      speed: { title: '59.6 output tokens per second' },
    });
  });
  it('shows dashes before there is a result', () =>
    expect(textsOf(undefined)).toEqual(['–', '–', '–', '–', '–', undefined]));
  it('shows dashes for what an older service does not say', () => {
    expect(textsOf({ ...RESULT, details: undefined })).toEqual([
      '1.21 s',
      '–',
      '–',
      '7 + 1,045',
      '$0.0000281',
      undefined,
    ]);
    expect(textsOf({ model: 'a' })).toEqual(['–', '–', '–', '–', '–', undefined]);
    expect(textsOf({ ...RESULT, latency_ms: 'soon', details: { ttft_ms: null, tokens_per_second: null } })).toEqual([
      '–',
      '–',
      '–',
      '7 + 1,045',
      '$0.0000281',
      undefined,
    ]);
  });
  it('marks what a shared result leaves out', () => {
    const figures = figuresOf({ model: 'a', latency_ms: 5 } as unknown as Result);
    expect(
      [figures.latency, figures.firstText, figures.speed, figures.tokens, figures.cost].map(({ isAbsent }) => isAbsent),
    ).toEqual([undefined, true, true, true, true]);
    expect(figuresOf(undefined).cost.isAbsent).toBeUndefined();
  });
  it('leaves out the times that an answer that came as a whole does not have', () => {
    const whole = figuresOf({
      ...RESULT,
      details: { ...RESULT.details, ttft_ms: null, tokens_per_second: null },
    } as unknown as Result);
    expect([whole.firstText.isAbsent, whole.speed.isAbsent, whole.latency.isAbsent]).toEqual([true, true, undefined]);
  });
  it('shows a failed model without tokens and speed', () => {
    const failed = {
      ...RESULT,
      latency_ms: 900,
      cost_usd: '0',
      error: { code: 'unavailable' },
      details: { ttft_ms: null, tokens_per_second: null, attempts: 3 },
    };
    expect(textsOf(failed)).toEqual(['900 ms', '–', '–', '–', '$0', 'after 3 tries']);
  });
  it('shows no speed of an answer without text', () => {
    expect(
      textsOf({ ...RESULT, output: '', output_tokens: 0, details: { ttft_ms: null, tokens_per_second: 0 } }),
    ).toEqual(['1.21 s', '–', '–', '7 + 0', '$0.0000281', undefined]);
  });
  it.each([
    [1000, '7 + 45', '1,000'],
    [1045, '7 + 0', '1,045'],
    [2000, '7 + 0', '2,000'],
    [0, '7 + 1,045', undefined],
  ])('counts %i tokens of thought apart from the text', (reasoning, text, thought) => {
    const figures = figuresOf({
      ...RESULT,
      details: { ...RESULT.details, tokens: { reasoning } },
    } as unknown as Result);
    expect([figures.tokens.text, figures.thought?.text]).toEqual([text, thought]);
  });
});

describe('money', () => {
  it.each([
    ['0.12345678901234567890123', '$0.123', '$0.12345678901234567890123'],
    ['0', '$0', '$0'],
    [undefined, '–', 'not known yet'],
  ])('of %p is %s', (exact, text, title) => {
    expect(money(exact)).toEqual({ text, title });
  });
});

describe('elapsedText', () => {
  it('counts in tenths', () => expect([elapsedText(2149), elapsedText(-3)]).toEqual(['2.1 s', '0.0 s']));
});

describe('liveFigures', () => {
  it('estimates the speed of an answer while it is written, and shows its first text', () => {
    const texts = (text: string, firstTextMs: number | undefined, elapsedMs: number) =>
      Object.values(liveFigures({ text, firstTextMs }, elapsedMs)).map((figure) =>
        typeof figure === 'object' ? figure.text : figure,
      );
    expect(texts('', undefined, 40)).toEqual(['0.0 s', '–', '–', '–', undefined, '–', undefined]);
    expect(texts('four'.repeat(30), 250.4, 2000)).toEqual([
      '2.0 s',
      '250 ms',
      '≈ 15 tok/s',
      '≈ 30',
      undefined,
      '–',
      undefined,
    ]);
    expect(texts('a', 0, 0)).toEqual(['0.0 s', '0 ms', '≈ 10 tok/s', '≈ 1', undefined, '–', undefined]);
  });
});

/** An eval of these latencies in milliseconds and exact costs; the first model leads. */
function evalOf(
  models: Record<string, [latency: number, cost: string]>,
  {
    samples = 1,
    statistics,
    failed = [] as string[],
    empty = [] as string[],
    hidden = false,
  }: { samples?: number; statistics?: object; failed?: string[]; empty?: string[]; hidden?: boolean } = {},
): Eval {
  const names = Object.keys(models);
  const results = Object.entries(models).map(([model, [latency, cost]]) => ({
    model,
    ...(!hidden && { output: empty.includes(model) ? ' \n' : 'x' }),
    latency_ms: latency,
    cost_usd: cost,
    ...(failed.includes(model) && { error: {} }),
  }));
  return {
    models: names,
    results: Array.from({ length: samples }, () => results).flat(),
    meta: { fastest_model: names[0], cheapest_model: names[0] },
    statistics,
  } as unknown as Eval;
}
const badges = (stored: Eval, model = 'a') => [leadText(stored, 'fastest', model), leadText(stored, 'cheapest', model)];

describe('leadText', () => {
  it('says of single answers that they lead this time, and nothing of the other models', () => {
    const stored = evalOf({ a: [10_000, '0.001'], b: [12_500, '0.002'] });
    expect([badges(stored), badges(stored, 'b'), leadText(undefined, 'fastest', 'a')]).toEqual([
      ['Fastest this time', 'Cheapest this time'],
      [undefined, undefined],
      undefined,
    ]);
  });

  it.each([
    ['11 ms and 11 ms', { a: [11, '0.001'], b: [11, '0.002'] }, [undefined, 'Cheapest this time']],
    ['11 ms and 30 ms', { a: [11, '0.001'], b: [30, '0.002'] }, [undefined, 'Cheapest this time']],
    ['11 ms and 31 ms', { a: [11, '0.001'], b: [31, '0.002'] }, ['Fastest this time', 'Cheapest this time']],
    ['10.0 s and 12.4 s', { a: [10_000, '0.001'], b: [12_400, '0.001'] }, [undefined, undefined]],
    [
      'costs that differ by less than a tenth',
      { a: [11, '0.001'], b: [99, '0.00109'] },
      ['Fastest this time', undefined],
    ],
    ['one tie among three', { a: [100, '0.001'], b: [900, '0.002'], c: [101, '0.001'] }, [undefined, undefined]],
    [
      'eight models without a price',
      Object.fromEntries([...'abcdefgh'].map((name, i) => [name, [100 * (i + 1), '0']])),
      ['Fastest this time', undefined],
    ],
    [
      'a free model among others',
      { a: [100, '0'], b: [200, '0.0000001'] },
      ['Fastest this time', 'Cheapest this time'],
    ],
    ['a single model', { a: [11, '0.001'] }, [undefined, undefined]],
  ])('of %s names only a clear leader', (_what, models, expected) =>
    expect(badges(evalOf(models as Record<string, [number, string]>))).toEqual(expected),
  );

  it('is sure of no single answer', () => {
    expect(
      badges(
        evalOf(
          { a: [11, '0.001'], b: [99, '0.002'] },
          { statistics: { models: [], fastest: { confident: true }, cheapest: { confident: true } } },
        ),
      ),
    ).toEqual(['Fastest this time', 'Cheapest this time']);
  });

  it('compares with no model that failed', () =>
    expect(badges(evalOf({ a: [11, '0.1'], b: [11, '0.1'], c: [99, '0.2'] }, { failed: ['b'] }))).toEqual([
      'Fastest this time',
      'Cheapest this time',
    ]));

  it('lets no answer without text lead, nor keep another from it, and counts a hidden text', () => {
    const models: Record<string, [number, string]> = { a: [11, '0.001'], b: [99, '0.002'] };
    expect([badges(evalOf(models, { empty: ['a'] })), badges(evalOf(models, { empty: ['a', 'b'] }))]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(badges(evalOf({ ...models, c: [1, '0'] }, { empty: ['c'] }))).toEqual([
      'Fastest this time',
      'Cheapest this time',
    ]);
    expect(badges(evalOf(models, { hidden: true }))).toEqual(['Fastest this time', 'Cheapest this time']);
    const statistics = { models: [], fastest: { confident: true }, cheapest: { confident: true } };
    expect(badges(evalOf(models, { samples: 3, statistics, empty: ['a', 'b'] }))).toEqual([undefined, undefined]);
  });

  it('says of samples what the service calls likely', () => {
    const models = [
      { model: 'a', latency_ms: { p50: 11 }, cost_usd: { mean: '0.001' } },
      { model: 'b', latency_ms: { p50: 400 }, cost_usd: { mean: '0.002' } },
    ];
    const sampled = (isSure: boolean, figures: object[] = models) =>
      evalOf(
        { a: [5, '0'], b: [5, '0'] },
        {
          samples: 3,
          statistics: {
            models: figures,
            fastest: { model: 'a', confident: isSure },
            cheapest: { model: 'a', confident: isSure },
          },
        },
      );
    expect([badges(sampled(true)), badges(sampled(false))]).toEqual([
      ['Likely fastest', 'Likely cheapest'],
      ['Fastest, maybe luck', 'Cheapest, maybe luck'],
    ]);
    expect(
      badges(
        sampled(
          false,
          models.map((figures) => ({ ...figures, cost_usd: { mean: '0' } })),
        ),
      ),
    ).toEqual(['Fastest, maybe luck', undefined]);
    expect(
      badges(
        sampled(
          false,
          models.map((figures) => ({ ...figures, latency_ms: { p50: 11.2 } })),
        ),
      ),
    ).toEqual([undefined, 'Cheapest, maybe luck']);
  });
});
