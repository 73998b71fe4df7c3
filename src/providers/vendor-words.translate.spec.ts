import { vendorWords } from './vendor-words.translate';

describe("the words of a vendor's error", () => {
  test.each<[string, unknown, string, string | undefined]>([
    ['OpenAI', { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded' }, 'requests rate_limit_exceeded', 'slow down'],
    ['Anthropic', { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }, 'error overloaded_error', 'busy'],
    ['Google, a list of one', [{ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'bad key', details: [{ reason: 'API_KEY_INVALID' }] } }], 'INVALID_ARGUMENT API_KEY_INVALID', 'bad key'],
    ['Mistral, flat', { object: 'error', message: 'Invalid model: x', type: 'invalid_model', code: '1500' }, 'invalid_model 1500', 'Invalid model: x'],
    ['Mistral, with a detail', { detail: [{ type: 'extra_forbidden', msg: 'x' }] }, 'extra_forbidden', undefined],
    ['xAI', { code: 'invalid-argument', error: 'Incorrect API key' }, 'invalid-argument', 'Incorrect API key'],
    ['OpenRouter', { code: 502, message: 'Provider returned error', metadata: { provider_code: 'upstream_error' } }, 'upstream_error', 'Provider returned error'],
    ['a sentence alone', 'boom', '', 'boom'],
    ['nothing', undefined, '', undefined],
    ['null', null, '', undefined],
    ['a number', 5, '', undefined],
  ])('are found as %s writes them', (_, body, kind, message) => {
    expect(vendorWords(body)).toMatchObject({ kind, message });
  });

  test.each([[{ code: 429 }, 429], [{ error: { code: 502 } }, 502], [{ code: 200 }, undefined], [{ code: 1500 }, undefined], [{ code: '429' }, undefined], [{}, undefined]])(
    'of %j hold the status %p',
    (body, status) => {
      expect(vendorWords(body).status).toBe(status);
    },
  );

  test('are looked for only so deep, and in a circle only so long', () => {
    const circle: { error?: unknown; code: string } = { code: 'round' };
    circle.error = circle;
    expect(vendorWords(circle).kind).toMatch(/^round( round)*$/);
  });
});
