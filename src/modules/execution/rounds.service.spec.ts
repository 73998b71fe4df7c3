import { Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { TokenUsageService } from '../billing/token-usage.service';
import type { ModelCallService } from '../providers/model-call.service';
import type { CompletionRequest } from '../providers/provider';
import type { ProviderRegistry } from '../providers/provider.registry';
import type { ChecksService } from '../checks/checks.service';
import { Clock } from '../../common/clock';
import { Money } from '../../common/money';
import type { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import type { Result } from '../evals/result.entity';
import type { AdmittedCompare } from './admission.service';
import type { ActiveCompare } from './active-compare';
import type { CompareEvent } from './compare.types';
import type { OverloadService } from './overload.service';
import { RoundsService } from './rounds.service';
import { ActiveComparesService } from './active-compares.service';

const MODELS = ['a', 'b'];
const PRICE = { input: { perMillion: () => 0 } };
const REASONING = { efforts: ['low'], default: null, mandatory: true, allowance: 2000 };
/** The first one thinks. */
const PRICED = MODELS.map((id) => ({
  model: {
    ...(id === 'a' && { reasoning: REASONING }),
    id,
    provider: 'A',
    vendor: 'simulator',
    vendorModel: id,
    aliases: [],
    dialect: { maxTokensField: 'max_tokens' },
    accepts: { temperature: null },
    maxOutputTokens: null,
  },
  price: PRICE,
}));
const FAILURE = { code: 'rejected', message: 'No.', retryable: false };

/** Rounds whose models fail at once, the second first; `onRound` is called before each. */
function roundsOf(
  samples: number,
  onRound: (
    round: number,
    services: { running: ActiveComparesService; results: () => readonly Result[] },
  ) => void = () => undefined,
) {
  let nowMs = 0;
  let round = 0;
  const events: CompareEvent[] = [];
  const metrics = new Metrics();
  const clock = Object.assign(new Clock(), { monotonicMs: () => nowMs });
  const running = new ActiveComparesService(metrics, {} as Config, clock, {} as OverloadService, {} as HttpAdapterHost);
  const results = () => events.flatMap((event) => (event.type === 'result-ready' ? [event.result] : []));
  let calls = 0;
  // Both calls of a round begin at once; the second model answers first.
  const requests: CompletionRequest[] = [];
  const modelCall = {
    callWithRetries: async (_provider: unknown, request: CompletionRequest, onText: (text: string) => void) => {
      const { model } = request;
      requests.push(request);
      if (calls % 2 === 0) {
        onRound(round, { running, results });
        round += 1;
        nowMs += 1000;
      }
      calls += 1;
      const latencyMs = round;
      if (model === 'a') await new Promise((resolve) => setImmediate(resolve));
      onText(`${latencyMs}`);
      return { failure: FAILURE, attempts: 1, latencyMs, totalMs: 0 };
    },
  };
  const run = {
    command: {
      models: MODELS,
      samples,
      options: { maxTokens: 5, isMaxTokensGiven: true, temperature: 0.7, isTemperatureGiven: false },
    },
    onEvent: (event: CompareEvent) => events.push(event),
    startedMs: 0,
    roundStartedMs: 0,
    vendorMs: 0,
    metrics,
  } as unknown as ActiveCompare;
  const admitted = { models: PRICED, prompt: { text: 'Hello', warnings: [] } } as unknown as AdmittedCompare;
  const rounds = new RoundsService(
    { get: () => ({}) } as unknown as ProviderRegistry,
    modelCall as unknown as ModelCallService,
    { start: () => 0 } as unknown as TokenUsageService,
    {} as ChecksService,
    running,
  );
  return { run, requests, events, metrics, ended: () => rounds.callRounds(run, admitted), rounds: () => round };
}

const seen = (results: readonly Result[]) =>
  results.map(({ position, model, latencyMs, error }) => [position, model, latencyMs, error?.code]);

describe('RoundsService', () => {
  test('numbers the results sample by sample, in request order, however they come, and names their samples', async () => {
    const { ended, events, run } = roundsOf(3);
    expect(seen(await ended())).toEqual([
      [0, 'a', 1, 'rejected'],
      [1, 'b', 1, 'rejected'],
      [2, 'a', 2, 'rejected'],
      [3, 'b', 2, 'rejected'],
      [4, 'a', 3, 'rejected'],
      [5, 'b', 3, 'rejected'],
    ]);
    expect(
      events.map((event) =>
        event.type === 'delta'
          ? `${event.model}${event.sample} ${event.text}`
          : event.type === 'result-ready'
            ? `${event.result.model}${event.sample}`
            : '',
      ),
    ).toEqual(['b0 1', 'b0', 'a0 1', 'a0', 'b1 2', 'b1', 'a1 2', 'a1', 'b2 3', 'b2', 'a2 3', 'a2']);
    expect(run.roundStartedMs).toBe(2000);
  });

  test.each([
    [8192, 0, false],
    [8193, 0, true],
    [8000, 192, false],
    [8000, 193, true],
  ])(
    'asks for a stream where %d tokens of text and %d of thought may take minutes: %s',
    async (maxTokens, room, isStreamed) => {
      const { ended, requests, run } = roundsOf(1);
      Object.assign(run.command.options, { maxTokens, isMaxTokensGiven: true, extra: { reasoning_tokens: room } });
      Object.assign(run, { isStreamed: false });
      await ended();
      expect(requests.map((request) => [request.maxTokens, request.reasoningTokens, request.isStreamed])).toEqual([
        [maxTokens + room, room, isStreamed],
        [maxTokens, 0, maxTokens > 8192],
      ]);
    },
  );

  test('names no sample where there is one', async () => {
    const { ended, events } = roundsOf(1);
    expect(await ended()).toHaveLength(2);
    expect(events.filter((event) => 'sample' in event && event.sample !== undefined)).toEqual([]);
  });

  test('begins no round once the service stops: the rest fails without a call, and is reported like every result', async () => {
    const { ended, events, rounds, metrics } = roundsOf(4, (round, { running }) => {
      if (round === 1) running.onModuleDestroy();
    });
    const results = await ended();
    expect([rounds(), results.length]).toEqual([2, 8]);
    expect(
      results
        .slice(4)
        .map(({ error, details, latencyMs, cost }) => [error, details.attempts, latencyMs, cost.toString()]),
    ).toEqual(
      Array(4).fill([
        {
          code: 'not_called',
          message: 'The model was not called: the service was stopping before this sample.',
          retryable: true,
        },
        0,
        0,
        '0',
      ]),
    );
    expect(events.filter(({ type }) => type === 'result-ready')).toHaveLength(8);
    // Calls that were not made are not counted as calls.
    expect(await metrics.registry.metrics()).not.toContain('not_called');
  });

  test('begins not even the second round when the service stops in the first', async () => {
    const { ended, rounds } = roundsOf(2, (_, { running }) => running.onModuleDestroy());
    expect([seen(await ended()).map(([, , , code]) => code), rounds()]).toEqual([
      ['rejected', 'rejected', 'not_called', 'not_called'],
      1,
    ]);
  });

  test('is given up between two samples of a job when the service stops, because another process can run the job from the beginning', async () => {
    const { ended, run, rounds } = roundsOf(3, (round, { running }) => {
      if (round === 1) running.onModuleDestroy();
    });
    Object.assign(run, { lock: { evalId: 'eval_1' } });
    await expect(ended()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    expect(rounds()).toBe(2);
  });

  test.each([
    [undefined, 'text'],
    ['exp_1', '{input}'],
  ])('fills its input into the checks, but not again into the checks of a row (%s)', async (experimentId, value) => {
    const asked: unknown[] = [];
    const checks = {
      verdicts: async (_user: string, given: unknown[]) => (asked.push(given), []),
    } as unknown as ChecksService;
    const rounds = new RoundsService(
      {} as ProviderRegistry,
      {} as ModelCallService,
      {} as TokenUsageService,
      checks,
      {} as ActiveComparesService,
    );
    const check = {
      name: 'x',
      type: 'equals',
      weight: 1,
      not: false,
      value: '{input}',
      ignore_case: false,
      trim: true,
    };
    await rounds.check(
      {
        caller: { userId: 'user' },
        command: { checks: [check], input: 'text', experimentId },
      } as unknown as ActiveCompare,
      [],
    );
    expect(asked).toEqual([[{ ...check, value }]]);
  });

  test('always has its first round', async () => {
    const { ended, rounds } = roundsOf(1, (_, { running }) => running.onModuleDestroy());
    expect([seen(await ended()).map(([, , , code]) => code), rounds()]).toEqual([['rejected', 'rejected'], 1]);
  });

  test('begins no round once the answers have 16 Mi characters', async () => {
    const write =
      (length: number) =>
      (_: number, { results }: { results: () => readonly Result[] }) => {
        for (const result of results().slice(0, 1)) result.output = 'x'.repeat(length);
      };
    const full = roundsOf(3, write(16 * 1024 * 1024));
    expect(seen(await full.ended()).map(([, , , code]) => code)).toEqual([
      'rejected',
      'rejected',
      'rejected',
      'rejected',
      'not_called',
      'not_called',
    ]);
    expect((await roundsOf(3, write(16 * 1024 * 1024)).ended()).at(-1)?.error?.message).toBe(
      'The model was not called: the answers of the earlier samples are as long as those of one eval may be.',
    );
    expect(seen(await roundsOf(3, write(16 * 1024 * 1024 - 1)).ended()).map(([, , , code]) => code)).toEqual(
      Array(6).fill('rejected'),
    );
  });

  test.each([
    [undefined, 'x', undefined, '0.00015', 0],
    [true, '', 'model_substituted', '0', 0.00015],
  ])(
    'with exact_model %s: counts a substitute, and its cost as lost where it is refused',
    async (exact, output, code, cost, lost) => {
      const metrics = new Metrics();
      const logged: unknown[] = [];
      jest.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => void logged.push(line));
      const running = new ActiveComparesService(
        metrics,
        {} as Config,
        new Clock(),
        {} as OverloadService,
        {} as HttpAdapterHost,
      );
      const counts = {
        inputTokens: 100,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 5,
        reasoningTokens: 0,
      };
      const modelCall = {
        callWithRetries: async () => ({
          completion: { text: 'x', finishReason: 'stop', usage: counts, responseModel: 'b', reportedCostUsd: '0.5' },
          latencyMs: 1,
          ttftMs: null,
          attempts: 1,
          totalMs: 1,
        }),
      };
      const usages = {
        start: () => 0,
        resolve: async () => ({ counts, estimated: [], aboveLimit: [], reported: undefined }),
      };
      const rounds = new RoundsService(
        { get: () => ({}) } as unknown as ProviderRegistry,
        modelCall as unknown as ModelCallService,
        usages as unknown as TokenUsageService,
        {} as ChecksService,
        running,
      );
      const priced = {
        ...PRICED[0],
        price: { input: Money.of('2'), output: Money.of('20') },
        pricesOf: () => [{ input: Money.of('1'), output: Money.of('10') }],
      };
      const options = {
        maxTokens: 5,
        temperature: 0.7,
        isTemperatureGiven: false,
        ...(exact && { extra: { exact_model: exact } }),
      };
      const run = {
        command: { models: ['a'], samples: 1, options },
        onEvent: () => undefined,
        vendorMs: 0,
        metrics,
        log: new Logger(),
      } as unknown as ActiveCompare;
      const [result] = await rounds.callRounds(run, {
        models: [priced],
        prompt: { text: 'Hello', warnings: [] },
      } as unknown as AdmittedCompare);
      expect([result?.output, result?.error?.code, result?.cost.toString(), result?.details.answeredBy]).toEqual([
        output,
        code,
        cost,
        'b',
      ]);
      expect((await metrics.substitutions.get()).values).toMatchObject([
        { labels: { provider: 'simulator' }, value: 1 },
      ]);
      expect((await metrics.statedAboveList.get()).values).toMatchObject([
        { labels: { provider: 'simulator' }, value: 0.49985 },
      ]);
      expect((await metrics.refusedSubstitutes.get()).values.map(({ value }) => value)).toEqual(
        lost === 0 ? [] : [lost],
      );
      expect(logged).toEqual(
        lost === 0 ? [] : [{ event: 'substitute-refused', model: 'a', answeredBy: 'b', lostUsd: '0.00015' }],
      );
      jest.restoreAllMocks();
    },
  );
});
