import type { Eval } from '../../client/client';
import { leadText } from './lead';

/** An eval of these latencies in milliseconds and exact costs; the first model leads. */
function evalOf(models: Record<string, [latency: number, cost: string]>, { samples = 1, statistics, failed = [] as string[] }: { samples?: number; statistics?: object; failed?: string[] } = {}): Eval {
  const names = Object.keys(models);
  const results = Object.entries(models).map(([model, [latency, cost]]) => ({ model, latency_ms: latency, cost_usd: cost, ...(failed.includes(model) && { error: {} }) }));
  return { models: names, results: Array.from({ length: samples }, () => results).flat(), meta: { fastest_model: names[0], cheapest_model: names[0] }, statistics } as unknown as Eval;
}
const badges = (stored: Eval, model = 'a') => [leadText(stored, 'fastest', model), leadText(stored, 'cheapest', model)];

describe('leadText', () => {
  it('says of single answers that they lead this time, and nothing of the other models', () => {
    const stored = evalOf({ a: [10_000, '0.001'], b: [10_100, '0.002'] });
    expect([badges(stored), badges(stored, 'b'), leadText(undefined, 'fastest', 'a')]).toEqual([['Fastest this time', 'Cheapest this time'], [undefined, undefined], undefined]);
  });

  it.each([
    ['11 ms and 11 ms', { a: [11, '0.001'], b: [11, '0.002'] }, [undefined, 'Cheapest this time']],
    ['figures that differ only where they are not shown', { a: [11, '0.0010001'], b: [14, '0.0010002'] }, [undefined, undefined]],
    ['eight models without a price', Object.fromEntries([...'abcdefgh'].map((name, i) => [name, [100 * (i + 1), '0']])), ['Fastest this time', undefined]],
  ])('names no leader of %s', (_what, models, expected) => expect(badges(evalOf(models as Record<string, [number, string]>))).toEqual(expected));

  it('is sure of no single answer', () => {
    expect(badges(evalOf({ a: [11, '0.001'], b: [99, '0.002'] }, { statistics: { models: [], fastest: { confident: true }, cheapest: { confident: true } } }))).toEqual(['Fastest this time', 'Cheapest this time']);
  });

  it('compares with no model that failed', () => expect(badges(evalOf({ a: [11, '0'], b: [11, '0'] }, { failed: ['b'] }))).toEqual(['Fastest this time', 'Cheapest this time']));

  it('says of samples what the service is sure of', () => {
    const models = [{ model: 'a', latency_ms: { p50: 11 }, cost_usd: { mean: '0.001' } }, { model: 'b', latency_ms: { p50: 400 }, cost_usd: { mean: '0.002' } }];
    const sampled = (isSure: boolean, figures: object[] = models) => evalOf({ a: [5, '0'], b: [5, '0'] }, { samples: 3, statistics: { models: figures, fastest: { confident: isSure }, cheapest: { confident: isSure } } });
    expect([badges(sampled(true)), badges(sampled(false))]).toEqual([['Fastest', 'Cheapest'], ['Fastest, not sure', 'Cheapest, not sure']]);
    expect(badges(sampled(false, models.map((figures) => ({ ...figures, cost_usd: { mean: '0' } }))))).toEqual(['Fastest, not sure', undefined]);
    expect(badges(sampled(false, models.map((figures) => ({ ...figures, latency_ms: { p50: 11.2 } }))))).toEqual([undefined, 'Cheapest, not sure']);
  });
});
