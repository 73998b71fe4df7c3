import { driftOf, relativeChange } from './drifts';

const change = (before: unknown, after: unknown) => ({ before, after, change: null });
const MODEL = {
  model: 'a', answered: { before: 6, after: 6 }, output: 'changed', similarity: 0.5, latency_ms: change(100, 150), cost_usd: change('0.1', '0.2'), input_tokens: change(1, 1), output_tokens: change(10, 12),
  checks: { improved: ['x'], regressed: [] }, vendor_model: { before: 'm-1', after: 'm-2', changed: true }, answered_by: { before: ['m-1a'], after: ['m-1a', 'm-1b'], changed: true }, applied: { before: {}, after: {}, changed: false }, prices: { before: null, after: null, changed: true },
  cost_change_usd: null, significant: { answered: { p_value: 1, p_adjusted: 1, significant: false }, checks: null }, because: 'w',
};

describe('driftOf', () => {
  it('reads what changed for each model', () => {
    expect(driftOf({ eval_id: 'eval_2', against: 'eval_1', request_changed: ['options.temperature'], models: [MODEL], only_before: ['b'], only_after: [] })).toEqual({
      against: 'eval_1', requestChanged: ['options.temperature'], onlyBefore: ['b'], onlyAfter: [],
      models: [{
        model: 'a', output: 'changed', similarity: 0.5, latency: { before: 100, after: 150 }, outputTokens: { before: 10, after: 12 }, cost: { before: '0.1', after: '0.2' },
        improved: ['x'], regressed: [], settings: ['the vendor’s model is now m-2, was m-1', 'the vendor changed the model: now m-1a, m-1b, before m-1a', 'the prices changed'], because: 'w',
      }],
    });
  });
  it('says what was set otherwise, and what the vendor’s model was only where that is known', () => {
    expect(driftOf({ models: [{ ...MODEL, vendor_model: { before: null, after: 'm-2', changed: true }, answered_by: { before: [], after: ['m-1b'], changed: false }, applied: { changed: true }, prices: { changed: false } }] }).models[0]?.settings).toEqual(['the vendor’s model is now m-2', 'other parameters were sent']);
  });
  it('knows nothing of a model that did not answer', () => {
    expect(driftOf({ models: [{ model: 'a', output: null, latency_ms: change(null, 1), cost_usd: change(null, null), significant: null }] }).models[0])
      .toMatchObject({ output: undefined, latency: { before: undefined, after: 1 }, cost: { before: undefined, after: undefined }, settings: [] });
  });
});

describe('relativeChange', () => {
  it.each([[100, 150, '+50 %'], [100, 50, '−50 %'], [100, 100.2, '±0 %'], [0, 5, undefined], [undefined, 5, undefined]])('from %p to %p is %p', (before, after, text) => expect(relativeChange({ before, after })).toBe(text));
});
