import fc from 'fast-check';
import { costOf } from '../billing/pricing';
import { Money } from '../../common/money';
import type { Price } from '../models/catalog';
import type { PricedModel } from '../models/models.service';
import { ProviderError } from '../providers/provider.error';
import { buildResult } from './build-result';
import type { ModelOutcome } from './model-outcome';
import { refuseSubstitute, withSubstitute } from './substitution';

const COUNTS = { inputTokens: 1000, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 100, reasoningTokens: 0 };
const price = (input: string, output: string): Price => ({ input: Money.of(input), output: Money.of(output) });
/** The prices that the catalog has for the names of this vendor's models. */
const CATALOG: Record<string, Price[]> = {
  'small-2': [price('1', '5')],
  'dear-2': [price('9', '50')],
  'chatty-2': [price('1', '30')],
  'two-2': [price('1.5', '5'), price('1', '5')],
};

function call(
  responseModel: unknown,
  more: { reportedCostUsd?: string; counts?: typeof COUNTS; priced?: Partial<PricedModel> } = {},
): ModelOutcome {
  const model = {
    id: 'large',
    provider: 'P',
    vendor: 'openai',
    vendorModel: 'large-2',
    aliases: ['large-chat'],
    dialect: { maxTokensField: 'max_tokens' },
  };
  const priced = {
    model,
    price: price('2', '10'),
    isFree: false,
    pricesOf: (name: string) => CATALOG[name] ?? [],
    ...more.priced,
  } as unknown as PricedModel;
  const completion = {
    text: 'x',
    finishReason: 'stop' as const,
    usage: COUNTS,
    responseModel,
    reportedCostUsd: more.reportedCostUsd,
  };
  const usage = { counts: more.counts ?? COUNTS, estimated: [], aboveLimit: [], reported: undefined };
  return {
    priced,
    applied: { temperature: undefined, maxTokens: 500, reasoningTokens: 0, warnings: [] },
    warnings: [],
    outcome: { completion, usage, latencyMs: 80, ttftMs: 7, attempts: 2, totalMs: 90 },
  };
}

const told = (outcome: ModelOutcome) => {
  const { cost, warnings, details } = buildResult(withSubstitute(outcome), 0);
  return {
    cost: cost.toString(),
    codes: warnings.map(({ code }) => code),
    answeredBy: details.answeredBy ?? null,
    input: details.rates?.input,
    stated: details.statedCost,
  };
};

