import { Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { Money } from '../../common/money';
import type { PricedModel } from '../models/models.service';
import type { CompletionRequest, TokenUsage } from '../providers/provider';
import { ThreadPoolService } from '../../platform/background/thread-pool.service';
import { CountingError, TokenCounterService, type CountOptions } from '../providers/tokens/token-counter.service';
import { TokenUsageService } from './token-usage.service';

const REQUEST: CompletionRequest = {
  model: 'm',
  prompt: 'hello world',
  maxTokens: 50,
  temperature: 0.7,
  isStreamed: true,
  dialect: { maxTokensField: 'max_tokens' },
};
const PRICED = {
  model: { id: 'mini', vendor: 'openai' },
  price: { input: Money.of('1'), output: Money.of('10') },
} as unknown as PricedModel;
const USAGE: TokenUsage = {
  inputTokens: 7,
  cachedInputTokens: 1,
  cacheWriteTokens: 2,
  outputTokens: 5,
  reasoningTokens: 4,
};

const CONFIG = Config.read({
  DATABASE_URL: 'postgresql://db/mcs',
  ADMIN_API_KEY: 'operator-key-0123456789',
  API_KEY_PEPPER: 'pepper-0123456789abcdef',
  EVAL_TIMEOUT_MS: '5000',
});

/** Counts words, or fails. */
class WordCounter extends TokenCounterService {
  warmUps = 0;
  readonly asked: CountOptions[] = [];
  failure: Error | undefined;

  override warmUp(): void {
    this.warmUps += 1;
  }

  override async count(text: string, options: CountOptions): Promise<number> {
    this.asked.push(options);
    if (this.failure !== undefined) throw this.failure;
    return text.split(' ').length;
  }
}

describe('TokenUsageService', () => {
  const logged: unknown[] = [];
  beforeEach(() => {
    logged.length = 0;
    jest.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => void logged.push(line));
  });
  afterEach(() => jest.restoreAllMocks());

  let counter: WordCounter;
  beforeEach(() => {
    counter = new WordCounter(new ThreadPoolService(new Clock()));
  });

  const settle = async (usage: TokenUsage | undefined, text = 'good morning', request = REQUEST) => {
    const metrics = new Metrics();
    const service = new TokenUsageService(counter, metrics, CONFIG, new Clock());
    const settled = await service.resolve(
      PRICED,
      request,
      { text, finishReason: 'stop', usage },
      service.start(PRICED),
    );
    return { ...settled, lost: (await metrics.usageAboveLimit.get()).values };
  };

  test('returns the counts of the vendor', async () => {
    expect(await settle(USAGE)).toEqual({
      counts: USAGE,
      estimated: [],
      aboveLimit: [],
      reported: undefined,
      lost: [],
    });
    expect(logged).toEqual([]);
  });

  test('counts the system message with the prompt, and takes no count that is too low for both', async () => {
    const request = { ...REQUEST, system: 'Be brief. '.repeat(100) };
    expect((await settle(undefined, '', request)).counts.inputTokens).toBe(request.system.split(' ').length + 1);
    expect((await settle(USAGE, '', request)).estimated).toEqual(['input']);
    expect((await settle({ ...USAGE, inputTokens: 1200 }, '', request)).aboveLimit).toEqual([]);
  });

  test('returns our own count where the vendor did not count', async () => {
    const counts = { inputTokens: 2, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 2, reasoningTokens: 0 };
    expect(await settle(undefined)).toEqual({
      counts,
      estimated: ['input', 'output'],
      aboveLimit: [],
      reported: undefined,
      lost: [],
    });
  });

  test('never returns more output than the requested limit, which is what was reserved', async () => {
    expect((await settle(undefined, 'one two three '.repeat(40))).counts).toMatchObject({ outputTokens: 50 });
  });

  test('counts within the time of the eval, before the counts of estimates', async () => {
    await settle(undefined);
    expect(counter.asked.map(({ isUrgent }) => isUrgent)).toEqual([true, true]);
    for (const { timeoutMs } of counter.asked) expect(timeoutMs).toBeLessThanOrEqual(5000);
    await settle(USAGE);
    expect(counter.asked).toHaveLength(2);
  });

  test.each([new CountingError('The thread that counts has ended.'), new Error('anything')])(
    'estimates by length where the text cannot be counted: %s',
    async (failure) => {
      counter.failure = failure;
      // 11 and 12 bytes, four to a token
      expect(await settle(undefined)).toMatchObject({
        counts: { inputTokens: 3, outputTokens: 3 },
        estimated: ['input', 'output'],
      });
    },
  );

  test('counts the input while the vendor answers, where the vendor did not count the last time', async () => {
    const service = new TokenUsageService(counter, new Metrics(), CONFIG, new Clock());
    const call = async (usage: TokenUsage | undefined) =>
      service.resolve(PRICED, REQUEST, { text: 'good morning', finishReason: 'stop', usage }, service.start(PRICED));
    for (const [usage, warmUps] of [
      [undefined, 0],
      [USAGE, 1],
      [USAGE, 1],
    ] as const) {
      await call(usage);
      expect(counter.warmUps).toBe(warmUps);
    }
  });

  test('keeps the plausible one of the two counts', async () => {
    const zero = { ...USAGE, inputTokens: 0 };
    expect(await settle(zero)).toMatchObject({
      counts: { inputTokens: 2, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 4 },
      estimated: ['input'],
      reported: zero,
    });
    expect(await settle({ ...USAGE, outputTokens: -3 })).toMatchObject({
      counts: { inputTokens: 7, cachedInputTokens: 1, cacheWriteTokens: 2, outputTokens: 2, reasoningTokens: 0 },
      estimated: ['output'],
    });
    expect(logged).toEqual([]);
  });

  test('counts no more reasoning than output', async () => {
    const reported = { ...USAGE, reasoningTokens: 600 };
    expect(await settle(reported)).toMatchObject({
      counts: { ...USAGE, reasoningTokens: 5 },
      estimated: [],
      aboveLimit: [],
      reported,
    });
  });

  test('clamps the counts to the plausible maximum, and logs what the difference costs', async () => {
    const reported = { ...USAGE, outputTokens: 100_000_000 };
    const { lost, ...settled } = await settle(reported);
    expect(settled).toEqual({
      counts: { ...USAGE, outputTokens: 50 },
      estimated: [],
      aboveLimit: ['output'],
      reported,
    });
    // (100,000,000 − 50) × $10 a million
    expect(lost).toEqual([{ labels: { provider: 'openai' }, value: 999.9995 }]);
    expect(logged).toEqual([
      {
        event: 'usage-above-limit',
        model: 'mini',
        reported,
        possible: { inputTokens: 11 + 256, outputTokens: 50 },
        lostUsd: '999.9995',
      },
    ]);
  });

  test.each([1e300, Infinity])(
    'estimates where %d tokens are reported, and logs a finite amount',
    async (outputTokens) => {
      const { lost, ...settled } = await settle({ ...USAGE, outputTokens });
      expect(settled).toMatchObject({
        counts: { outputTokens: 2, reasoningTokens: 0 },
        estimated: ['output'],
        aboveLimit: ['output'],
      });
      expect(lost[0]?.value).toBeCloseTo(999.99998, 6);
    },
  );
});
