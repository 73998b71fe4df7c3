import type { Eval } from '../../../client/client';
import { leadText } from './lead';

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
          statistics: { models: figures, fastest: { confident: isSure }, cheapest: { confident: isSure } },
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
