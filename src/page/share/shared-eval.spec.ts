import { sharedView } from './shared-eval';

const SHARED = { redacted: ['prompt'], expires_at: '2026-12-22T00:00:00.000Z', models: ['Model A'], results: [{ model: 'Model A', latency_ms: 5 }], meta: { fastest_model: 'Model A', created_at: '2026-11-22T00:00:00.000Z' }, statistics: { samples: 1 }, agreement: { models: [] } };

describe('sharedView', () => {
  it('says what is left out and leaves it out', () => {
    expect(sharedView(SHARED)).toEqual({
      prompt: undefined, input: undefined, system: undefined, effort: undefined, createdAt: '2026-11-22T00:00:00.000Z', expiresAt: '2026-12-22T00:00:00.000Z', redacted: ['prompt'], agreement: { models: [] },
      stored: { eval_id: '', prompt: '', models: SHARED.models, results: SHARED.results, meta: SHARED.meta, statistics: { samples: 1 } },
    });
  });
  it('shows no figure and no lead where the names are hidden', () => {
    const blind = sharedView({ ...SHARED, redacted: ['models'], results: [{ model: 'Model A', output: 'x', latency_ms: 5, cost_usd: '0.1', input_tokens: 1, output_tokens: 2, total_tokens: 3 }] });
    expect(blind?.stored).toMatchObject({ results: [{ model: 'Model A', output: 'x' }], meta: { fastest_model: '', cheapest_model: '' } });
    expect(Object.keys(blind?.stored.results[0] ?? {})).toEqual(['model', 'output']);
  });
  it('takes over the texts that are shown', () => expect(sharedView({ ...SHARED, prompt: 'p', input: 'i', system: 's', reasoning_effort: 'low' })).toMatchObject({ prompt: 'p', input: 'i', system: 's', effort: 'low' }));
  it.each([undefined, {}, { models: [] }, { results: [] }])('knows nothing of %j', (answer) => expect(sharedView(answer)).toBeUndefined());
});