describe('A call that another model answered', () => {
  // 1,000 in and 100 out: 3,000 millionths at the price of the model that was asked for.
  test.each<[string, unknown, object]>([
    ['the name that was asked for', 'large-2', { cost: '0.003', codes: [], answeredBy: 'large-2' }],
    ['a dated form of it', 'large-2-2026-11-17', { cost: '0.003', codes: [], answeredBy: 'large-2-2026-11-17' }],
    ['an alias', 'large-chat', { cost: '0.003', codes: [], answeredBy: 'large-chat' }],
    ['no name', undefined, { cost: '0.003', codes: [], answeredBy: null }],
    ['a number', 7, { cost: '0.003', codes: [], answeredBy: null }],
    ['an object', { toString: 'small-2' }, { cost: '0.003', codes: [], answeredBy: null }],
    ['a sentence', 'small-2 is what answered', { cost: '0.003', codes: [], answeredBy: null }],
    ['an address', 'https://vendor.example/small-2', { cost: '0.003', codes: [], answeredBy: null }],
    ['a name that is too long', 's'.repeat(201), { cost: '0.003', codes: [], answeredBy: null }],
    ['a cheaper model', 'small-2', { cost: '0.0015', codes: ['model_substituted'], answeredBy: 'small-2', input: '1' }],
    ['a dearer model', 'dear-2', { cost: '0.003', codes: ['model_substituted'], answeredBy: 'dear-2', input: '2' }],
    [
      'a model that is dearer for these tokens only',
      'chatty-2',
      { cost: '0.003', codes: ['model_substituted'], input: '2' },
    ],
    ['a model with two prices', 'two-2', { cost: '0.0015', codes: ['model_substituted'], input: '1' }],
    ['a model that the catalog does not have', 'nobody-2', { cost: '0.003', codes: ['model_substituted'], input: '2' }],
    ['the longest name', 's'.repeat(200), { cost: '0.003', codes: ['model_substituted'], answeredBy: 's'.repeat(200) }],
  ])('is priced at the lower price and has a warning where the answer names %s', (_, responseModel, expected) => {
    expect(told(call(responseModel))).toMatchObject(expected);
  });

  test('is priced by its own counts: a model that is dearer for some tokens is cheaper for others', () => {
    expect(told(call('chatty-2', { counts: { ...COUNTS, outputTokens: 1 } }))).toMatchObject({
      cost: '0.00103',
      input: '1',
    });
  });

  test('costs what the vendor states if that is below both prices', () => {
    expect(told(call('small-2', { reportedCostUsd: '0.0014' }))).toMatchObject({
      cost: '0.0014',
      stated: '0.0014',
      input: '1',
      codes: ['model_substituted'],
    });
    expect(told(call('small-2', { reportedCostUsd: '0.002' }))).toMatchObject({
      cost: '0.0015',
      stated: undefined,
      codes: ['model_substituted', 'price_differs'],
    });
  });

  test('names both models in its warning', () => {
    expect(buildResult(withSubstitute(call('small-2')), 0).warnings).toEqual([
      { code: 'model_substituted', message: 'The vendor answered with small-2 instead of large-2.' },
    ]);
  });

  test('is a failure at no cost for a caller who accepts no other model, and still names the model that answered', () => {
    const result = buildResult(refuseSubstitute(withSubstitute(call('small-2'))), 3);
    expect(result).toMatchObject({
      position: 3,
      model: 'large',
      output: '',
      latencyMs: 80,
      inputTokens: 0,
      outputTokens: 0,
      warnings: [],
      error: {
        code: 'model_substituted',
        message: 'The vendor answered with small-2 instead of large-2, and exact_model accepts no other model.',
        retryable: false,
      },
      details: { answeredBy: 'small-2', vendorModel: 'large-2', attempts: 2, rates: null, charge: '0' },
    });
    expect(result.cost.toString()).toBe('0');
  });

  test('looks up no price where the requested model answered, or the call failed', () => {
    const pricesOf = () => {
      throw new Error('not needed');
    };
    const same = call('large-2-2026-11-17', { priced: { pricesOf } });
    expect(withSubstitute(same)).toBe(same);
    const failed = {
      ...same,
      outcome: { failure: new ProviderError('timeout'), attempts: 1, latencyMs: 1, totalMs: 1 },
    };
    expect(withSubstitute(failed)).toBe(failed);
  });

  test('never costs more than at the price that was asked for, and always the lower of stated cost and tokens at the stored rates', () => {
    const rate = fc
      .integer({ min: 1, max: 90_000_000 })
      .map((micro) => Money.of(`${Math.trunc(micro / 1e6)}.${String(micro % 1e6).padStart(6, '0')}`));
    const prices = fc.record(
      { input: rate, cachedInput: rate, cacheWrite: rate, output: rate },
      { requiredKeys: ['input', 'output'] },
    );
    const stated = fc.option(
      fc.double({ min: 0, max: 1e9, noNaN: true }).map((dollars) => dollars.toFixed(12)),
      { nil: undefined },
    );
    const counts = fc
      .record({ inputTokens: fc.nat(1_000_000), cached: fc.nat(100), outputTokens: fc.nat(100_000) })
      .map(({ inputTokens, cached, outputTokens }) => ({
        ...COUNTS,
        inputTokens,
        outputTokens,
        cachedInputTokens: Math.floor((inputTokens * cached) / 100),
      }));
    fc.assert(
      fc.property(
        prices,
        fc.array(prices, { maxLength: 3 }),
        stated,
        counts,
        (asked, others, reportedCostUsd, used) => {
          const {
            cost,
            details: { rates, statedCost },
          } = buildResult(
            withSubstitute(
              call('small-2', {
                counts: used,
                ...(reportedCostUsd !== undefined && { reportedCostUsd }),
                priced: { price: asked, pricesOf: () => others },
              }),
            ),
            0,
          );
          expect(cost.compare(costOf(used, asked).cost)).toBeLessThanOrEqual(0);
          if (rates === null) throw new Error('It was answered.');
          const { input, cachedInput, cacheWrite, output } = rates;
          const listed = costOf(used, {
            input: Money.of(input),
            cachedInput: Money.of(cachedInput),
            cacheWrite: Money.of(cacheWrite),
            output: Money.of(output),
          }).cost;
          const proven =
            statedCost !== undefined && Money.of(statedCost).compare(listed) < 0 ? Money.of(statedCost) : listed;
          expect(cost.toString()).toBe(proven.toString());
        },
      ),
      { numRuns: 300 },
    );
  });
});
