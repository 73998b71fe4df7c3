import * as anthropic from '@anthropic-ai/sdk';
import * as openai from 'openai';
import { mapSdkError } from './map-sdk-error';
import { ProviderError } from './provider.error';

describe('An error that the OpenAI SDK throws', () => {
  const headers = new Headers({ 'retry-after': '2' });
  const failed = (status: number, error: object) => mapSdkError(openai.APIError.generate(status, { error }, undefined, headers), false, openai);

  test('becomes a ProviderError with the code of its status and kind, and the time to wait', () => {
    expect(failed(429, { type: 'requests', code: 'rate_limit_exceeded', message: 'slow' })).toMatchObject({ code: 'rate_limited', retryAfterMs: 2000, afterFirstByte: false });
    expect(failed(429, { type: 'insufficient_quota', code: 'insufficient_quota', message: 'no' })).toMatchObject({ code: 'quota_exhausted', retryable: false });
    expect(failed(503, { message: 'busy' }).code).toBe('overloaded');
  });

  test('keeps the message of the vendor without the status that the SDK puts before it', () => {
    expect(failed(400, { type: 'invalid_request_error', message: 'top_p is too high' }).message).toMatch(/It says: top_p is too high$/);
  });
});

describe('An error that the Anthropic SDK throws', () => {
  const headers = new Headers({ 'retry-after': '2' });
  const failed = (status: number, type: string, message = 'x') => mapSdkError(anthropic.APIError.generate(status, { type: 'error', error: { type, message } }, undefined, headers), false, anthropic);

  test.each([
    [400, 'invalid_request_error', 'rejected'], [401, 'authentication_error', 'authentication_failed'], [402, 'billing_error', 'quota_exhausted'],
    [403, 'permission_error', 'authentication_failed'], [404, 'not_found_error', 'model_unavailable'], [413, 'request_too_large', 'context_too_long'],
    [429, 'rate_limit_error', 'rate_limited'], [500, 'api_error', 'unavailable'], [529, 'overloaded_error', 'overloaded'],
  ])('becomes, for %d %s, %s, with the time to wait', (status, type, code) => {
    expect(failed(status, type)).toMatchObject({ code, retryAfterMs: 2000, afterFirstByte: false });
  });

  test('keeps the message of the vendor and nothing of the SDK', () => {
    expect(failed(400, 'invalid_request_error', 'top_k is too high').message).toMatch(/It says: top_k is too high$/);
    expect(failed(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum').code).toBe('context_too_long');
  });
});

describe.each([['openai', openai], ['anthropic', anthropic]] as const)('An error without a response, in a call through %s', (_, sdk) => {
  test('is a failed connection', () => {
    for (const error of [new sdk.APIConnectionError({ message: 'x' }), new sdk.APIConnectionTimeoutError(), new TypeError('terminated')]) {
      expect(mapSdkError(error, false, sdk)).toMatchObject({ code: 'connection_failed', afterFirstByte: false, cause: error });
      expect(mapSdkError(error, true, sdk)).toMatchObject({ code: 'connection_failed', afterFirstByte: true });
    }
  });

  test('is an invalid answer when the body was no JSON', () => {
    expect(mapSdkError(new SyntaxError('x'), true, sdk)).toMatchObject({ code: 'invalid_answer', afterFirstByte: true });
  });

  test('always becomes a ProviderError, never stays an SDK error, and is never read twice', () => {
    const ours = new ProviderError('overloaded');
    expect(mapSdkError(ours, true, sdk)).toBe(ours);
    for (const error of [new sdk.APIUserAbortError(), undefined, null, 'boom', {}]) expect(mapSdkError(error, true, sdk)).toBeInstanceOf(ProviderError);
  });
});
