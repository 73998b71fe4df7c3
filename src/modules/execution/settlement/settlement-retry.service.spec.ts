import { Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Config } from '../../../platform/config/config';
import { Metrics } from '../../../platform/observability/metrics';
import { Money } from '../../../common/money';
import { SettlementRetryService } from './settlement-retry.service';
import type { UnstoredEval } from './unstored-eval';

let nowMs = 0;
// Waits pass at once, and the clock with them.
jest.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => {
    nowMs += ms;
  },
}));
// unstored-eval.ts tests the log of a lost eval.
jest.mock('./unstored-eval', () => ({ toLogEvent: () => ({ event: 'eval-not-stored' }) }));

const UNREACHABLE = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const CONFIG = Config.read({
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
  EVAL_TIMEOUT_MS: '2000',
});

/**
 * A settlement with these results, the last one repeated. Returns its attempts with their times since the eval began.
 */
async function settle(
  ends: readonly unknown[],
  onAttempt: (count: number, retry: SettlementRetryService) => void = () => undefined,
  sinceMs = 0,
) {
  nowMs = sinceMs;
  const attempts: { isRetry: boolean; atMs: number }[] = [];
  const metrics = new Metrics();
  const recorded: unknown[] = [];
  const retry = new SettlementRetryService(CONFIG, Object.assign(new Clock(), { monotonicMs: () => nowMs }), metrics);
  jest.spyOn(retry, 'recordSuccess').mockImplementation(() => void recorded.push('success'));
  jest.spyOn(retry, 'recordFailure').mockImplementation((_, error) => void recorded.push(error));
  const attempt = async (isRetry: boolean) => {
    attempts.push({ isRetry, atMs: nowMs });
    onAttempt(attempts.length, retry);
    if (attempts.length > 100) throw new Error('This has no end.');
    const end = ends[Math.min(attempts.length, ends.length) - 1];
    if (end instanceof Error) throw end;
    return end;
  };
  const unstored = { record: { totalCost: Money.of('0.25') } } as unknown as UnstoredEval;
  const settlement = { startedMs: 0, unstored, attempt, rehearse: async () => undefined };
  const outcome: unknown = await retry.run(settlement).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  return { attempts, recorded, outcome, metrics: await metrics.registry.metrics() };
}

describe('SettlementRetryService', () => {
  beforeAll(() => Logger.overrideLogger(false));

  test('retries after growing pauses while the database is unreachable, and marks later attempts as retries', async () => {
    const { attempts, outcome, recorded } = await settle([
      UNREACHABLE,
      UNREACHABLE,
      UNREACHABLE,
      UNREACHABLE,
      UNREACHABLE,
      UNREACHABLE,
      'stored',
    ]);
    expect([outcome, recorded]).toEqual([{ value: 'stored' }, ['success']]);
    expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 50, 150, 350, 750, 1250, 1750]);
    expect(attempts.map(({ isRetry }) => isRetry)).toEqual([false, true, true, true, true, true, true]);
  });

  test('gives up EVAL_TIMEOUT_MS after the eval began, answers 503, and counts the cost of the eval', async () => {
    const { attempts, outcome, recorded, metrics } = await settle([UNREACHABLE]);
    expect(outcome).toMatchObject({ error: { status: 503, code: 'unavailable', retryAfterSeconds: 1 } });
    expect(recorded).toEqual([(outcome as { error: unknown }).error]);
    expect(attempts.at(-1)?.atMs).toBe(1750);
    expect(metrics).toMatch(/^\w*unstored\w* 1$/m);
    expect(metrics).toMatch(/^\w*unstored\w* 0\.25$/m);
  });

  test('gives up at the same time when the models have taken most of that time', async () => {
    expect((await settle([UNREACHABLE], undefined, 1700)).attempts.map(({ atMs }) => atMs)).toEqual([1700, 1750, 1850]);
    expect((await settle([UNREACHABLE], undefined, 1960)).attempts).toHaveLength(1);
  });

  test('retries after a prepared statement was rejected, because that was before it ran', async () => {
    const refused = Object.assign(new Error('prepared statement does not exist'), { code: '26000' });
    const { attempts, outcome } = await settle([refused, 'stored']);
    expect([attempts.length, outcome]).toEqual([2, { value: 'stored' }]);
  });

  test('does not delay a shutdown while the database is unreachable', async () => {
    const { attempts, outcome } = await settle([UNREACHABLE], (count, retry) => {
      if (count === 2) retry.onModuleDestroy();
    });
    expect(outcome).toMatchObject({ error: { code: 'unavailable' } });
    expect(attempts).toHaveLength(2);
  });

  test('tries once even when the time is over', async () => {
    const { attempts } = await settle([UNREACHABLE], () => {
      nowMs += 5000;
    });
    expect(attempts).toHaveLength(1);
  });

  test('throws at once, unchanged, what the database rejects', async () => {
    const refused = new Error('a constraint');
    const { attempts, outcome } = await settle([refused]);
    expect(outcome).toEqual({ error: refused });
    expect(attempts).toHaveLength(1);
  });
});
