import fc from 'fast-check';
import { chargeOf, costOf, tokenLimits } from '../billing/pricing';
import { clampUsage } from '../billing/token-usage';
import { EFFORTS } from '../../common/effort';
import { Money } from '../../common/money';
import type { ResponseFormat } from '../../common/response-format';
import { extraOptionsOf } from '../evals/extra-options';
import type { PricedModel } from '../models/models.service';
import { adaptParameters, type CompareSettings } from './adapt-parameters';
import { minCostOf, quotesFor, totalMaxCost } from './quote';

const OPTIONS = { temperature: 0.7, isTemperatureGiven: false, isMaxTokensGiven: true, maxTokens: 100 };

const rate = fc
  .integer({ min: 1, max: 100_000_000 })
  .map((micro) => Money.of(`${Math.trunc(micro / 1e6)}.${String(micro % 1e6).padStart(6, '0')}`));
const model = fc.record({ input: rate, cachedInput: rate, cacheWrite: rate, output: rate }).map(
  (price) =>
    ({
      price,
      model: { vendor: 'simulator', maxOutputTokens: null, accepts: { temperature: null } },
    }) as unknown as PricedModel,
);
/** How much of what is possible a call uses: of the input, of that from the cache, and of the output. */
const use = fc.record({ input: fc.nat(100), cached: fc.nat(100), output: fc.nat(100) });

