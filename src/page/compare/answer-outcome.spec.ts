import type { Result } from '../../client/client';
import { emptyAnswer, endSentence, warningsOf } from './answer-outcome';

const result = (members: object) => ({ model: 'a', output: '', latency_ms: 612, output_tokens: 500, ...members }) as unknown as Result;

describe('emptyAnswer', () => {
  it('names the limit that reasoning ate, and a higher one', () => {
    expect(emptyAnswer(result({ details: { finish_reason: 'length' } }), 500)).toEqual({ sentence: 'No text. The model spent all 500 tokens on reasoning (max_tokens).', raiseTo: 2000 });
    expect(emptyAnswer(result({ warnings: [{ code: 'output_truncated', message: 'Cut.' }] }), 16_000).raiseTo).toBe(16_384);
    expect(emptyAnswer(result({ warnings: [{ code: 'output_truncated', message: 'Cut.' }] }), 16_384).raiseTo).toBeUndefined();
  });
  it('blames no limit that was not reached', () => expect(emptyAnswer(result({ details: { finish_reason: 'stop' } }), 500)).toEqual({ sentence: expect.stringContaining('before the first word'), raiseTo: undefined }));
});

describe('warningsOf', () => {
  it.each([[undefined, 0], ['many', 0], [[null, 5, {}], 0], [[{ message: 'New.' }], 1]])('of %j has %i', (warnings, count) => expect(warningsOf(result({ warnings }))).toHaveLength(count));
});

describe('endSentence', () => {
  it.each([[{}, 'a finished, 0.6 seconds'], [{ error: { message: 'The vendor had an error.' } }, 'a failed: The vendor had an error.']])('of %j', (members, sentence) => expect(endSentence(result(members))).toBe(sentence));
});
