import { Money } from '../../common/money';
import { costWithoutCache } from './cost-without-cache';
import type { ResultDetails } from '../evals/result.entity';

const RATES = { input: '2', cachedInput: '0.5', cacheWrite: '2.5', output: '8' };

function without(
  cost: string,
  cachedInputTokens: number,
  cacheWriteTokens: number,
  rates: ResultDetails['rates'] = RATES,
): string {
  return costWithoutCache({
    cost: Money.of(cost),
    inputTokens: 1000,
    outputTokens: 100,
    details: { cachedInputTokens, cacheWriteTokens, rates } as ResultDetails,
  }).toString();
}

describe('The cost without a cache', () => {
  // 1,000 in and 100 out: 1,000 × 2 + 100 × 8 = 2,800 millionths, however many of the 1,000 were cached.
  test.each([
    ['nothing cached', '0.0028', 0, 0],
    ['some input read from a cache', '0.0016', 800, 0],
    ['all of it read from a cache', '0.0013', 1000, 0],
    ['some input written to a cache, which costs more', '0.003', 0, 400],
    ['both', '0.0018', 800, 400],
  ])('is the same with %s', (_, cost, cached, written) => {
    expect(without(cost, cached, written)).toBe('0.0028');
  });

  // The listed 1,600 millionths were charged as 800, so the 1,200 that the cache saved are worth 600.
  test('takes the share of the list price that the vendor charged', () => {
    const result = {
      cost: Money.of('0.0008'),
      inputTokens: 1000,
      outputTokens: 100,
      details: {
        cachedInputTokens: 800,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        rates: RATES,
        statedCost: '0.0008',
      } as ResultDetails,
    };
    expect(costWithoutCache(result).toString()).toBe('0.0014');
  });

  test('is the cost where no rates are known', () => {
    expect(without('0.5', 100, 100, null)).toBe('0.5');
  });
});
