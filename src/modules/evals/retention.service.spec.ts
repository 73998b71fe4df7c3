import type { AuditService } from '../audit/audit.service';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { firstIdAt } from '../../common/ids';
import type { EvalsRepository } from './evals.repository';
import { RetentionService } from './retention.service';

const NOW = new Date('2031-03-01T00:00:00.000Z');

/** Runs one look of the retention with that many expired evals, and gives what it erased before which id. */
async function look(days: string | undefined, expired: number): Promise<{ before: string; count: number }[]> {
  const rounds: { before: string; count: number }[] = [];
  let left = expired;
  const repository = {
    eraseBefore: async (_: unknown, before: string, batch: number) => {
      const count = Math.min(left, batch);
      left -= count;
      rounds.push({ before, count });
      return Array.from({ length: count }, (_unused, index) => `eval_${index}`);
    },
  } as unknown as EvalsRepository;
  const audit = {
    change: async (_: unknown, work: (tx: unknown) => Promise<{ value: unknown }>) => (await work({})).value,
  } as unknown as AuditService;
  const clock = Object.assign(new Clock(), { now: () => NOW });
  const config = Config.read({
    DATABASE_URL: 'postgresql://here/db',
    ADMIN_API_KEY: 'x'.repeat(16),
    API_KEY_PEPPER: 'x'.repeat(16),
    RETENTION_DAYS: days,
  });
  const retention = new RetentionService(repository, audit, config, clock);
  retention.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(1);
  await retention.beforeApplicationShutdown();
  return rounds;
}

describe('RetentionService', () => {
  beforeAll(() => void jest.useFakeTimers());
  afterAll(() => void jest.useRealTimers());

  test.each([
    ['30', '2031-01-30T00:00:00.000Z'],
    ['1', '2031-02-28T00:00:00.000Z'],
    ['365', '2030-03-01T00:00:00.000Z'],
  ])('erases, with a retention of %s days, what started before %s, and nothing younger', async (days, before) => {
    expect(await look(days, 3)).toEqual([{ before: firstIdAt('eval', new Date(before)), count: 3 }]);
  });

  test('continues at once until a batch is not full', async () => {
    expect((await look('30', 1200)).map(({ count }) => count)).toEqual([500, 500, 200]);
    expect((await look('30', 500)).map(({ count }) => count)).toEqual([500, 0]);
  });

  test('erases nothing without RETENTION_DAYS', async () => {
    expect(await look(undefined, 3)).toEqual([]);
  });
});
