import type { Eval } from '../../../client/client';
import { contentOfEval } from './eval-content';

const stored = (options: object, applied: object = {}) =>
  ({
    prompt: 'Hi',
    models: ['a@low'],
    results: [{ details: { applied } }],
    details: { input: null, options: { temperature: 0.7, max_tokens: 500, ...options } },
  }) as unknown as Eval;

describe('contentOfEval', () => {
  it('takes over arms, system message, effort, room, the form of the answers and the exact model', () => {
    expect(
      contentOfEval(
        stored({
          system: 'Be brief.',
          history: [{ role: 'user', content: 'x' }],
          reasoning_effort: 'low',
          reasoning_tokens: 0,
          response_format: { type: 'json' },
          exact_model: true,
        }),
      ),
    ).toMatchObject({
      models: ['a@low'],
      system: 'Be brief.',
      history: [{ role: 'user', content: 'x' }],
      effort: 'low',
      room: '0',
      maxTokens: '500',
      format: 'json',
      exact: 'required',
    });
    expect(contentOfEval(stored({ exact_model: false }))).toMatchObject({
      system: '',
      history: [],
      effort: '',
      room: '',
      format: '',
      exact: '',
      maxTokens: '500',
    });
  });
  it('leaves the limit open where models got room by default', () => {
    expect(contentOfEval(stored({}, { reasoning_tokens: 2000 }))).toMatchObject({ maxTokens: '', room: '' });
    expect(contentOfEval(stored({ reasoning_tokens: 100 }, { reasoning_tokens: 100 }))).toMatchObject({
      maxTokens: '500',
      room: '100',
    });
  });
});
