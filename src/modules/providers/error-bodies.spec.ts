import { AnthropicProvider } from './anthropic/anthropic.provider';
import { mapCallError } from './call-vendor';
import { OpenAiProvider } from './openai/openai.provider';
import type { CompletionRequest, Provider } from './provider';
import { ProviderError } from './provider.error';
import { VendorResponse } from './transport/vendor-response';

const ACCESS = { apiKey: 'k', baseUrl: 'http://vendor.invalid' };
const REQUEST: CompletionRequest = {
  model: 'm',
  prompt: 'hello',
  maxTokens: 5,
  temperature: undefined,
  isStreamed: true,
  dialect: { maxTokensField: 'max_tokens' },
};

/** The failure of a call whose vendor answers with a status and a body. */
async function failure(vendor: 'openai' | 'anthropic', status: number, body: object): Promise<unknown> {
  const post = async () => {
    const response = new VendorResponse(
      status,
      { 'retry-after': '2', 'content-type': 'application/json' },
      { release: () => undefined, abort: () => undefined },
    );
    response.push(Buffer.from(JSON.stringify(body)));
    response.finish();
    return response;
  };
  const provider: Provider =
    vendor === 'openai' ? new OpenAiProvider('openai', { post }, ACCESS) : new AnthropicProvider({ post }, ACCESS);
  return provider.complete(REQUEST, new AbortController().signal, () => undefined).catch((error: unknown) => error);
}

describe('An error that OpenAI answers with', () => {
  const failed = (status: number, error: object) => failure('openai', status, { error });

  test('becomes a ProviderError with the code of its status and kind, and the time to wait', async () => {
    expect(await failed(429, { type: 'requests', code: 'rate_limit_exceeded', message: 'slow' })).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 2000,
      afterFirstByte: false,
    });
    expect(await failed(429, { type: 'insufficient_quota', code: 'insufficient_quota', message: 'no' })).toMatchObject({
      code: 'quota_exhausted',
      retryable: false,
    });
    expect(await failed(503, { message: 'busy' })).toMatchObject({ code: 'overloaded' });
  });

  test('keeps the message of the vendor', async () => {
    expect(await failed(400, { type: 'invalid_request_error', message: 'top_p is too high' })).toMatchObject({
      message: expect.stringMatching(/It says: top_p is too high$/) as string,
    });
  });

  test('may be attempted again where it is the body of a success: no answer has been charged', async () => {
    expect(await failed(200, { type: 'server_error', message: 'x' })).toMatchObject({
      code: 'unavailable',
      afterFirstByte: false,
    });
  });
});

describe('An error that Anthropic answers with', () => {
  const failed = (status: number, type: string, message = 'x') =>
    failure('anthropic', status, { type: 'error', error: { type, message } });

  test.each([
    [400, 'invalid_request_error', 'rejected'],
    [401, 'authentication_error', 'authentication_failed'],
    [402, 'billing_error', 'quota_exhausted'],
    [403, 'permission_error', 'authentication_failed'],
    [404, 'not_found_error', 'model_unavailable'],
    [413, 'request_too_large', 'context_too_long'],
    [429, 'rate_limit_error', 'rate_limited'],
    [500, 'api_error', 'unavailable'],
    [529, 'overloaded_error', 'overloaded'],
  ])('becomes, for %d %s, %s, with the time to wait', async (status, type, code) => {
    expect(await failed(status, type)).toMatchObject({ code, retryAfterMs: 2000, afterFirstByte: false });
  });

  test('keeps the message of the vendor', async () => {
    expect(await failed(400, 'invalid_request_error', 'top_k is too high')).toMatchObject({
      message: expect.stringMatching(/It says: top_k is too high$/) as string,
    });
    expect(
      await failed(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    ).toMatchObject({ code: 'context_too_long' });
  });
});

describe('An error without a response', () => {
  test('is a failed connection', () => {
    const error = new Error('terminated');
    expect(mapCallError(error, false)).toMatchObject({
      code: 'connection_failed',
      afterFirstByte: false,
      cause: error,
    });
    expect(mapCallError(error, true)).toMatchObject({ code: 'connection_failed', afterFirstByte: true });
  });

  test.each([new SyntaxError('x'), new TypeError('x')])(
    'is an invalid answer when the body had another form: %p',
    (error) => {
      expect(mapCallError(error, true)).toMatchObject({ code: 'invalid_answer', afterFirstByte: true });
    },
  );

  test('always becomes a ProviderError, and is never mapped twice', () => {
    const ours = new ProviderError('overloaded');
    expect(mapCallError(ours, true)).toBe(ours);
    for (const error of [undefined, null, 'boom', {}]) expect(mapCallError(error, true)).toBeInstanceOf(ProviderError);
  });
});
