import { CompareError } from '../client/client';
import { messageOf } from './exit-codes';
import { inOwnWords } from './words';

describe('A sentence of the API', () => {
  it.each([
    [
      'The maximum cost of this eval exceeds options.max_cost_usd; no vendor was called.',
      'The maximum cost of this eval exceeds --max-cost; no vendor was called.',
    ],
    [
      'options.samples must be a whole number from 1 to 10; up to 50 are possible with Prefer: respond-async.',
      '--samples must be a whole number from 1 to 10; up to 50 are possible with --background.',
    ],
    ['options.reasoning_effort must be one of low, high.', '--effort must be one of low, high.'],
    ['options.reasoning_tokens is too high.', '--reasoning-tokens is too high.'],
    [
      'gpt is unknown; GET /api/v1/models lists the available models.',
      'gpt is unknown; mcs models lists the available models.',
    ],
    ['options.constructor is not a member.', '--constructor is not a member.'],
    ['No eval with this id exists.', 'No eval with this id exists.'],
  ])('%s', (theirs, ours) => expect(inOwnWords(theirs)).toBe(ours));

  it('about a refused key is followed by the way to another one', () => {
    const error = new CompareError('This key does not exist, was revoked or has expired.', {
      code: 'unauthorized',
      requestId: 'req_1',
    });
    expect(messageOf(error)).toBe(
      'This key does not exist, was revoked or has expired. (unauthorized)\nRun mcs login to store another key, or set MCS_API_KEY.\nRequest req_1',
    );
    expect(messageOf(error, 'mcs admin login')).toContain(
      'Run mcs admin login to store another key, or set MCS_ADMIN_KEY.',
    );
  });
});
