import type { HttpAdapterHost } from '@nestjs/core';
import type { TokenUsageService } from '../billing/token-usage.service';
import type { ChecksService } from '../checks/checks.service';
import type { ModelCallService } from '../providers/model-call.service';
import type { ProviderRegistry } from '../providers/provider.registry';
import type { Caller } from '../auth/caller';
import type { BillingService } from '../billing/billing.service';
import type { ReservationHandle } from '../billing/reservation.types';
import { Clock } from '../../common/clock';
import type { Config } from '../../platform/config/config';
import { ApiError } from '../../common/errors';
import { Money } from '../../common/money';
import { Metrics } from '../../platform/observability/metrics';
import type { AdmissionService } from './admission.service';
import { CompareService } from './compare.service';
import type { CompareCommand } from './compare.types';
import type { OverloadService } from './overload.service';
import { RoundsService } from './rounds.service';
import { ActiveComparesService } from './active-compares.service';
import type { SettlementService } from './settlement/settlement.service';

const ORDER: CompareCommand = {
  prompt: 'Hello',
  input: undefined,
  models: ['a'],
  options: { temperature: 0.7, isTemperatureGiven: false, isMaxTokensGiven: true, maxTokens: 5 },
  samples: 1,
  checks: [],
};
const PRICED = {
  model: {
    id: 'a',
    provider: 'A',
    vendor: 'simulator',
    vendorModel: 'a',
    dialect: { maxTokensField: 'max_tokens' },
    accepts: { temperature: null },
    maxOutputTokens: null,
  },
};
const ADMITTED = { models: [PRICED], prompt: { text: 'Hello', warnings: [] }, quotes: [], need: {} };
const TIMEOUT = Object.assign(new Error('late'), { code: 'timeout', retryable: true });

/** Runs whose models answer when the test says so; gives what they did to the money. */
function createService({
  storing = async (): Promise<unknown> => ({ isReplay: false }),
  refuseWhileOverloaded = (): void => undefined,
  results,
}: { storing?: () => Promise<unknown>; refuseWhileOverloaded?: () => void; results?: object[] } = {}) {
  const answers: PromiseWithResolvers<void>[] = [];
  const done: string[] = [];
  const admission = {
    findReplay: async () => undefined,
    admit: async () => ADMITTED,
  };
  const billing = {
    reserve: async () => ({}) as ReservationHandle,
    release: async (_: ReservationHandle, settled: boolean) => void done.push(settled ? 'settled' : 'released'),
  };
  const modelCall = {
    callWithRetries: async () => {
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      await answer.promise;
      return { failure: TIMEOUT, attempts: 1, latencyMs: 9, totalMs: 9 };
    },
  };
  const settlement = { refuseWhileFailing: () => undefined, store: storing };
  const metrics = new Metrics();
  const runs = new ActiveComparesService(
    metrics,
    { MAX_CONCURRENT_COMPARES: 2 } as Config,
    new Clock(),
    { refuseWhileOverloaded } as OverloadService,
    {} as HttpAdapterHost,
  );
  const answered = { callRounds: async () => results, check: async () => results } as unknown as RoundsService;
  const rounds =
    results === undefined
      ? new RoundsService(
          { get: () => ({}) } as unknown as ProviderRegistry,
          modelCall as unknown as ModelCallService,
          { start: () => 0 } as unknown as TokenUsageService,
          {} as ChecksService,
          runs,
        )
      : answered;
  const compare = new CompareService(
    runs,
    admission as unknown as AdmissionService,
    billing as unknown as BillingService,
    rounds,
    settlement as unknown as SettlementService,
  );
  const running = async () =>
    Number.parseInt(/^mcs_compares_running (\d+)$/m.exec(await metrics.registry.metrics())?.[1] ?? '', 10);
  const run = () =>
    compare.compare({ userId: 'user_1' } as Caller, ORDER, {}).then(
      () => 'stored',
      (error: ApiError) => error.code,
    );
  const refused = async () =>
    Number(/^mcs_compares_total\{outcome="overloaded"\} (\d+)$/m.exec(await metrics.registry.metrics())?.[1] ?? 0);
  return { runs, run, answers, done, running, refused };
}

/** Lets everything happen that can happen without a model. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('ActiveComparesService during a shutdown', () => {
  test('waits for every run, whether or not a client still waits for it, and no longer', async () => {
    const { runs, run, answers, running } = createService();
    const ends: string[] = [];
    void run().then((end) => ends.push(`first ${end}`));
    void run().then((end) => ends.push(`second ${end}`));
    await settle();
    runs.onModuleDestroy();
    void runs.beforeApplicationShutdown().then(() => ends.push('stopped'));
    await settle();
    expect([ends, await running()]).toEqual([[], 2]);
    answers[1]?.resolve();
    await settle();
    expect([ends, await running()]).toEqual([['second all_models_failed'], 1]);
    answers[0]?.resolve();
    await settle();
    expect([new Set(ends), ends.length, await running()]).toEqual([
      new Set(['second all_models_failed', 'first all_models_failed', 'stopped']),
      3,
      0,
    ]);
  });

  test('does not wait when nothing runs, and starts nothing more', async () => {
    const { runs, run, answers } = createService();
    runs.onModuleDestroy();
    await runs.beforeApplicationShutdown();
    expect(await run()).toBe('unavailable');
    expect(answers).toHaveLength(0);
  });
});

describe('CompareService.compare', () => {
  test('starts nothing while the process cannot keep up, and counts what it refuses', async () => {
    const refuseWhileOverloaded = () => {
      throw new ApiError('overloaded');
    };
    const { run, answers, running, refused } = createService({ refuseWhileOverloaded });
    expect([await run(), await running(), answers, await refused()]).toEqual(['overloaded', 0, [], 1]);
  });

  test('frees its capacity when it ends, however it ends', async () => {
    const { run, answers, refused } = createService();
    const ends = [run(), run()];
    await settle();
    expect(await run()).toBe('overloaded');
    answers[0]?.reject(new Error('A mistake of ours.'));
    expect(await ends[0]).toBeUndefined();
    const third = run();
    await settle();
    expect(await run()).toBe('overloaded');
    expect(await refused()).toBe(2);
    for (const answer of answers) answer.resolve();
    expect([await ends[1], await third]).toEqual(['all_models_failed', 'all_models_failed']);
  });

  test.each([
    [false, 'settled'],
    [true, 'released'],
  ])(
    'stores an eval in which one model of two answered, and where another was stored meanwhile (%s) its reservation is %s',
    async (isReplay, end) => {
      const result = { model: 'a', output: 'x', latencyMs: 1, cost: Money.of('0.1'), error: null };
      const stored = { record: { id: 'eval', isFree: false, totalCost: Money.of('0.1'), charge: Money.of('0.14') } };
      const { run, done } = createService({
        storing: async () => ({ stored, isReplay }),
        results: [result, { ...result, error: TIMEOUT }],
      });
      expect([await run(), done]).toEqual(['stored', [end]]);
    },
  );

  test('releases the reservation and stores nothing when no model answered', async () => {
    const { run, answers, done } = createService({
      storing: () => Promise.reject(new Error('Nothing is to be stored.')),
    });
    const end = run();
    await settle();
    answers[0]?.resolve();
    expect([await end, done]).toEqual(['all_models_failed', ['released']]);
  });
});
