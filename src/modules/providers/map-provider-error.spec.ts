import {
  connectionFailed,
  errorFromEvent,
  mapProviderError,
  invalidResponse,
  assertObject,
  retryAfterMs,
  type HttpErrorFacts,
} from './map-provider-error';
import type { FailureCode } from './provider.error';

const NOTHING: HttpErrorFacts = {
  status: undefined,
  headers: undefined,
  codes: '',
  message: undefined,
  cause: undefined,
};
const DATE = 'Fri, 20 Nov 2026 10:00:00 GMT';

describe('The status of a failed call', () => {
  test.each<[number, FailureCode]>([
    [400, 'rejected'],
    [401, 'authentication_failed'],
    [402, 'quota_exhausted'],
    [403, 'authentication_failed'],
    [404, 'model_unavailable'],
    [408, 'unavailable'],
    [409, 'unavailable'],
    [413, 'context_too_long'],
    [418, 'rejected'],
    [422, 'rejected'],
    [429, 'rate_limited'],
    [498, 'overloaded'],
    [499, 'rejected'],
    [500, 'unavailable'],
    [502, 'unavailable'],
    [503, 'overloaded'],
    [504, 'unavailable'],
    [529, 'overloaded'],
    [599, 'unavailable'],
  ])('means, when it is %d and there is nothing else, %s', (status, code) => {
    expect(mapProviderError({ ...NOTHING, status }).code).toBe(code);
  });

  test.each([408, 409, 429, 500, 502, 503, 504, 529])('may be retried when it is %d', (status) => {
    expect(mapProviderError({ ...NOTHING, status })).toMatchObject({ retryable: true, afterFirstByte: false });
  });

  test.each([400, 401, 402, 403, 404, 413, 422])('may not be retried when it is %d', (status) => {
    expect(mapProviderError({ ...NOTHING, status }).retryable).toBe(false);
  });

  test('means an error of the vendor when it is absent, as in a stream', () => {
    expect(mapProviderError(NOTHING).code).toBe('unavailable');
  });
});

describe('The error codes of a vendor', () => {
  test.each<[number | undefined, string, FailureCode]>([
    [429, 'insufficient_quota insufficient_quota', 'quota_exhausted'],
    [400, 'invalid_request_error billing_hard_limit_reached', 'quota_exhausted'],
    [402, 'billing_error', 'quota_exhausted'],
    [400, 'invalid_request_error context_length_exceeded', 'context_too_long'],
    [413, 'request_too_large', 'context_too_long'],
    [400, 'invalid_request_error content_policy_violation', 'content_refused'],
    [400, 'content_filter', 'content_refused'],
    [401, 'invalid_request_error invalid_api_key', 'authentication_failed'],
    [401, 'authentication_error', 'authentication_failed'],
    [403, 'permission_error', 'authentication_failed'],
    [429, 'requests rate_limit_exceeded', 'rate_limited'],
    [undefined, 'rate_limit_error', 'rate_limited'],
    [529, 'overloaded_error', 'overloaded'],
    [undefined, 'overloaded_error', 'overloaded'],
    [404, 'invalid_request_error model_not_found', 'model_unavailable'],
    [404, 'not_found_error', 'model_unavailable'],
    [undefined, 'credit_balance_too_low', 'quota_exhausted'],
    [undefined, 'insufficient_balance', 'quota_exhausted'],
    [undefined, 'payment_required', 'quota_exhausted'],
    [undefined, 'spend_limit_reached', 'quota_exhausted'],
    [undefined, 'context_window_exceeded', 'context_too_long'],
    [undefined, 'exceed_context_size_error', 'context_too_long'],
    [undefined, 'moderation_blocked', 'content_refused'],
    [undefined, 'refusal', 'content_refused'],
    [undefined, 'SAFETY', 'content_refused'],
    [undefined, 'invalid_prompt', 'content_refused'],
    [undefined, 'PROHIBITED_CONTENT', 'content_refused'],
    [400, 'INVALID_ARGUMENT API_KEY_INVALID', 'authentication_failed'],
    [undefined, 'PERMISSION_DENIED', 'authentication_failed'],
    [undefined, 'service_tier_capacity_exceeded', 'overloaded'],
    [undefined, 'slow_down', 'overloaded'],
    [undefined, 'service_unavailable', 'overloaded'],
    [undefined, 'model_decommissioned', 'model_unavailable'],
    [400, 'request_timeout', 'unavailable'],
    [400, 'invalid_request_error', 'rejected'],
    [500, 'api_error', 'unavailable'],
    [undefined, 'api_error', 'unavailable'],
    [undefined, 'server_error', 'unavailable'],
  ])('mean, with status %p, that %s is %s', (status, kind, code) => {
    expect(mapProviderError({ ...NOTHING, status, codes: kind }).code).toBe(code);
  });

  test('distinguish an exhausted account from a rate limit, which share a status', () => {
    const usedUp = mapProviderError({ ...NOTHING, status: 429, codes: 'insufficient_quota' });
    const limited = mapProviderError({ ...NOTHING, status: 429, codes: 'rate_limit_error' });
    expect([usedUp.retryable, limited.retryable]).toEqual([false, true]);
  });

  test.each([
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input exceeds the context window of this model',
  ])('are not needed to understand %j', (message) => {
    expect(mapProviderError({ ...NOTHING, status: 400, codes: 'invalid_request_error', message }).code).toBe(
      'context_too_long',
    );
  });
});

