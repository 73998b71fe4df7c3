import { parseErrorBody } from './parse-error-body';

describe('parseErrorBody', () => {
  test.each<[string, unknown, string, string | undefined]>([
    [
      'OpenAI',
      { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded' },
      'requests rate_limit_exceeded',
      'slow down',
    ],
    [
      'Anthropic',
      { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
      'error overloaded_error',
      'busy',
    ],
    [
      'Google, a list of one',
      [
        {
          error: {
            code: 400,
            status: 'INVALID_ARGUMENT',
            message: 'bad key',
            details: [{ reason: 'API_KEY_INVALID' }],
          },
        },
      ],
      'INVALID_ARGUMENT API_KEY_INVALID',
      'bad key',
    ],
    [
      'Mistral, flat',
      { object: 'error', message: 'Invalid model: x', type: 'invalid_model', code: '1500' },
      'invalid_model 1500',
      'Invalid model: x',
    ],
    ['Mistral, with a detail', { detail: [{ type: 'extra_forbidden', msg: 'x' }] }, 'extra_forbidden', 'x'],
    ['xAI', { code: 'invalid-argument', error: 'Incorrect API key' }, 'invalid-argument', 'Incorrect API key'],
    [
      'OpenRouter',
      { code: 502, message: 'Provider returned error', metadata: { provider_code: 'upstream_error' } },
      'upstream_error',
      'Provider returned error',
    ],
    [
      'OpenRouter, of a prompt that was moderated',
      { code: 403, message: 'Flagged', metadata: { flagged_input: 'the words of the caller', reasons: ['x'] } },
      'moderation',
      'Flagged',
    ],
    [
      'OpenRouter, of a model that is unavailable',
      { availability: { reason: 'gone', message: 'It is gone.' } },
      'gone',
      'It is gone.',
    ],
    [
      'a vendor with a message that is an object',
      { message: { code: 'inner', message: 'Deep down.' } },
      'inner',
      'Deep down.',
    ],
    ['other machine words', { error_type: 'one', error_code: 'two' }, 'one two', undefined],
    [
      'several sentences, of which the first counts',
      { message: 'first', error: { message: 'second' }, detail: 'third' },
      '',
      'first',
    ],
    ['words that are no texts', { type: 7, code: null, message: 9, metadata: { reason: true } }, '', undefined],
    ['a sentence alone', 'boom', '', 'boom'],
    ['nothing', undefined, '', undefined],
    ['null', null, '', undefined],
    ['a number', 5, '', undefined],
  ])('finds the codes and the message as %s writes them', (_, body, codes, message) => {
    expect(parseErrorBody(body)).toMatchObject({ codes, message });
  });

  test.each<[object, string | undefined]>([
    [{ error: { param: 'a.b' } }, 'a.b'],
    [{ error: { param: null } }, undefined],
    [{ param: 5 }, undefined],
    [{ param: {} }, undefined],
    [{ detail: [{ loc: ['body', 'a', 0, 'b'] }, { loc: ['body', 'c'] }] }, 'a.b'],
    [[{ error: { details: [{ fieldViolations: [{ field: 'a.b' }] }] } }], 'a.b'],
  ])('finds the member of the request that %j names', (body, param) => {
    expect(parseErrorBody(body).param).toBe(param);
  });

  test.each([
    [{ code: 429 }, 429],
    [{ error: { code: 502 } }, 502],
    [{ code: 200 }, undefined],
    [{ code: 399 }, undefined],
    [{ code: 400 }, 400],
    [{ code: 599 }, 599],
    [{ code: 600 }, undefined],
    [{ code: 429, error: { code: 502 } }, 429],
    [{ code: 1500 }, undefined],
    [{ code: '429' }, undefined],
    [{}, undefined],
  ])('finds, in %j, the status %p', (body, status) => {
    expect(parseErrorBody(body).status).toBe(status);
  });

  test('searches six levels below the body and no deeper', () => {
    const below = (steps: number): unknown => (steps === 0 ? { code: 'here' } : { error: below(steps - 1) });
    const inLists = (steps: number): unknown => (steps === 0 ? { code: 'here' } : [inLists(steps - 1)]);
    for (const nested of [below, inLists])
      expect([parseErrorBody(nested(6)).codes, parseErrorBody(nested(7)).codes]).toEqual(['here', '']);
  });

  test('stops at the maximum depth, also in a cycle', () => {
    const circle: { error?: unknown; code: string } = { code: 'round' };
    circle.error = circle;
    expect(parseErrorBody(circle).codes).toMatch(/^round( round)*$/);
  });
});
