import type { Eval } from './client';
import { cheapestPassing, leadOf } from './lead';

type Answer = readonly [model: string, ms: number, cost: string, outcome?: 'pass' | 'fail' | 'error' | 'failed'];

const evalOf = (...answers: Answer[]): Eval =>
  ({
    models: [...new Set(answers.map(([model]) => model))],
    results: answers.map(([model, ms, cost, outcome]) => ({
      model,
      output: 'x',
      latency_ms: ms,
      cost_usd: cost,
      ...(outcome === 'failed' ? { error: {} } : outcome !== undefined && { checks: [{ outcome }] }),
    })),
    meta: { fastest_model: answers[0]?.[0], cheapest_model: answers[0]?.[0] },
  }) as unknown as Eval;

describe('With checks', () => {
  const wrongIsBest = evalOf(['wrong', 5, '0.001', 'fail'], ['a', 100, '0.01', 'pass'], ['b', 400, '0.02', 'pass']);

  it('leads only a model that passes, also where a model that fails is ahead', () => {
    const leads = (model: string) => [leadOf(wrongIsBest, 'fastest', model), leadOf(wrongIsBest, 'cheapest', model)];
    expect([leads('wrong'), leads('a'), leads('b')]).toEqual([
      [undefined, undefined],
      ['once', 'once'],
      [undefined, undefined],
    ]);
  });

  it.each<[string | null, string, Eval]>([
    ['a', 'the cheapest that passes', wrongIsBest],
    [null, 'none where none passes', evalOf(['a', 1, '0.1', 'fail'], ['b', 1, '0.2', 'error'])],
    [
      'b',
      'none that passes only sometimes',
      evalOf(['a', 1, '0.1', 'pass'], ['a', 1, '0.1', 'fail'], ['b', 1, '1', 'pass']),
    ],
    ['b', 'none that failed', evalOf(['a', 1, '0', 'failed'], ['b', 1, '1', 'pass'])],
    ['a', 'the first of equal ones', evalOf(['a', 1, '0.1', 'pass'], ['b', 1, '0.1', 'pass'])],
    [
      'b',
      'the one of the lowest median',
      evalOf(
        ...(['0.1', '0.9', '0.9'].map((cost) => ['a', 1, cost, 'pass']) as Answer[]),
        ...(['0.2', '0.2', '9'].map((cost) => ['b', 1, cost, 'pass']) as Answer[]),
      ),
    ],
  ])('is %j %s', (model, _, stored) => {
    expect(cheapestPassing(stored)).toBe(model);
  });

  it('is undefined without checks', () => {
    expect([cheapestPassing(undefined), cheapestPassing(evalOf(['a', 1, '1'], ['b', 1, '2']))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
