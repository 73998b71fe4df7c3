import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ThrottlerModuleOptions, ThrottlerStorage } from '@nestjs/throttler';
import { Config } from '../config/config';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimited } from './rate-limited.decorator';
import { RateLimiterService } from './rate-limiter.service';
import { throttlersOf } from './rate-limiting.module';

const CONFIG = Config.read({
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
  RATE_LIMIT_COMPARE_PER_MINUTE: '2',
  RATE_LIMIT_READ_PER_MINUTE: '3',
});

class Routes {
  @RateLimited('compare')
  compare(this: void): void {}

  @RateLimited('estimate', ({ body }) => (body as { weight?: number } | undefined)?.weight ?? 1)
  estimate(this: void): void {}

  undecorated(this: void): void {}
}

/** A storage that counts without a window, and remembers what it counted. */
class CountingStorage implements ThrottlerStorage {
  readonly counts = new Map<string, number>();

  async increment(key: string, _ttl: number, limit: number) {
    const totalHits = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, totalHits);
    return { totalHits, timeToExpire: 42, isBlocked: totalHits > limit, timeToBlockExpire: totalHits > limit ? 42 : 0 };
  }
}

async function createGuard() {
  const storage = new CountingStorage();
  const options: ThrottlerModuleOptions = { storage, throttlers: throttlersOf(CONFIG) };
  const guard = new RateLimitGuard(options, storage, new Reflector(), new RateLimiterService(storage, CONFIG));
  await guard.onModuleInit();
  /** Sends a request of that key to that route: the headers of its response, or why it was refused. */
  const send = async (route: keyof Routes, rateLimitKey?: string, body?: object) => {
    const headers: Record<string, unknown> = {};
    const reply = {
      header: (name: string, value: unknown) => {
        headers[name] = value;
      },
    };
    const http = { getRequest: () => ({ rateLimitKey, body, headers: {}, ip: '192.0.2.1' }), getResponse: () => reply };
    const context = {
      getHandler: () => Routes.prototype[route],
      getClass: () => Routes,
      switchToHttp: () => http,
    } as unknown as ExecutionContext;
    const refusal: unknown = await guard.canActivate(context).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { headers, refusal };
  };
  return { send, counts: storage.counts };
}

describe('RateLimitGuard', () => {
  test.each([
    ['compare', 'compare', 2],
    ['estimate', 'estimate', 2],
    ['undecorated', 'read', 3],
  ] as const)('counts a request to the route "%s" once, under the policy %s alone', async (route, policy, limit) => {
    const { send, counts } = await createGuard();
    const { headers } = await send(route, 'key_1');
    expect([...counts]).toEqual([[`${policy}:key_1`, 1]]);
    expect(headers).toEqual({
      'ratelimit-policy': `"${policy}";q=${limit};w=60`,
      ratelimit: `"${policy}";r=${limit - 1};t=42`,
    });
  });

  test('counts a request as many times as its route says that it weighs', async () => {
    const { send, counts } = await createGuard();
    await send('estimate', 'key_1', { weight: 2 });
    await send('compare', 'key_1', { weight: 2 });
    expect([...counts]).toEqual([
      ['estimate:key_1', 2],
      ['compare:key_1', 1],
    ]);
  });

  test('rejects the request after the last one of the limit, of that key alone', async () => {
    const { send } = await createGuard();
    expect([await send('compare', 'key_1'), await send('compare', 'key_1')].map(({ refusal }) => refusal)).toEqual([
      undefined,
      undefined,
    ]);
    expect((await send('compare', 'key_1')).refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 42 });
    expect((await send('compare', 'key_2')).refusal).toBeUndefined();
    expect((await send('undecorated', 'key_1')).refusal).toBeUndefined();
  });

  test('counts nothing and sets no header where no key was authenticated', async () => {
    const { send, counts } = await createGuard();
    expect(await send('undecorated')).toEqual({ headers: {}, refusal: undefined });
    expect(counts.size).toBe(0);
  });
});
