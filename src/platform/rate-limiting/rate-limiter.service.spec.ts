import type { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';
import { Config } from '../config/config';
import { RateLimitStorage } from './rate-limit.storage';
import { RateLimiterService } from './rate-limiter.service';
import type { RedisService } from './redis.service';

const CONFIG = Config.read({
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
  RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '2',
  RATE_LIMIT_COMPARE_PER_MINUTE: '12',
});
const POLICY = { name: 'read', limit: 3, windowMs: 60_000 };

/** The headers of the answer to one more request of `who`, and the reason of a refusal. */
async function count(
  storage: ThrottlerStorage,
  who: string,
  consume = (limits: RateLimiterService, reply: FastifyReply) => limits.consume(POLICY, who, reply),
) {
  const headers: Record<string, string> = {};
  const reply = {
    header: (name: string, value: string) => {
      headers[name] = value;
    },
  } as unknown as FastifyReply;
  const refusal: unknown = await consume(new RateLimiterService(storage, CONFIG), reply).then(
    () => undefined,
    (error: unknown) => error,
  );
  const [, remaining, seconds] = /r=(\d+);t=(\d+)/.exec(headers['ratelimit'] ?? '') ?? [];
  return { headers, refusal, remaining: Number(remaining), seconds: Number(seconds) };
}

describe('RateLimiterService', () => {
  test('reports with each response how many requests are left, and rejects those beyond the limit until the window ends', async () => {
    const storage = new RateLimitStorage({ redis: undefined } as RedisService);
    const answers = [];
    for (let i = 0; i < 5; i += 1) answers.push(await count(storage, 'key_1'));
    expect(answers.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0]);
    expect(answers.map(({ refusal }) => refusal !== undefined)).toEqual([false, false, false, true, true]);
    for (const { headers, seconds, refusal } of answers) {
      expect(headers['ratelimit-policy']).toBe('"read";q=3;w=60');
      expect(seconds).toBeGreaterThan(50);
      expect(seconds).toBeLessThanOrEqual(60);
      if (refusal !== undefined) expect(refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: seconds });
    }
    expect((await count(storage, 'key_2')).remaining).toBe(2);
  });

  test('counts a heavy request as several, but never as more than the limit, and says so when it rejects it', async () => {
    const storage = new RateLimitStorage({ redis: undefined } as RedisService);
    const send = (who: string, weight: number) =>
      count(storage, who, (limits, reply) => limits.consume(POLICY, who, reply, { weight }));
    const answers = [
      await send('key_1', 2),
      await send('key_1', 1),
      await send('key_1', 2),
      await send('key_2', 2),
      await send('key_2', 2),
      await send('key_3', 50),
      await send('key_3', 1),
    ];
    expect(answers.map(({ remaining }) => remaining)).toEqual([1, 0, 0, 1, 0, 0, 0]);
    expect(answers.map(({ refusal }) => refusal !== undefined)).toEqual([false, false, true, false, true, false, true]);
    expect(answers[4]?.refusal).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: answers[4]?.seconds,
      message: 'Too many requests, of which this one counts as 2; try again after Retry-After seconds.',
    });
    expect(answers[6]?.refusal).toMatchObject({ message: 'Too many requests; try again after Retry-After seconds.' });
  });

  test('counts the samples of a compare that already counted as one, so that the total is the number of samples', async () => {
    const storage = new RateLimitStorage({ redis: undefined } as RedisService);
    const first = (who: string) =>
      count(storage, who, (limits, reply) => limits.consume({ ...POLICY, name: 'compare', limit: 12 }, who, reply));
    const rest = (who: string, samples: number) =>
      count(storage, who, (limits, reply) => limits.consumeSamples(samples, who, reply));
    const answers = [
      await first('key_1'),
      await rest('key_1', 10),
      await first('key_1'),
      await rest('key_1', 1),
      await rest('key_1', 3),
      await first('key_2'),
      await rest('key_2', 50),
    ];
    expect(answers.map(({ remaining }) => remaining)).toEqual([11, 2, 1, NaN, 0, 11, 0]);
    expect(answers.map(({ refusal }) => refusal !== undefined)).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
      false,
    ]);
    expect(answers[4]?.refusal).toMatchObject({
      code: 'rate_limited',
      message: 'Too many requests, of which this one counts as 3; try again after Retry-After seconds.',
    });
    expect(answers[6]?.headers['ratelimit-policy']).toBe('"compare";q=12;w=60');
  });

  test('reports the full limit and rejects no request while the shared store is unreachable, since nothing is counted then', async () => {
    const store = {
      redis: { defineCommand: () => undefined },
      breaker: { execute: async () => undefined },
    } as unknown as RedisService;
    const storage = new RateLimitStorage(store);
    for (let i = 0; i < 5; i += 1)
      expect(await count(storage, 'key_1')).toMatchObject({ remaining: 3, seconds: 60, refusal: undefined });
  });

  test('counts rejected keys by address, separately from the rates of keys', async () => {
    const storage = new RateLimitStorage({ redis: undefined } as RedisService);
    const fail = (address: string) =>
      count(storage, address, (limits, reply) => limits.consumeAuthFailure(address, reply));
    const answers = [
      await fail('192.0.2.1'),
      await fail('192.0.2.1'),
      await fail('192.0.2.1'),
      await fail('192.0.2.2'),
    ];
    expect(answers.map(({ refusal }) => refusal !== undefined)).toEqual([false, false, true, false]);
    expect(answers[0]?.headers['ratelimit-policy']).toBe('"failed-authentication";q=2;w=60');
    expect((await count(storage, '192.0.2.1')).remaining).toBe(2);
  });
});
