import { signal } from '@preact/signals';
import { applyEvent, type ColumnState, newRun } from '../run/run';
import { answersByModel, overallPhase, stepSample } from './model-answers';

const columns = (samples: number) => newRun(['a', 'b'], samples).columns.map((column) => signal(column));
const write = (states: readonly { value: ColumnState }[], position: number) => {
  (states[position] as { value: ColumnState }).value = {
    ...(states[position] as { value: ColumnState }).value,
    phase: 'writing',
    text: 'x',
  };
};

describe('answersByModel', () => {
  it('is the columns themselves where each model is asked once', () => {
    const states = columns(1);
    expect(answersByModel(states, true).map(({ column }) => column)).toEqual(states);
  });

  it('gathers the answers of a model, in the order of the request', () => {
    expect(answersByModel(columns(3), true).map(({ model, positions }) => [model, positions])).toEqual([
      ['a', [0, 2, 4]],
      ['b', [1, 3, 5]],
    ]);
  });

  it('shows the newest answer that has begun while they come, the first of an eval, and what was chosen before both', () => {
    const states = columns(3);
    const [live] = answersByModel(states, true);
    const [stored] = answersByModel(states, false);
    expect([live?.shown.value, stored?.shown.value]).toEqual([0, 0]);
    write(states, 2);
    expect([live?.shown.value, stored?.shown.value, live?.column.value.text]).toEqual([1, 0, 'x']);
    if (live !== undefined) stepSample(live, -1);
    write(states, 4);
    expect([live?.shown.value, live?.column.value.sample]).toEqual([0, 0]);
  });

  it('goes on at the other end', () => {
    const [first] = answersByModel(columns(3), false);
    if (first === undefined) throw new Error('There is no model.');
    stepSample(first, -1);
    expect(first.shown.value).toBe(2);
    stepSample(first, 1);
    expect(first.shown.value).toBe(0);
  });
});

describe('overallPhase', () => {
  it.each([
    [['waiting', 'waiting'], 'waiting'],
    [['ended', 'waiting'], 'writing'],
    [['ended', 'writing'], 'writing'],
    [['ended', 'failed'], 'failed'],
    [['lost', 'ended'], 'lost'],
    [['lost', 'failed'], 'failed'],
    [['ended', 'ended'], 'ended'],
  ] as const)('of %j is %s', (phases, overall) =>
    expect(overallPhase(phases.map((phase) => ({ phase })))).toBe(overall),
  );
});

describe('a run of several samples', () => {
  it('gives an event to the answer that it names', () => {
    const state = applyEvent(newRun(['a', 'b'], 2), { event: 'delta', data: { model: 'a', sample: 1, text: 'x' } });
    expect(state.columns.map(({ text }) => text)).toEqual(['', '', 'x', '']);
  });
});
