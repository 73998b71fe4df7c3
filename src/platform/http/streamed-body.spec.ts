import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jest } from '@jest/globals';
import { ApiError } from '../../common/errors';
import { readStreamedBody } from './streamed-body';

/** The reading of a body whose bytes and time the test sends. */
function reading() {
  const raw = new PassThrough();
  const stop = new AbortController();
  const clock = { monotonicMs: () => jest.now() };
  const request = { raw, headers: {} } as unknown as FastifyRequest;
  const chunks = readStreamedBody(request, { header: () => undefined } as unknown as FastifyReply, {
    maxBytes: 10_000_000,
    stop: stop.signal,
    clock,
  });
  const next = async () => (await chunks.next()).value?.length;
  /** Sends bytes after a wait; returns how many were read. */
  const after = async (ms: number, bytes: number) => {
    const read = next();
    await jest.advanceTimersByTimeAsync(ms);
    raw.write(Buffer.alloc(bytes));
    return read;
  };
  return { raw, stop, next, after };
}

describe('readStreamedBody', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  test('reads a body to its end, also in pieces', async () => {
    const { raw, next, after } = reading();
    expect(await after(10, 3)).toBe(3);
    raw.end(Buffer.alloc(2));
    expect([await next(), await next()]).toEqual([2, undefined]);
  });

  test('is refused with the first byte above the limit, also without a stated length', async () => {
    const { raw, next } = reading();
    let read = 0;
    for (const bytes of [6_000_000, 4_000_000]) {
      raw.write(Buffer.alloc(bytes));
      read += (await next()) ?? 0;
    }
    while (read < 10_000_000) read += (await next()) ?? 0;
    raw.end(Buffer.alloc(1));
    await expect(next()).rejects.toMatchObject({ code: 'body_too_large', status: 413 });
  });

  test('waits for a sender of 16,384 bytes a second as long as it sends', async () => {
    const { after } = reading();
    for (let second = 0; second < 20; second += 1) expect(await after(999, 16_384)).toBe(16_384);
  });

  test('refuses a sender of fewer bytes after 5 seconds, also after a fast beginning', async () => {
    const { raw, next, after } = reading();
    expect(await after(0, 1_000_000)).toBeGreaterThan(0);
    for (;;) {
      raw.write(Buffer.alloc(1));
      if ((await next()) === 1) break;
    }
    for (let second = 0; second < 4; second += 1) expect(await after(1000, 16_000)).toBe(16_000);
    const read = next();
    const refusal = expect(read).rejects.toMatchObject({
      code: 'timeout',
      status: 408,
      message: 'The body arrives too slowly; at least 16,384 bytes a second are expected.',
    });
    await jest.advanceTimersByTimeAsync(1000);
    raw.end();
    await refusal;
  });

  test('does not count the time in which the service reads nothing', async () => {
    const { raw, next } = reading();
    for (let minute = 0; minute < 3; minute += 1) {
      await jest.advanceTimersByTimeAsync(60_000);
      raw.write(Buffer.alloc(1));
      expect(await next()).toBe(1);
    }
  });

  test('ends with the reason of a stop, before and while it waits', async () => {
    const { raw, stop, next } = reading();
    const read = next();
    const refusal = expect(read).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    stop.abort(new ApiError('unavailable', { retryAfterSeconds: 5 }));
    raw.end();
    await refusal;
    const other = reading();
    other.stop.abort(new ApiError('unavailable', { retryAfterSeconds: 5 }));
    other.raw.end('text');
    await expect(other.next()).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('fails as a disconnect if the caller is gone before the end', async () => {
    const { raw, next, after } = reading();
    expect(await after(0, 1)).toBe(1);
    raw.destroy();
    await expect(next()).rejects.toMatchObject({ message: 'aborted', code: 'ECONNRESET' });
  });

  test('leaves no listener behind', async () => {
    const { raw, after } = reading();
    const before = raw.eventNames().map((name) => raw.listenerCount(name));
    for (let times = 0; times < 20; times += 1) await after(1, 1);
    expect(raw.eventNames().map((name) => raw.listenerCount(name))).toEqual(before);
  });
});
