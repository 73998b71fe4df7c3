import type { Eval } from '../../../client/client';
import type { ColumnState } from '../run/run';
import { stateText } from './figures';
import { summaryOf, withoutDetails } from './summary';

const column = (phase: ColumnState['phase'], result?: object) =>
  ({ model: 'm', phase, text: '', error: undefined, result }) as unknown as ColumnState;
const EVAL = {
  eval_id: 'eval_1',
  prompt: 'p',
  models: ['a'],
  results: [{ model: 'a', output: '', cost_usd: '0.1', details: { ttft_ms: 1 } }],
  meta: { total_cost_usd: '0.00046005' },
  details: { free: true, charge_usd: '0', duration_ms: 1212 },
} as unknown as Eval;

describe('summaryOf', () => {
  it('counts while models write', () => {
    expect(summaryOf([column('ended'), column('failed'), column('writing')], undefined)).toEqual({
      count: '1 of 3 so far',
      failed: [1],
      cost: undefined,
      charge: undefined,
      duration: undefined,
    });
  });
  it.each([
    ['0.00046005', '0', true, '$0.00046', 'free'],
    ['0.00046005', '0.00064407', false, '$0.00046', 'charged $0.000644'],
    ['0.00', '0', false, 'costs nothing', undefined],
    ['0', '0.01', false, undefined, 'charged $0.01'],
    ['0', '0', true, undefined, 'free'],
    ['0.1', undefined, false, '$0.10', undefined],
    ['0', undefined, false, 'costs nothing', undefined],
    [undefined, undefined, false, undefined, undefined],
  ])('of a cost of %p and a charge of %p, free %p, says %p and %p', (cost, charge, free, costText, chargeText) => {
    const stored = {
      ...EVAL,
      meta: { total_cost_usd: cost },
      details: charge === undefined ? undefined : { ...EVAL.details, free, charge_usd: charge },
    } as unknown as Eval;
    const summary = summaryOf([column('ended')], stored);
    expect([summary.cost?.text, summary.charge?.text]).toEqual([costText, chargeText]);
  });
  it('has no cost if the link hides it', () =>
    expect(summaryOf([column('ended')], { ...EVAL, meta: {} } as unknown as Eval).cost).toBeUndefined());

  it('says what a stored eval cost', () => {
    expect(summaryOf([column('ended'), column('failed')], EVAL)).toMatchObject({
      count: '1 of 2',
      failed: [1],
      cost: { text: '$0.00046', title: '$0.00046005' },
      charge: { text: 'free' },
      duration: '1.21 s',
    });
    const charged = { ...EVAL, details: { ...EVAL.details, free: false, charge_usd: '0.00064407' } } as Eval;
    expect(summaryOf([column('ended')], charged).charge).toEqual({ text: 'charged $0.000644', title: '$0.00064407' });
    expect(summaryOf([column('ended')], { ...EVAL, details: undefined })).toMatchObject({
      charge: undefined,
      duration: undefined,
    });
  });
});

describe('stateText', () => {
  it.each([
    [column('ended', { latency_ms: 1210 }), '1.21 s'],
    [column('ended'), 'ended'],
    [column('failed', { latency_ms: 5 }), 'failed'],
    [column('waiting'), 'waiting'],
    [column('lost'), 'not received'],
  ])('%#: %s', (state, text) => {
    expect(stateText(state)).toBe(text);
  });
});

describe('withoutDetails', () => {
  it('leaves what GET /evals/:id answers', () => {
    expect(
      withoutDetails({
        ...EVAL,
        checks: {},
        statistics: {},
        results: EVAL.results.map((result) => ({ ...result, checks: [] })),
      } as unknown as Eval),
    ).toEqual({
      eval_id: 'eval_1',
      prompt: 'p',
      models: ['a'],
      results: [{ model: 'a', output: '', cost_usd: '0.1' }],
      meta: { total_cost_usd: '0.00046005' },
    });
  });
});