describe('The error message of a vendor', () => {
  test.each<[string, FailureCode]>([
    ['Your credit balance is too low to access the API.', 'quota_exhausted'],
    ['Insufficient Balance', 'quota_exhausted'],
    ['You are out of credits.', 'quota_exhausted'],
    ['Your team has used all available credits', 'quota_exhausted'],
    ['You have reached your spend limit.', 'quota_exhausted'],
    ['Your monthly spending limit is reached.', 'quota_exhausted'],
    ['Key limit exceeded (total limit)', 'quota_exhausted'],
    ['The content filter was triggered.', 'content_refused'],
    ['Content Exists Risk', 'content_refused'],
    ['Blocked: prohibited content', 'content_refused'],
    ['Blocked: prohibited-content', 'content_refused'],
    ['The content was blocked.', 'content_refused'],
    ['This violates our usage guidelines.', 'content_refused'],
    ['This violates our content policy.', 'content_refused'],
    ['Your input was flagged as unsafe.', 'content_refused'],
    ['Incorrect API key provided', 'authentication_failed'],
    ['Invalid api-key', 'authentication_failed'],
    ['Wrong or stale apikey', 'authentication_failed'],
    ['API key not valid. Please pass a valid one.', 'authentication_failed'],
    ['Your apikey is incorrect', 'authentication_failed'],
    ['The api_key given is incorrect', 'authentication_failed'],
    ['The api_key you gave is invalid', 'authentication_failed'],
    ['Unauthorized', 'authentication_failed'],
    ['The maximum prompt length is 131072.', 'context_too_long'],
    ['This exceeds the context length.', 'context_too_long'],
    ['This exceeds the context size.', 'context_too_long'],
    ['The input token count (2000000) exceeds the maximum.', 'context_too_long'],
    ['Request too large for model in organization', 'context_too_long'],
    ['Service tier capacity exceeded for this model.', 'overloaded'],
    ['Invalid model: tiny-1', 'model_unavailable'],
    ['Model Not Exist', 'model_unavailable'],
    ['unknown model tiny-1', 'model_unavailable'],
    ['top_k is too high', 'rejected'],
    ['The model key limit exceeded nothing', 'rejected'],
    ['This request too large a word is not', 'rejected'],
    ['Invalid is what we call a word that stands far before an API key', 'rejected'],
    ['The API key is fine, but one of the members beside it is invalid', 'rejected'],
  ])('means, in the words %j, %s where the codes say nothing', (message, code) => {
    expect(mapProviderError({ ...NOTHING, status: 400, codes: 'invalid_request_error', message }).code).toBe(code);
  });

  test('is ignored where the codes say more', () => {
    expect(
      mapProviderError({ ...NOTHING, status: 400, codes: 'rate_limit_error', message: 'unknown model' }).code,
    ).toBe('rate_limited');
  });

  test('takes precedence over the codes for a request that is too large, as waiting does not help', () => {
    expect(
      mapProviderError({
        ...NOTHING,
        status: 429,
        codes: 'rate_limit_exceeded',
        message: 'Request too large for gpt-4o',
      }).code,
    ).toBe('context_too_long');
    expect(mapProviderError({ ...NOTHING, status: 413, codes: 'rate_limit_exceeded' }).code).toBe('context_too_long');
  });
});

