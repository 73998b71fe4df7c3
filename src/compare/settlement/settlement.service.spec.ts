import type { Caller } from '../../auth/caller';
import type { BillingService, Reservation } from '../../billing/billing.service';
import { Clock } from '../../common/clock';
import { Money } from '../../common/money';
import type { EvalsService, StoredEval } from '../../evals/evals.service';
import { Result } from '../../evals/result.entity';
import { SettlementService, type CompareRun } from './settlement.service';
import type { SettlementBreakerService } from './settlement-breaker.service';
import type { SettlementRetryService } from './settlement-retry.service';

const STARTED_AT = new Date('2026-11-21T10:00:00.000Z');
const RUN: CompareRun = {
  caller: { userId: 'user_1' } as Caller,
  order: { prompt: 'Say {input}.', input: 'hello', models: ['slow', 'fast', 'broken'], options: { temperature: 0.3, isTemperatureGiven: true, maxTokens: 77 } },
  evalId: 'eval_1', startedAt: STARTED_AT, begunMs: 5000,
};

function aResult(model: string, latencyMs: number, cost: string, error: Result['error'] = null): Result {
  return Object.assign(new Result(), { model, latencyMs, cost: Money.of(cost), error, details: { charge: '0' } });
}

/** Stores an eval at that instant of the monotonic clock, and gives what was stored. */
async function store(atMs: number, isFree = false): Promise<StoredEval & { retriedSince: number[] }> {
  const retriedSince: number[] = [];
  const chargeOf = (cost: Money, free: boolean) => (free ? Money.zero : cost.times('2'));
  const billing = {
    chargeOf,
    settle: async (_: Reservation, { cost }: { cost: Money }, alongside: (settlement: object, gate: string) => unknown) => void alongside({ charge: chargeOf(cost, isFree), isFree }, 'gate'),
  };
  const retry = { run: async (begunMs: number, attempt: (isRetry: boolean) => Promise<unknown>) => {
    retriedSince.push(begunMs);
    return attempt(false);
  } };
  const breaker = { watch: async (_: string, settle: () => Promise<unknown>) => settle() };
  const clock = Object.assign(new Clock(), { monotonicMs: () => atMs, now: () => new Date(0) });
  const settlement = new SettlementService(
    billing as unknown as BillingService, { storing: () => 'part' } as unknown as EvalsService, clock, retry as unknown as SettlementRetryService, breaker as unknown as SettlementBreakerService,
  );
  const results = [aResult('slow', 900, '0.1'), aResult('fast', 200, '0.3'), aResult('broken', 1, '0', { code: 'timeout', message: 'late', retryable: true })];
  return { ...(await settlement.store(RUN, results, {} as Reservation)).stored, retriedSince };
}

describe('SettlementService', () => {
  test.each([[5000, 0], [5009, 9], [6234.4, 1234], [6234.6, 1235], [65_000, 60_000]])('stores, for an eval begun at 5000 ms and stored at %d ms, a duration of %d ms', async (atMs, durationMs) => {
    expect((await store(atMs)).record.durationMs).toBe(durationMs);
  });

  test('stores when the eval began, not when it was stored, and retries for a time that began with it', async () => {
    const { record, retriedSince } = await store(7000);
    expect([record.createdAt, retriedSince]).toEqual([STARTED_AT, [5000]]);
  });

  test('stores what was asked, what it cost, and which of the good results was the fastest and which the cheapest', async () => {
    const { record } = await store(7000);
    expect(record).toMatchObject({
      id: 'eval_1', userId: 'user_1', prompt: 'Say {input}.', input: 'hello', models: ['slow', 'fast', 'broken'], temperature: 0.3, maxTokens: 77,
      fastestModel: 'fast', cheapestModel: 'slow',
    });
    expect(record.totalCost.toString()).toBe('0.4');
  });

  test.each([[false, ['0.2', '0.6', '0'], '0.8'], [true, ['0', '0', '0'], '0']])('charges an eval that is free (%s) result by result as it is charged as a whole', async (isFree, charges, whole) => {
    const { record, results } = await store(7000, isFree);
    expect([results.map(({ details }) => details.charge), record.charge.toString(), record.isFree]).toEqual([charges, whole, isFree]);
    expect(results.every(({ evalId }) => evalId === 'eval_1')).toBe(true);
  });
});
