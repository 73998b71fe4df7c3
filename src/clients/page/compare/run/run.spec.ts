import type { Eval, Result } from '../../../client/client';
import { applyEvent, endSentence, markRunLost, newRun, type RunEvent, runOfEval, type RunState } from './run';

const resultOf = (model: string, output: string) => ({
  model,
  provider: 'p',
  output,
  latency_ms: 5,
  cost_usd: '0.1',
  input_tokens: 1,
  output_tokens: 2,
  total_tokens: 3,
});
const ERROR = { code: 'unavailable', message: 'The vendor had an error.', retryable: true };
const failedOf = (model: string) => ({ ...resultOf(model, ''), error: ERROR });
const EVAL = {
  eval_id: 'eval_1',
  prompt: 'p',
  models: ['a', 'b'],
  results: [resultOf('a', 'Hello'), failedOf('b')],
  meta: { total_cost_usd: '0.1', fastest_model: 'a', cheapest_model: 'a', created_at: '2026-11-21T00:00:00.000Z' },
} as unknown as Eval;

function run(...events: RunEvent[]): RunState {
  return events.reduce(applyEvent, newRun(['a', 'b']));
}
const phases = ({ columns }: RunState) => columns.map(({ model, phase, text }) => [model, phase, text]);
const delta = (model: string, text: string): RunEvent => ({ event: 'delta', data: { model, text } });

describe('afterEvent', () => {
  it('goes from waiting to writing to ended, each model by itself and in the order of the request', () => {
    const events: RunEvent[] = [
      { event: 'eval-started', data: { eval_id: 'eval_1', models: ['a', 'b'] } },
      delta('b', 'Bon'),
      delta('b', 'jour'),
      delta('a', 'x'),
      { event: 'result', data: resultOf('b', 'Bonjour!') },
    ];
    expect(phases(run())).toEqual([
      ['a', 'waiting', ''],
      ['b', 'waiting', ''],
    ]);
    expect(phases(run(...events.slice(0, 3)))).toEqual([
      ['a', 'waiting', ''],
      ['b', 'writing', 'Bonjour'],
    ]);
    const state = run(...events);
    expect(phases(state)).toEqual([
      ['a', 'writing', 'x'],
      ['b', 'ended', 'Bonjour!'],
    ]);
    expect(state).toMatchObject({ evalId: 'eval_1', stored: undefined, failure: undefined });
  });

  it('keeps the samples of a stored eval apart, round by round', () => {
    const stored: Eval = {
      ...EVAL,
      results: [resultOf('a', '1'), failedOf('b'), resultOf('a', '2'), resultOf('b', '3')] as Eval['results'],
    };
    expect(runOfEval(stored).columns.map(({ model, sample, text }) => [model, sample, text])).toEqual([
      ['a', 0, '1'],
      ['b', 0, ''],
      ['a', 1, '2'],
      ['b', 1, '3'],
    ]);
  });

  it('leaves the columns of other models unchanged, so that they are not drawn again', () => {
    const before = run(delta('a', 'x'));
    const after = applyEvent(before, delta('b', 'y'));
    expect(after.columns[0]).toBe(before.columns[0]);
  });

  it('keeps a failed model apart from the others', () => {
    expect(run({ event: 'result', data: failedOf('b') }).columns[1]).toMatchObject({ phase: 'failed', error: ERROR });
  });

  it('ends with the state of the stored eval', () => {
    expect(run(delta('a', 'He'), { event: 'eval', data: EVAL })).toEqual(runOfEval(EVAL));
    expect(phases(runOfEval(EVAL))).toEqual([
      ['a', 'ended', 'Hello'],
      ['b', 'failed', ''],
    ]);
  });

  it('distinguishes an empty answer from a failed one', () => {
    expect(run({ event: 'result', data: resultOf('a', '') }).columns[0]).toMatchObject({
      phase: 'ended',
      text: '',
      error: undefined,
    });
  });

  it('keeps the reasons of all models when every one failed', () => {
    const models = [
      { model: 'a', error: ERROR },
      { model: 'b', error: { ...ERROR, code: 'timeout' } },
    ];
    const state = run(
      { event: 'result', data: failedOf('a') },
      {
        event: 'error',
        data: { error: { code: 'all_models_failed', message: 'All models failed.', details: { models } } },
      },
    );
    expect(state.failure).toEqual({ code: 'all_models_failed', message: 'All models failed.' });
    expect(state.columns.map(({ phase, error }) => [phase, error?.code])).toEqual([
      ['failed', 'unavailable'],
      ['failed', 'timeout'],
    ]);
  });

  it('keeps the answers of a run that could not be stored', () => {
    const state = run(
      delta('a', 'x'),
      { event: 'result', data: resultOf('b', 'whole') },
      { event: 'error', data: { error: { code: 'unavailable', message: 'Not stored.' } } },
    );
    expect(phases(state)).toEqual([
      ['a', 'lost', 'x'],
      ['b', 'ended', 'whole'],
    ]);
    expect(state.failure?.message).toBe('Not stored.');
  });

  it.each<[string, RunEvent]>([
    ['an unknown event', { event: 'progress', data: { model: 'a' } }],
    ['a model that was not asked', delta('z', 'x')],
    ['no data', { event: 'delta', data: null }],
    ['text that is no text', { event: 'delta', data: { model: 'q', text: 5 } }],
    ['an eval without results', { event: 'eval', data: { eval_id: 'eval_1' } }],
    ['a result without a model', { event: 'result', data: {} }],
  ])('passes over %s', (_what, event) => {
    const before = run(delta('a', 'x'));
    expect(applyEvent(before, event)).toBe(before);
  });

  it('takes what it understands of events of another version', () => {
    const state = run(
      { event: 'eval-started', data: { id: 7 } },
      { event: 'delta', data: { model: 'a', text: 5 } },
      { event: 'result', data: { model: 'a', output: 7, shade: 'new' } },
      { event: 'result', data: { model: 'b', error: { code: 'brand_new' } } },
    );
    expect(phases(state)).toEqual([
      ['a', 'ended', ''],
      ['b', 'failed', ''],
    ]);
    expect(state.columns[1]?.error).toEqual({ code: 'brand_new', message: 'The model failed.', retryable: false });
    expect(run({ event: 'error', data: 'nonsense' }).failure).toMatchObject({ code: 'unknown' });
  });

  it('writes nothing after the end of a model', () => {
    expect(run({ event: 'result', data: resultOf('a', 'whole') }, delta('a', ' and more')).columns[0]?.text).toBe(
      'whole',
    );
  });
});

describe('loseRun', () => {
  it('marks only the models that had not ended', () => {
    expect(phases(markRunLost(run(delta('a', 'x'), { event: 'result', data: failedOf('b') })))).toEqual([
      ['a', 'lost', 'x'],
      ['b', 'failed', ''],
    ]);
  });
});

describe('endSentence', () => {
  it.each([
    [{}, 'a finished, 612 ms'],
    [{ error: { message: 'The vendor had an error.' } }, 'a failed: The vendor had an error.'],
  ])('of %j', (members, sentence) =>
    expect(
      endSentence({ model: 'a', output: '', latency_ms: 612, output_tokens: 500, ...members } as unknown as Result),
    ).toBe(sentence),
  );
});