describe('The quotes of a compare with samples', () => {
  test('are the costs of one sample times the number of samples, to the last digit, and never below the cost of the calls', () => {
    fc.assert(
      fc.property(
        fc.array(model, { minLength: 1, maxLength: 4 }),
        fc.string(),
        fc.option(fc.string(), { nil: undefined }),
        fc.integer({ min: 1, max: 50 }),
        fc.infiniteStream(use),
        (models, prompt, system, samples, uses) => {
          const quotes = quotesFor(
            models,
            { text: prompt, warnings: [] },
            {
              ...OPTIONS,
              extra: system === undefined ? undefined : { system },
            },
          );
          const most = totalMaxCost(quotes, samples);
          expect(most.toString()).toBe(
            Money.sum(Array.from({ length: samples }, () => totalMaxCost(quotes, 1))).toString(),
          );
          const costs = Array.from({ length: samples }, () => models)
            .flat()
            .map(({ price, model: { vendor } }) => {
              const { input, cached, output } = uses.next().value as { input: number; cached: number; output: number };
              const limits = tokenLimits({ prompt, system, maxTokens: OPTIONS.maxTokens }, vendor);
              const inputTokens = Math.floor((limits.inputTokens * input) / 100);
              const usage = {
                inputTokens,
                cachedInputTokens: Math.floor((inputTokens * cached) / 100),
                cacheWriteTokens: 0,
                outputTokens: Math.floor((limits.outputTokens * output) / 100),
                reasoningTokens: 0,
              };
              return costOf(usage, price).cost;
            });
          expect(Money.sum(costs).compare(most)).toBeLessThanOrEqual(0);
          expect(chargeOf(Money.sum(costs), '0.4', false).compare(chargeOf(most, '0.4', false))).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('have a minimum that is never above their maximum', () => {
    fc.assert(
      fc.property(model, fc.string(), fc.nat(10_000), (priced, prompt, tokens) => {
        for (const quote of quotesFor([priced], { text: prompt, warnings: [] }, OPTIONS))
          expect(minCostOf(quote, tokens).compare(quote.maxCost)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('The quotes of a compare with thought', () => {
  const effort = fc.constantFrom(...EFFORTS);
  const SCHEMA: ResponseFormat = {
    type: 'json_schema',
    schema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  };
  const reasoning = fc.record({
    efforts: fc.uniqueArray(effort),
    default: fc.option(effort),
    mandatory: fc.boolean(),
    allowance: fc.integer({ min: 1, max: 20_000 }),
  });
  const rates = fc.record({
    input: rate,
    cachedInput: fc.option(rate, { nil: undefined }),
    cacheWrite: fc.option(rate, { nil: undefined }),
    output: rate,
  });
  const price = fc
    .record({ plain: rates, long: fc.option(rates, { nil: undefined }), above: fc.nat(600) })
    .map(({ plain, long, above }) => ({
      ...plain,
      ...(long !== undefined && { longContext: { ...long, aboveInputTokens: above } }),
    }));
  const thinker = fc
    .record({
      price,
      vendor: fc.constantFrom('openai', 'anthropic', 'gemini', 'xai', 'simulator'),
      reasoning: fc.option(reasoning, { nil: undefined }),
      dialect: fc.record({ thinking: fc.constantFrom(undefined, 'budget', 'adaptive') }),
      maxOutputTokens: fc.option(fc.integer({ min: 1, max: 40_000 })),
      arm: fc.option(
        effort.map((effort) => ({ id: 'm', effort })),
        { nil: undefined },
      ),
    })
    .map(
      ({ price, arm, ...model }) =>
        ({
          price,
          arm,
          model: { ...model, accepts: { temperature: null, responseFormat: 'json_schema' } },
        }) as unknown as PricedModel,
    );
  const limit = fc.option(fc.integer({ min: 1, max: 16_384 }), { nil: undefined });
  const settings = fc
    .record({
      maxTokens: limit,
      reasoning_tokens: fc.option(fc.nat(16_384), { nil: undefined }),
      reasoning_effort: fc.option(effort, { nil: undefined }),
      system: fc.option(fc.string({ maxLength: 200 }), { nil: undefined }),
      response_format: fc.constantFrom(undefined, SCHEMA),
    })
    .map(({ maxTokens, ...extra }): CompareSettings => ({
      temperature: 0.7,
      isTemperatureGiven: false,
      maxTokens: maxTokens ?? 500,
      isMaxTokensGiven: maxTokens !== undefined,
      extra: extraOptionsOf(extra),
    }));
  /** A vendor that spends all of the limit it was sent, or says that it spent more. */
  const greed = fc.record({
    input: fc.nat(3000),
    cached: fc.nat(3000),
    written: fc.nat(3000),
    excess: fc.constantFrom(0, 0, 1, 1_000_000),
  });

  test('are never exceeded, however much the vendors think', () => {
    let withRoom = 0;
    fc.assert(
      fc.property(
        fc.array(thinker, { minLength: 1, maxLength: 3 }),
        settings,
        fc.string({ maxLength: 300 }),
        fc.integer({ min: 1, max: 10 }),
        greed,
        (models, options, prompt, samples, { input, cached, written, excess }) => {
          const quotes = quotesFor(models, { text: prompt, warnings: [] }, options);
          const costs = models.map(({ model, price, arm }, index) => {
            const { maxTokens, reasoningTokens, responseFormat } = adaptParameters(options, model, arm);
            const limits = tokenLimits(
              { prompt, system: options.extra?.system, responseFormat, maxTokens },
              model.vendor,
            );
            const counted = {
              inputTokens: input,
              cachedInputTokens: cached,
              cacheWriteTokens: written,
              outputTokens: maxTokens + excess,
              reasoningTokens: maxTokens,
            };
            const { cost } = costOf(clampUsage(counted, limits), price);
            const quote = quotes[index];
            if (quote === undefined || cost.compare(quote.maxCost) > 0) return undefined;
            if (reasoningTokens > 0) withRoom += 1;
            return cost;
          });
          return (
            costs.every((cost) => cost !== undefined) &&
            Money.sum(costs.filter((cost) => cost !== undefined))
              .times(String(samples))
              .compare(totalMaxCost(quotes, samples)) <= 0
          );
        },
      ),
      { numRuns: 10_000 },
    );
    expect(withRoom).toBeGreaterThan(3000);
  });
});
