import { signal } from '@preact/signals';
import type { ColumnState } from '../run/run';
import { blindName, orderedColumns, shuffled } from './judging';

const ended = (model: string, sample: number, text: string) =>
  signal<ColumnState>({
    model,
    sample,
    phase: 'ended',
    text,
    error: undefined,
    result: {
      model,
      provider: 'vendor',
      output: text,
      latency_ms: 5,
      cost_usd: '1',
      details: {},
    } as unknown as ColumnState['result'],
  });

describe('Hidden columns', () => {
  const models = ['a/one@high', 'o1', 'sim.x'];
  const columns = [0, 1].flatMap((sample) =>
    models.map((model) => ended(model, sample, `I am ${model} ${sample}, A/ONE, not go1d or simxx or sim-x.`)),
  );

  it('have neither names nor figures until they are shown, round by round in the new order', () => {
    const isHidden = signal(true);
    const shown = orderedColumns(columns, ['sim.x', 'a/one@high', 'o1'], isHidden);
    expect(shown.map(({ value }) => [value.model, value.sample])).toEqual([
      ['Answer A', 0],
      ['Answer B', 0],
      ['Answer C', 0],
      ['Answer A', 1],
      ['Answer B', 1],
      ['Answer C', 1],
    ]);
    expect(shown[2]?.value).toEqual({
      model: 'Answer C',
      sample: 0,
      phase: 'ended',
      text: 'I am Answer C 0, Answer B, not go1d or simxx or sim-x.',
      error: undefined,
      result: { model: 'Answer C', output: 'I am Answer C 0, Answer B, not go1d or simxx or sim-x.' },
    });
    expect(JSON.stringify(shown.map(({ value }) => value))).not.toMatch(/a\/one|sim\.x|vendor|latency|cost/i);
    isHidden.value = false;
    expect(shown.map(({ value }) => value.result?.model)).toEqual([
      'sim.x',
      'a/one@high',
      'o1',
      'sim.x',
      'a/one@high',
      'o1',
    ]);
  });

  it('say of a failure only that there was one', () => {
    const failed = signal<ColumnState>({
      model: 'o1',
      sample: 0,
      phase: 'failed',
      text: '',
      error: { code: 'unavailable', message: 'o1 of vendor is down', retryable: true },
      result: undefined,
    });
    expect(JSON.stringify(orderedColumns([failed], ['o1'], signal(true))[0]?.value)).not.toMatch(/o1|vendor/);
  });
});

describe('The order', () => {
  it('is by chance', () => {
    const numbers = [0.5, 0.1, 0.9];
    expect(shuffled(['a', 'b', 'c'], () => numbers.shift() ?? 0)).toEqual(['b', 'a', 'c']);
    expect(['a', 'b'].map((model) => blindName(model, ['b', 'a']))).toEqual(['Answer B', 'Answer A']);
  });
});
