import type { StoredEval } from '../evals/evals.service';
import { requestOf } from './rerun-request';

/** An eval whose models had these parameters. */
function stored(record: object, ...applied: object[]): StoredEval {
  const results = applied.map((parameters) => ({ warnings: [], details: { applied: parameters } }));
  return {
    record: {
      prompt: 'Hello',
      input: null,
      models: ['a', 'b'],
      temperature: 0.7,
      maxTokens: 500,
      samples: 1,
      checks: null,
      maxCost: null,
      options: null,
      ...record,
    },
    results,
  } as unknown as StoredEval;
}

describe('The request that repeats an eval', () => {
  test.each<[string, StoredEval, object]>([
    [
      'leaves the output limit out where a model had the default room',
      stored({}, { max_tokens: 500 }, { max_tokens: 2500, reasoning_tokens: 2000 }),
      {},
    ],
    [
      'does so beside other options',
      stored({ options: { reasoning_effort: 'high' } }, { max_tokens: 2500, reasoning_tokens: 2000 }),
      { reasoning_effort: 'high' },
    ],
    [
      'repeats a limit that no model had room beyond',
      stored({}, { max_tokens: 500 }, { max_completion_tokens: 500 }),
      { max_tokens: 500 },
    ],
    ['repeats another limit', stored({ maxTokens: 501 }, { max_tokens: 501 }), { max_tokens: 501 }],
    [
      'repeats both where the room was asked for',
      stored({ options: { reasoning_tokens: 2000 } }, { max_tokens: 2500, reasoning_tokens: 2000 }),
      { max_tokens: 500, reasoning_tokens: 2000 },
    ],
    [
      'repeats a room of 0',
      stored({ options: { reasoning_tokens: 0 } }, { max_tokens: 500 }),
      { max_tokens: 500, reasoning_tokens: 0 },
    ],
  ])('%s', (_, evaluation, options) => {
    expect(requestOf(evaluation, undefined)).toEqual({ prompt: 'Hello', models: ['a', 'b'], options });
  });
});