describe('retryAfterMs', () => {
  test.each<[string, Record<string, string>, number]>([
    ['whole seconds', { 'retry-after': '7' }, 7000],
    ['parts of a second', { 'retry-after': '0.25' }, 250],
    ['no time at all', { 'retry-after': '0' }, 0],
    ['blanks around it', { 'retry-after': ' 2 ' }, 2000],
    ['exact milliseconds', { 'retry-after-ms': '1500' }, 1500],
    ['exact milliseconds before seconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    ['seconds when the milliseconds are no number', { 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
    ['long whole seconds', { 'retry-after': '3600' }, 3_600_000],
    ['many decimals, rounded up', { 'retry-after': '12.34567' }, 12_346],
    ['a negative number of milliseconds beside seconds', { 'retry-after-ms': '-1', 'retry-after': '2' }, 2000],
    ['no milliseconds at all', { 'retry-after-ms': '0', 'retry-after': '2' }, 0],
    ['a date, against the clock of the vendor', { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT', date: DATE }, 30_000],
    ['a date that has passed', { 'retry-after': 'Fri, 20 Nov 2026 09:59:59 GMT', date: DATE }, 0],
  ])('is read from %s', (_, headers, waitMs) => {
    expect(retryAfterMs(headers)).toBe(waitMs);
  });

  test.each<[string, Record<string, string>]>([
    ['a date without the time of the vendor', { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }],
    ['words', { 'retry-after': 'later', date: DATE }],
    ['a number with more behind it', { 'retry-after': '5 or so', date: DATE }],
    ['a number with more before it', { 'retry-after': 'v5', date: DATE }],
    ['a date that is not written as in HTTP', { 'retry-after': '2026-11-20T10:00:30Z', date: DATE }],
    ['numbers that a date could be made of', { 'retry-after': '2026-11-21', date: DATE }],
    ['a negative number', { 'retry-after': '-5', date: DATE }],
    ['nothing', { date: DATE }],
  ])('is unknown from %s', (_, headers) => {
    expect(retryAfterMs(headers)).toBeUndefined();
  });

  test('is read from headers that keep the blanks around their values', () => {
    expect(retryAfterMs({ 'retry-after': ' 2 ' })).toBe(2000);
  });

  test('is unknown without headers', () => {
    expect(retryAfterMs(undefined)).toBeUndefined();
  });

  test('is part of the ProviderError', () => {
    expect(mapProviderError({ ...NOTHING, status: 429, headers: { 'retry-after': '3' } }).retryAfterMs).toBe(3000);
  });
});

describe('A ProviderError', () => {
  test('knows whether a part of the answer had arrived', () => {
    expect(mapProviderError({ ...NOTHING, status: 500 }).afterFirstByte).toBe(false);
    expect(mapProviderError({ ...NOTHING, status: 500, afterFirstByte: true }).afterFirstByte).toBe(true);
    expect(connectionFailed(false, undefined)).toMatchObject({
      code: 'connection_failed',
      afterFirstByte: false,
      retryable: true,
    });
    expect(connectionFailed(true, undefined)).toMatchObject({ code: 'connection_failed', afterFirstByte: true });
  });

  test('is, for an invalid answer, one after the first byte, so that it is not paid twice', () => {
    const cause = new SyntaxError('Unexpected end of JSON input');
    expect(invalidResponse(cause)).toMatchObject({ code: 'invalid_answer', afterFirstByte: true, cause });
  });

  test('is, for an error under a successful status, one after the first byte', () => {
    const error = { type: 'rate_limit_error', message: 'slow down' };
    expect(errorFromEvent(error)).toMatchObject({
      code: 'rate_limited',
      afterFirstByte: true,
      retryAfterMs: undefined,
      cause: error,
    });
    expect(errorFromEvent({ code: 'invalid_prompt', message: 'too rude' }).message).toMatch(/It says: too rude$/);
  });

  test.each([null, undefined, 'text', 5, true])('is invalid_answer for an answer that is no object: %j', (value) => {
    expect(() => assertObject(value as unknown as object)).toThrow(
      expect.objectContaining({ code: 'invalid_answer' }) as Error,
    );
  });

  test('is absent for an answer that is an object', () => {
    const value = { any: 'thing' };
    expect(assertObject(value)).toBe(value);
    expect(assertObject([])).toEqual([]);
  });

  test("contains the vendor's message about the request, and not the one about our account", () => {
    const message = 'top_k is too high';
    expect(mapProviderError({ ...NOTHING, status: 400, message }).message).toContain(message);
    expect(mapProviderError({ ...NOTHING, status: 401, message }).message).not.toContain(message);
  });
});
