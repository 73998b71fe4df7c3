import type { SharedEval } from '../../client/client';
import { evalOfShare, redactionText, tokenOf } from './shares';

const SHARED = {
  redacted: ['prompt'],
  expires_at: '2026-12-22T00:00:00.000Z',
  models: ['Model A'],
  results: [{ model: 'Model A', latency_ms: 5 }],
  meta: { fastest_model: 'Model A', created_at: '2026-11-22T00:00:00.000Z' },
  statistics: { samples: 1 },
  agreement: { models: [] },
};
const evalOf = (members: object = {}) => evalOfShare({ ...SHARED, ...members } as unknown as SharedEval);

describe('evalOfShare', () => {
  it('has what the link shows', () =>
    expect(evalOf()).toEqual({
      eval_id: '',
      prompt: '',
      models: SHARED.models,
      results: SHARED.results,
      meta: SHARED.meta,
      statistics: { samples: 1 },
    }));
  it('shows no figure and no lead where the names are hidden', () => {
    const blind = evalOf({
      redacted: ['models'],
      results: [
        {
          model: 'Model A',
          output: 'x',
          latency_ms: 5,
          cost_usd: '0.1',
          input_tokens: 1,
          output_tokens: 2,
          total_tokens: 3,
        },
      ],
    });
    expect(blind).toMatchObject({
      results: [{ model: 'Model A', output: 'x' }],
      meta: { fastest_model: '', cheapest_model: '' },
    });
    expect(Object.keys(blind.results[0] ?? {})).toEqual(['model', 'output']);
  });
});

describe('tokenOf', () => {
  it.each([
    ['http://127.0.0.1:3000/api/v1/shared/shr_abc', 'shr_abc'],
    ['/shared/shr_abc', 'shr_abc'],
    ['https://example.com/shared/', undefined],
    ['', undefined],
    ['https://example.com/shared/a/b', undefined],
  ])('of %s is %p', (url, token) => expect(tokenOf(url)).toBe(token));
});

describe('redactionText', () => {
  it('says what is left out', () =>
    expect([redactionText([]), redactionText(['prompt', 'models', 'more', 'toString'])]).toEqual([
      'shows everything',
      'hides prompt, names of the models, more, toString',
    ]));
});
