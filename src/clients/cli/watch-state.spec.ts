import type { CompareEvent, Eval } from '../client/client';
import { applyEvent, initialState, samplesOf, stateOf, type WatchState } from './watch-state';

const MODELS = ['swift', 'sage'];
const result = (model: string, output: string, sample?: number) => ({
  model,
  output,
  latency_ms: 5,
  ...(sample !== undefined && { sample }),
});
const stored = (samples: number) =>
  ({
    eval_id: 'eval_1',
    models: MODELS,
    results: Array.from({ length: samples }, (_, i) =>
      MODELS.map((model) => result(model, `${model} ${i + 1}`)),
    ).flat(),
  }) as unknown as Eval;

const events = (...all: [event: string, data: object][]) =>
  all.map(([event, data]) => ({ event, data })) as unknown as CompareEvent[];
const play = (...all: [event: string, data: object][]) =>
  events(...all).reduce<WatchState>(applyEvent, initialState(MODELS));
const seen = ({ models }: WatchState) =>
  models.map(({ model, text, result: ended, sample }) => [model, text, ended !== undefined, sample]);

describe('What is known of a running compare', () => {
  it('has no text before the first event', () => {
    expect([initialState(MODELS).evalId, seen(initialState(MODELS))]).toEqual([
      undefined,
      [
        ['swift', '', false, undefined],
        ['sage', '', false, undefined],
      ],
    ]);
  });

  it('grows by each text, for its model alone', () => {
    const state = play(
      ['eval-started', { eval_id: 'eval_1' }],
      ['delta', { model: 'sage', text: 'Good ' }],
      ['delta', { model: 'sage', text: 'morning' }],
    );
    expect([state.evalId, seen(state)]).toEqual([
      'eval_1',
      [
        ['swift', '', false, undefined],
        ['sage', 'Good morning', false, undefined],
      ],
    ]);
  });

  it('numbers samples from 1, and replaces the previous answer by the first text of a sample', () => {
    const first: [string, object][] = [
      ['delta', { model: 'swift', text: 'one', sample: 0 }],
      ['delta', { model: 'swift', text: ' more', sample: 0 }],
    ];
    expect(seen(play(...first))[0]).toEqual(['swift', 'one more', false, 1]);
    const ended: [string, object] = ['result', result('swift', 'one more.', 0)];
    expect(seen(play(...first, ended))[0]).toEqual(['swift', 'one more.', true, 1]);
    expect(seen(play(...first, ended, ['delta', { model: 'swift', text: 'two', sample: 1 }]))[0]).toEqual([
      'swift',
      'two',
      false,
      2,
    ]);
    expect(
      seen(
        play(
          ...first,
          ended,
          ['delta', { model: 'swift', text: 'two', sample: 1 }],
          ['delta', { model: 'swift', text: ' more', sample: 1 }],
        ),
      ),
    ).toEqual([
      ['swift', 'two more', false, 2],
      ['sage', '', false, undefined],
    ]);
  });

  it('is the first sample of the stored eval at the end, and does not change at an error', () => {
    const end = play(['delta', { model: 'swift', text: 'three', sample: 2 }], ['eval', stored(3)]);
    expect([end.evalId, seen(end), end.stored]).toEqual([
      'eval_1',
      [
        ['swift', 'swift 1', true, 1],
        ['sage', 'sage 1', true, 1],
      ],
      stored(3),
    ]);
    const state = play(['delta', { model: 'swift', text: 'x' }]);
    expect(applyEvent(state, events(['error', { error: {} }])[0] as CompareEvent)).toBe(state);
  });
});

describe('A stored eval', () => {
  it.each([1, 2, 3])('shows its sample %i', (sample) => {
    expect(seen(stateOf(stored(3), sample))).toEqual([
      ['swift', `swift ${sample}`, true, sample],
      ['sage', `sage ${sample}`, true, sample],
    ]);
  });

  it('with one sample does not number it', () => {
    expect(seen(stateOf(stored(1)))).toEqual([
      ['swift', 'swift 1', true, undefined],
      ['sage', 'sage 1', true, undefined],
    ]);
  });

  it.each([1, 2, 10])('with %i results of each model has as many samples', (samples) => {
    expect(samplesOf(stored(samples))).toBe(samples);
  });

  it('has one sample at least, whatever it lost', () => {
    expect(samplesOf({ models: MODELS, results: [] } as unknown as Eval)).toBe(1);
  });
});
