import type { Result } from '../../../client/client';
import { effortText, emptyAnswer, shownWarnings, warningsOf } from './answer-outcome';

const result = (members: object) =>
  ({ model: 'a', output: '', latency_ms: 612, output_tokens: 500, ...members }) as unknown as Result;

describe('emptyAnswer', () => {
  it('names the limit that reasoning ate, and a higher one', () => {
    expect(emptyAnswer(result({ details: { finish_reason: 'length' } }), 500)).toEqual({
      sentence: 'Empty answer: the model spent all 500 tokens on reasoning (max_tokens).',
      raise: { field: 'maxTokens', to: 2000 },
    });
    expect(emptyAnswer(result({ warnings: [{ code: 'output_truncated', message: 'Cut.' }] }), 16_000).raise?.to).toBe(
      16_384,
    );
    expect(
      emptyAnswer(result({ warnings: [{ code: 'output_truncated', message: 'Cut.' }] }), 16_384).raise,
    ).toBeUndefined();
  });
  it('blames no limit that was not reached', () =>
    expect(emptyAnswer(result({ details: { finish_reason: 'stop' } }), 500)).toEqual({
      sentence: expect.stringContaining('before the first word'),
      raise: undefined,
    }));
  it('says that the room was too small in the place of the answer, and not below it', () => {
    const starved = result({
      details: { finish_reason: 'length', tokens: { reasoning: 600 } },
      warnings: [
        { code: 'no_room_for_answer', message: 'It thought.' },
        { code: 'other', message: 'Else.' },
      ],
    });
    expect(emptyAnswer(starved, 500)).toEqual({ sentence: 'It thought.', raise: { field: 'room', to: 2400 } });
    expect(
      emptyAnswer(
        result({
          details: { tokens: { reasoning: 16 } },
          warnings: [{ code: 'no_room_for_answer', message: 'It thought.' }],
        }),
        16,
      ).raise,
    ).toEqual({ field: 'room', to: 2000 });
    expect(shownWarnings(starved)).toEqual([{ code: 'other', message: 'Else.' }]);
  });
});

describe('warningsOf', () => {
  it.each([
    [undefined, 0],
    ['many', 0],
    [[null, 5, {}], 0],
    [[{ message: 'New.' }], 1],
  ])('of %j has %i', (warnings, count) => expect(warningsOf(result({ warnings }))).toHaveLength(count));
});

const applied = (parameters: object, more: object = {}) =>
  ({ model: 'a', details: { applied: parameters }, ...more }) as unknown as Result;

describe('effortText', () => {
  it.each<[string, string, string | undefined, Result | undefined, string | undefined]>([
    ['before the answer', 'a', 'low', undefined, 'effort low'],
    ['of an arm before the answer', 'a@high', undefined, undefined, undefined],
    ['that was sent', 'a', 'low', applied({ reasoning_effort: 'low' }), 'effort low'],
    ['that was adapted', 'a', 'max', applied({ reasoning_effort: 'high' }), 'effort high (asked for max)'],
    ['that was left out', 'a', 'max', applied({}), 'no effort sent (asked for max)'],
    ['none, which needs no parameter', 'a', 'none', applied({}), 'effort none'],
    ['of an arm beside that of all', 'a@low', 'max', applied({ reasoning_effort: 'low' }), undefined],
    [
      'of an arm that was adapted',
      'a@max',
      undefined,
      applied({ reasoning_effort: 'high' }),
      'effort high (asked for max)',
    ],
    ['without a wanted effort', 'a', undefined, applied({ reasoning_effort: 'low' }), 'effort low'],
    ['of a failed call', 'a', 'low', applied({}, { error: { code: 'rejected' } }), 'effort low'],
    ['without details', 'a', 'low', { model: 'a' } as Result, 'effort low'],
    ['of a plain call', 'a', undefined, applied({ max_tokens: 500 }), undefined],
  ])('names an effort %s', (_, id, asked, result, text) => expect(effortText(id, asked, result)).toBe(text));
});
