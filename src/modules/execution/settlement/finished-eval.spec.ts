import { newCharge } from '../../billing/charge';
import { Money } from '../../../common/money';
import { Month } from '../../../common/month';
import { Result } from '../../evals/result.entity';
import type { ActiveCompare } from '../active-compare';
import { billable, finished, unsettledEval } from './finished-eval';

const STARTED_AT = new Date('2026-11-21T10:00:00.000Z');
const RUN = {
  caller: { userId: 'user_1' },
  evalId: 'eval_1',
  startedAt: STARTED_AT,
  startedMs: 5000,
  command: {
    prompt: 'Say {input}.',
    input: 'hello',
    models: ['slow', 'fast', 'broken'],
    options: { temperature: 0.3, isTemperatureGiven: true, maxTokens: 77 },
    samples: 1,
    checks: [],
  },
} as unknown as ActiveCompare;

function aResult(model: string, latencyMs: number, cost: string, error: Result['error'] = null): Result {
  return Object.assign(new Result(), {
    model,
    latencyMs,
    cost: Money.of(cost),
    inputTokens: 1,
    outputTokens: 2,
    error,
    details: { charge: '0' },
  });
}

const RESULTS = [
  aResult('slow', 900, '0.1'),
  aResult('fast', 200, '0.3'),
  aResult('broken', 1, '0', { code: 'timeout', message: 'late', retryable: true }),
];

describe('The record of a finished eval', () => {
  test.each([
    [0, 0],
    [9, 9],
    [1234.4, 1234],
    [1234.6, 1235],
    [60_000, 60_000],
  ])('reports, for %d ms, a duration of %d ms', (ms, durationMs) => {
    expect(unsettledEval(RUN, RESULTS, ms).record.durationMs).toBe(durationMs);
  });

  test('contains what was asked, when it began, what it cost, and which of the good results was the fastest and which the cheapest', () => {
    const { record } = unsettledEval(RUN, RESULTS, 900);
    expect(record).toMatchObject({
      id: 'eval_1',
      userId: 'user_1',
      prompt: 'Say {input}.',
      input: 'hello',
      models: ['slow', 'fast', 'broken'],
      temperature: 0.3,
      maxTokens: 77,
      fastestModel: 'fast',
      cheapestModel: 'slow',
      createdAt: STARTED_AT,
    });
    expect(record.totalCost.toString()).toBe('0.4');
  });

  test('was created when it was queued, where it ran in the background, and is charged in the month in which it began', () => {
    const [createdAt, startedAt] = [new Date('2026-11-30T23:59:59.999Z'), new Date('2026-12-01T00:00:00.000Z')];
    const unsettled = unsettledEval({ ...RUN, startedAt, lock: { createdAt } } as ActiveCompare, RESULTS, 900);
    expect([unsettled.record.createdAt, billable(unsettled).startedAt]).toEqual([createdAt, startedAt]);
  });

  test.each([
    [false, ['0.14', '0.42', '0'], '0.56'],
    [true, ['0', '0', '0'], '0'],
  ])(
    'charges a free eval (%s) the same result by result as in total, and leaves its parts unchanged',
    (isFree, charges, whole) => {
      const unsettled = unsettledEval(RUN, RESULTS, 900);
      const reservation = { userId: 'user_1', keyId: 'key_1', month: Month.of(STARTED_AT), isFree };
      const charge = newCharge(reservation, billable(unsettled), {
        margin: '0.4',
        createdAt: new Date('2026-11-21T10:00:01.000Z'),
      });
      const { record, results } = finished(unsettled, charge);
      expect([results.map(({ details }) => details.charge), record.charge.toString(), record.isFree]).toEqual([
        charges,
        whole,
        isFree,
      ]);
      expect(results.every(({ evalId }) => evalId === 'eval_1')).toBe(true);
      expect(unsettled.results.map(({ details }) => details.charge)).toEqual(['0', '0', '0']);
      expect(charge.charge).toMatchObject({
        evalId: 'eval_1',
        month: '2026-11',
        models: ['slow', 'fast', 'broken'],
        inputTokens: 3,
        outputTokens: 6,
        isFree,
        margin: '0.4',
        occurredAt: STARTED_AT,
      });
    },
  );
});
