import type { Config } from '../config/config';
import { ConcurrencyLimiterService } from './concurrency-limiter.service';
import type { RedisService } from './redis.service';

const ALONE = { redis: undefined } as RedisService;
const KEY_ID = 'key_1';

function limitOf(MAX_CONCURRENT_COMPARES_PER_KEY: number): ConcurrencyLimiterService {
  return new ConcurrencyLimiterService({ MAX_CONCURRENT_COMPARES_PER_KEY } as Config, ALONE);
}

describe('ConcurrencyLimiterService', () => {
  test('counts compares, estimates and checks of each key separately, and says which of them were too many', async () => {
    const limit = limitOf(1);
    const held = [
      await limit.acquire(KEY_ID),
      await limit.acquire(KEY_ID, 'estimates'),
      await limit.acquire(KEY_ID, 'checks'),
      await limit.acquire('key_2'),
    ];
    await expect(limit.acquire(KEY_ID)).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'At most 1 compares of one key may run at the same time.',
      retryAfterSeconds: 1,
    });
    await expect(limit.acquire(KEY_ID, 'estimates')).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'At most 1 estimates of one key may run at the same time.',
    });
    for (const slot of held) await slot[Symbol.asyncDispose]();
    await expect(limit.acquire(KEY_ID, 'estimates')).resolves.toBeDefined();
  });
});
