import fc from 'fast-check';
import { chargeOf, costOf, tokenLimits } from '../billing/pricing';
import { Money } from '../common/money';
import type { PricedModel } from '../models/models.service';
import { minCostOf, quotesFor, totalMaxCost } from './quote';

const OPTIONS = { temperature: 0.7, isTemperatureGiven: false, maxTokens: 100 };

const rate = fc.integer({ min: 1, max: 100_000_000 }).map((micro) => Money.of(`${Math.trunc(micro / 1e6)}.${String(micro % 1e6).padStart(6, '0')}`));
const model = fc.record({ input: rate, cachedInput: rate, cacheWrite: rate, output: rate })
  .map((price) => ({ price, model: { vendor: 'simulator', maxOutputTokens: null, accepts: { temperature: null } } }) as unknown as PricedModel);
/** How much of what is possible a call uses: of the input, of that from the cache, and of the output. */
const use = fc.record({ input: fc.nat(100), cached: fc.nat(100), output: fc.nat(100) });

describe('The quotes of a compare with samples', () => {
  test('are the costs of one sample times the number of samples, to the last digit, and never below the cost of the calls', () => {
    fc.assert(fc.property(fc.array(model, { minLength: 1, maxLength: 4 }), fc.string(), fc.integer({ min: 1, max: 50 }), fc.infiniteStream(use), (models, prompt, samples, uses) => {
      const quotes = quotesFor(models, prompt, OPTIONS);
      const most = totalMaxCost(quotes, samples);
      expect(most.toString()).toBe(Money.sum(Array.from({ length: samples }, () => totalMaxCost(quotes, 1))).toString());
      const costs = Array.from({ length: samples }, () => models).flat().map(({ price, model: { vendor } }) => {
        const { input, cached, output } = uses.next().value as { input: number; cached: number; output: number };
        const limits = tokenLimits(prompt, vendor, OPTIONS.maxTokens);
        const inputTokens = Math.floor((limits.inputTokens * input) / 100);
        const usage = { inputTokens, cachedInputTokens: Math.floor((inputTokens * cached) / 100), cacheWriteTokens: 0, outputTokens: Math.floor((limits.outputTokens * output) / 100), reasoningTokens: 0 };
        return costOf(usage, price).cost;
      });
      expect(Money.sum(costs).compare(most)).toBeLessThanOrEqual(0);
      expect(chargeOf(Money.sum(costs), '0.4', false).compare(chargeOf(most, '0.4', false))).toBeLessThanOrEqual(0);
    }), { numRuns: 500 });
  });

  test('have a minimum that is never above their maximum', () => {
    fc.assert(fc.property(model, fc.string(), fc.nat(10_000), (priced, prompt, tokens) => {
      for (const quote of quotesFor([priced], prompt, OPTIONS)) expect(minCostOf(quote, tokens).compare(quote.maxCost)).toBeLessThanOrEqual(0);
    }));
  });
});
