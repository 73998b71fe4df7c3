import { Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { Config } from '../../../platform/config/config';
import { Metrics } from '../../../platform/observability/metrics';
import { SettlementRetryService } from './settlement-retry.service';

const REFUSAL = {
  code: 'unavailable',
  status: 503,
  retryAfterSeconds: 1,
  message:
    'Evals cannot be stored at the moment, so none is started; nothing was charged. Try again after Retry-After seconds.',
};

/** A breaker, and the rehearsals that it has begun. */
function aBreaker() {
  const metrics = new Metrics();
  const breaker = new SettlementRetryService({} as Config, new Clock(), metrics);
  const rehearsals: { userId: string; end(error?: Error): void }[] = [];
  let begun: () => void = () => undefined;
  const rehearse = (userId: string) => () =>
    new Promise<void>((resolve, reject) => {
      rehearsals.push({ userId, end: (error) => (error === undefined ? resolve() : reject(error)) });
      begun();
    });
  return {
    breaker,
    rehearsals,
    fail: (userId: string) => breaker.recordFailure({ userId, rehearse: rehearse(userId) }, new Error('not stored')),
    succeed: () => breaker.recordSuccess(),
    nth: async (n: number) => {
      while (rehearsals.length < n)
        await new Promise<void>((resolve) => {
          begun = resolve;
        });
      return rehearsals[n - 1] as (typeof rehearsals)[number];
    },
    suspended: async () => (await metrics.comparesSuspended.get()).values[0]?.value,
  };
}

describe('SettlementRetryService, when evals cannot be stored,', () => {
  let errors: jest.SpyInstance;
  let warnings: jest.SpyInstance;
  beforeEach(() => {
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => jest.restoreAllMocks());

  async function opened() {
    const parts = aBreaker();
    for (let index = 0; index < 10; index += 1) parts.fail(`user-${index % 2}`);
    return parts;
  }

  it('rejects compares after ten failures in a row of two users, and logs one line', async () => {
    const { breaker, fail, suspended } = await opened();
    expect(() => breaker.refuseWhileFailing()).toThrow(expect.objectContaining(REFUSAL));
    expect(await suspended()).toBe(1);
    fail('user-3');
    expect(errors).toHaveBeenCalledTimes(1);
    breaker.onModuleDestroy();
  });

  it('does not reject compares after nine failures', async () => {
    const { breaker, fail, suspended } = aBreaker();
    for (let index = 0; index < 9; index += 1) fail(`user-${index}`);
    breaker.refuseWhileFailing();
    expect(await suspended()).toBe(0);
  });

  it('does not reject compares for the failures of one user, however many, but does with the first failure of another', async () => {
    const { breaker, fail } = aBreaker();
    for (let index = 0; index < 50; index += 1) fail('unlucky');
    breaker.refuseWhileFailing();
    fail('another');
    expect(() => breaker.refuseWhileFailing()).toThrow();
    breaker.onModuleDestroy();
  });

  it('counts from zero after each success, also of a user whose evals otherwise fail', async () => {
    const { breaker, fail, succeed } = aBreaker();
    for (let index = 0; index < 30; index += 1) {
      if (index % 10 === 9) succeed();
      else fail(`user-${index % 2}`);
    }
    breaker.refuseWhileFailing();
  });

  it('accepts compares again as soon as a rehearsal succeeds, retries the failed ones in turn, and counts from zero', async () => {
    const { breaker, fail, nth, suspended } = await opened();
    const first = await nth(1);
    first.end(new Error('still not'));
    expect(() => breaker.refuseWhileFailing()).toThrow();
    const second = await nth(2);
    expect([first.userId, second.userId]).toEqual(['user-0', 'user-1']);
    expect(() => breaker.refuseWhileFailing()).toThrow();
    second.end();
    await new Promise((resolve) => setImmediate(resolve));
    breaker.refuseWhileFailing();
    expect(await suspended()).toBe(0);
    expect(warnings).toHaveBeenCalledTimes(1);
    for (let index = 0; index < 9; index += 1) fail(`user-${index % 2}`);
    breaker.refuseWhileFailing();
  });

  it('accepts compares again when a running one is stored', async () => {
    const { breaker, succeed, suspended } = await opened();
    succeed();
    breaker.refuseWhileFailing();
    expect(await suspended()).toBe(0);
  });

  it('rehearses nothing once the service stops', async () => {
    jest.useFakeTimers();
    try {
      const stopping = await opened();
      stopping.breaker.onModuleDestroy();
      const stopped = aBreaker();
      stopped.breaker.onModuleDestroy();
      for (let index = 0; index < 10; index += 1) stopped.fail(`user-${index}`);
      await jest.advanceTimersByTimeAsync(60_000);
      expect([stopping.rehearsals.length, stopped.rehearsals.length]).toEqual([0, 0]);
    } finally {
      jest.useRealTimers();
    }
  });
});
