import { applyEvent, type ColumnState, newRun, runOfEval } from '../run/run';
import { costShares, type Lane, laneOf, laneText, placeOf, scaleOf } from './race';

const ended = (latency: unknown, ttft: unknown = null, cost: unknown = '0.5'): ColumnState => ({
  model: 'm',
  sample: 0,
  phase: 'ended',
  text: 'x',
  result: { latency_ms: latency, cost_usd: cost, details: { ttft_ms: ttft } } as never,
  error: undefined,
});
const column = (phase: ColumnState['phase'], more: Partial<ColumnState> = {}): ColumnState => ({
  model: 'm',
  sample: 0,
  phase,
  text: '',
  result: undefined,
  error: undefined,
  ...more,
});
const lane = (end: number | undefined, more: Partial<Lane> = {}): Lane => ({
  firstText: undefined,
  end,
  isWriting: false,
  cost: undefined,
  ...more,
});

describe('A lane of the race', () => {
  it('grows with the clock, from the moment it was sent, and knows its first text at once', () => {
    expect(laneOf([column('waiting')], undefined, 300)).toEqual({
      firstText: undefined,
      end: 300,
      isWriting: true,
      cost: undefined,
    });
    expect(laneOf([column('writing', { firstTextMs: 250 })], undefined, 300)).toEqual({
      firstText: 250,
      end: 300,
      isWriting: true,
      cost: undefined,
    });
  });

  it('has no end where no clock runs: after a lost connection, and without a moment of sending', () => {
    expect(laneOf([column('lost')], undefined, 300).end).toBeUndefined();
    expect(laneOf([column('waiting')], undefined, undefined).end).toBeUndefined();
  });

  it('takes the figures of the result, also latency 0, and no first text of a whole answer', () => {
    expect(laneOf([ended(0, 0)], undefined, undefined)).toEqual({
      firstText: 0,
      end: 0,
      isWriting: false,
      cost: '0.5',
    });
    expect(laneOf([ended(900)], undefined, undefined)).toEqual({
      firstText: undefined,
      end: 900,
      isWriting: false,
      cost: '0.5',
    });
  });

  it('has no cost that a link leaves out, and nothing of figures that are none', () => {
    expect(laneOf([ended('soon', Number.NaN, null)], undefined, undefined)).toEqual({
      firstText: undefined,
      end: undefined,
      isWriting: false,
      cost: undefined,
    });
  });

  it('takes the medians of several answers, of the service where it has them, and its mean cost', () => {
    const answers = [
      ended(100, 10),
      ended(400, 30),
      ended(200, null),
      column('failed', { result: { latency_ms: 9 } as never }),
    ];
    expect(laneOf(answers, undefined, 5000)).toMatchObject({ firstText: 20, end: 200, cost: undefined });
    expect(laneOf(answers.slice(0, 2), undefined, undefined)).toMatchObject({ end: 250 });
    expect(
      laneOf(answers, { latency_ms: { p50: 190 }, ttft_ms: { p50: 15 }, cost_usd: { mean: '0.25' } }, undefined),
    ).toMatchObject({ firstText: 15, end: 190, cost: '0.25' });
  });

  it('shows how long a failure took only where there is no answer', () =>
    expect(
      laneOf([column('failed', { result: { latency_ms: 9, cost_usd: '0' } as never })], undefined, undefined),
    ).toMatchObject({ end: 9, cost: undefined }));

  it('says in words what it draws', () => {
    expect(laneText(lane(1210, { firstText: 310 }), 1)).toBe('first text after 310 ms, end after 1.21 s');
    expect(laneText(lane(1210, { firstText: 310, isWriting: true }), 1)).toBe('first text after 310 ms');
    expect(laneText(lane(1210), 6)).toBe('end after 1.21 s (medians of 6)');
    expect(laneText(lane(undefined), 6)).toBe('');
  });
});

describe('The scale of the race', () => {
  it('ends with the slowest model; while somebody writes it doubles', () => {
    expect(scaleOf([lane(100), lane(700), lane(undefined)])).toBe(700);
    expect([100, 2000, 2001, 33_000].map((ms) => scaleOf([lane(ms, { isWriting: true }), lane(50)]))).toEqual([
      2000, 2000, 4000, 64_000,
    ]);
    expect(scaleOf([])).toBe(0);
  });

  it('places each time between its ends', () => {
    expect([placeOf(250, 1000), placeOf(2000, 1000), placeOf(-5, 1000), placeOf(undefined, 1000)]).toEqual([
      0.25, 1, 0, 0,
    ]);
    expect(placeOf(0, 0)).toBe(1);
  });

  it('compares costs once all have ended: equal ones are equally long, and nothing has no bar', () => {
    expect(costShares([lane(1, { cost: '0.001' }), lane(1, { cost: '0.004' }), lane(1)])).toEqual([0.25, 1, undefined]);
    expect(costShares([lane(1, { cost: '0.001' }), lane(1, { cost: '0.001' })])).toEqual([1, 1]);
    expect(costShares([lane(1, { cost: '0' }), lane(1, { cost: '0.000' })])).toEqual([undefined, undefined]);
    expect(costShares([lane(1, { cost: '0.001' }), lane(1, { isWriting: true })])).toEqual([undefined, undefined]);
  });
});

describe('The first text of a watched run', () => {
  const delta = { event: 'delta', data: { model: 'm', text: 'a' } };
  it('has the time of the first event with text, whatever comes later', () => {
    const state = applyEvent(applyEvent(newRun(['m']), delta, 250), delta, 900);
    expect(state.columns[0]).toMatchObject({ text: 'aa', firstTextMs: 250 });
  });

  it('is of the result once that is known', () =>
    expect(
      runOfEval({ models: ['m'], results: [{ model: 'm', output: 'a' }] } as never).columns[0]?.firstTextMs,
    ).toBeUndefined());
});
