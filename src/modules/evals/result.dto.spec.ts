import { Money } from '../../common/money';
import { ResultDto } from './result.dto';
import { Result } from './result.entity';

function aResult(changes: Partial<Result>): Result {
  const details = {
    vendorModel: 'v',
    charge: '0',
    finishReason: 'stop' as const,
    attempts: 1,
    ttftMs: 5,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    applied: { max_tokens: 5 },
    rates: null,
  };
  return Object.assign(new Result(), {
    position: 0,
    model: 'm',
    provider: 'P',
    output: 'text',
    latencyMs: 1000,
    cost: Money.of('0.1'),
    inputTokens: 3,
    outputTokens: 50,
    error: null,
    warnings: [],
    details,
    ...changes,
  });
}

const speedOf = (changes: Partial<Result>) =>
  ResultDto.from(aResult(changes), { details: true }).details?.tokens_per_second;

describe('ResultDto', () => {
  test.each([
    [50, 1000, 50],
    [1, 3000, 0.33],
    [7, 250, 28],
    [1000, 1, 1_000_000],
    [1, 1000, 1],
  ])('reports, for %d output tokens in %d ms, %d tokens per second', (outputTokens, latencyMs, speed) => {
    expect(speedOf({ outputTokens, latencyMs })).toBe(speed);
  });

  test('reports no speed where there is nothing to measure', () => {
    expect(speedOf({ latencyMs: 0 })).toBeNull();
    expect(
      speedOf({ output: '', outputTokens: 0, error: { code: 'timeout', message: 'late', retryable: true } }),
    ).toBeNull();
  });

  test('contains the sum of its tokens, and details only when they are requested', () => {
    expect(ResultDto.from(aResult({}))).toEqual({
      model: 'm',
      provider: 'P',
      output: 'text',
      latency_ms: 1000,
      cost_usd: Money.of('0.1'),
      input_tokens: 3,
      output_tokens: 50,
      total_tokens: 53,
    });
  });
});
