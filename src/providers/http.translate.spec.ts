import { connectionFailed, failureOf, invalidAnswer, retryAfterMs, type HttpFailure } from './http.translate';
import type { FailureCode } from './provider.error';

const NOTHING: HttpFailure = { status: undefined, headers: undefined, kind: '', message: undefined, cause: undefined };
const DATE = 'Fri, 20 Nov 2026 10:00:00 GMT';

describe('the status of a failed call', () => {
  test.each<[number, FailureCode]>([
    [400, 'rejected'], [401, 'authentication_failed'], [402, 'quota_exhausted'], [403, 'authentication_failed'], [404, 'model_unavailable'],
    [408, 'unavailable'], [409, 'unavailable'], [413, 'context_too_long'], [418, 'rejected'], [422, 'rejected'], [429, 'rate_limited'],
    [500, 'unavailable'], [502, 'unavailable'], [503, 'overloaded'], [504, 'unavailable'], [529, 'overloaded'], [599, 'unavailable'],
  ])('%d alone means %s', (status, code) => {
    expect(failureOf({ ...NOTHING, status }).code).toBe(code);
  });

  test.each([408, 409, 429, 500, 502, 503, 504, 529])('%d may be tried again', (status) => {
    expect(failureOf({ ...NOTHING, status })).toMatchObject({ retryable: true, afterFirstByte: false });
  });

  test.each([400, 401, 402, 403, 404, 413, 422])('%d may not be tried again', (status) => {
    expect(failureOf({ ...NOTHING, status }).retryable).toBe(false);
  });

  test('that is absent, as in a stream, leaves the vendor with an error of its own', () => {
    expect(failureOf(NOTHING).code).toBe('unavailable');
  });
});

describe("the vendor's machine-readable words", () => {
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
    [400, 'invalid_request_error', 'rejected'],
    [500, 'api_error', 'unavailable'],
    [undefined, 'api_error', 'unavailable'],
    [undefined, 'server_error', 'unavailable'],
  ])('with status %p, %s means %s', (status, kind, code) => {
    expect(failureOf({ ...NOTHING, status, kind }).code).toBe(code);
  });

  test('tell a used-up account from a rate limit, which share a status', () => {
    const usedUp = failureOf({ ...NOTHING, status: 429, kind: 'insufficient_quota' });
    const limited = failureOf({ ...NOTHING, status: 429, kind: 'rate_limit_error' });
    expect([usedUp.retryable, limited.retryable]).toEqual([false, true]);
  });

  test.each([
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input exceeds the context window of this model',
  ])('are not needed to understand %j', (message) => {
    expect(failureOf({ ...NOTHING, status: 400, kind: 'invalid_request_error', message }).code).toBe('context_too_long');
  });
});

describe('how long to wait', () => {
  test.each<[string, Record<string, string>, number]>([
    ['whole seconds', { 'retry-after': '7' }, 7000],
    ['parts of a second', { 'retry-after': '0.25' }, 250],
    ['no time at all', { 'retry-after': '0' }, 0],
    ['blanks around it', { 'retry-after': ' 2 ' }, 2000],
    ['exact milliseconds', { 'retry-after-ms': '1500' }, 1500],
    ['exact milliseconds before seconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    ['seconds when the milliseconds are no number', { 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
    ['a date, against the clock of the vendor', { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT', date: DATE }, 30_000],
    ['a date that has passed', { 'retry-after': 'Fri, 20 Nov 2026 09:59:59 GMT', date: DATE }, 0],
  ])('is read from %s', (_, headers, waitMs) => {
    expect(retryAfterMs(new Headers(headers))).toBe(waitMs);
  });

  test.each<[string, Record<string, string>]>([
    ['a date without the time of the vendor', { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }],
    ['words', { 'retry-after': 'later', date: DATE }],
    ['a negative number', { 'retry-after': '-5', date: DATE }],
    ['nothing', { date: DATE }],
  ])('is unknown from %s', (_, headers) => {
    expect(retryAfterMs(new Headers(headers))).toBeUndefined();
  });

  test('is unknown without headers', () => {
    expect(retryAfterMs(undefined)).toBeUndefined();
  });

  test('goes with the failure', () => {
    expect(failureOf({ ...NOTHING, status: 429, headers: new Headers({ 'retry-after': '3' }) }).retryAfterMs).toBe(3000);
  });
});

describe('a failure', () => {
  test('knows whether a part of the answer had come', () => {
    expect(failureOf({ ...NOTHING, status: 500 }).afterFirstByte).toBe(false);
    expect(failureOf({ ...NOTHING, status: 500, afterFirstByte: true }).afterFirstByte).toBe(true);
    expect(connectionFailed(false, undefined)).toMatchObject({ code: 'connection_failed', afterFirstByte: false, retryable: true });
    expect(connectionFailed(true, undefined)).toMatchObject({ code: 'connection_failed', afterFirstByte: true });
  });

  test('that is a wrong answer came after the first byte, so that it is not bought twice', () => {
    const cause = new SyntaxError('Unexpected end of JSON input');
    expect(invalidAnswer(cause)).toMatchObject({ code: 'invalid_answer', afterFirstByte: true, cause });
  });

  test('tells the words of the vendor about the request, and keeps those about our account', () => {
    const message = 'top_k is too high';
    expect(failureOf({ ...NOTHING, status: 400, message }).message).toContain(message);
    expect(failureOf({ ...NOTHING, status: 401, message }).message).not.toContain(message);
  });
});
