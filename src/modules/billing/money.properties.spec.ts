import fc from 'fast-check';
import { Money } from '../../common/money';
import { Month } from '../../common/month';
import type { Price } from '../models/catalog';
import type { TokenUsage } from '../providers/provider';
import { newCharge } from './charge';
import { breakdownOf } from './charge-breakdown';
import { chargeOf, costOf, minCost, maxCost } from './pricing';

/** A fraction of whole numbers: arithmetic that knows neither decimals nor Money. */
type Fraction = readonly [numerator: bigint, denominator: bigint];

const add = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d];
const multiply = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const whole = (count: number): Fraction => [BigInt(count), 1n];
const total = (fractions: readonly Fraction[]): Fraction => fractions.reduce(add, [0n, 1n]);
const isSame = ([a, b]: Fraction, [c, d]: Fraction): boolean => a * d === c * b;
const isAtMost = ([a, b]: Fraction, [c, d]: Fraction): boolean => a * d <= c * b;

/** Reads what was printed, digit by digit. */
function readDecimal(text: string): Fraction {
  let numerator = 0n;
  let denominator = 1n;
  let isFraction = false;
  for (const character of text.replace('-', '')) {
    if (character === '.') {
      isFraction = true;
      continue;
    }
    numerator = numerator * 10n + BigInt(character);
    if (isFraction) denominator *= 10n;
  }
  return [text.startsWith('-') ? -numerator : numerator, denominator];
}

/** A dollar amount as its text and as the fraction it is. */
interface Dollars {
  text: string;
  value: Fraction;
}

const dollarsOf = (digits: number, decimals: number): Dollars => {
  const padded = digits.toString().padStart(decimals + 1, '0');
  const cut = padded.length - decimals;
  return {
    text: decimals === 0 ? padded : `${padded.slice(0, cut)}.${padded.slice(cut)}`,
    value: [BigInt(digits), 10n ** BigInt(decimals)],
  };
};

const dollars = fc
  .tuple(fc.integer({ min: 0, max: 300_000 }), fc.integer({ min: 0, max: 6 }))
  .map(([digits, decimals]) => dollarsOf(digits, decimals));
const margins = fc
  .tuple(fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: 0, max: 6 }))
  .map(([digits, decimals]) => dollarsOf(digits, decimals));
const rates = fc.record({
  input: dollars,
  output: dollars,
  cachedInput: fc.option(dollars, { nil: undefined }),
  cacheWrite: fc.option(dollars, { nil: undefined }),
});
type Rates = typeof rates extends fc.Arbitrary<infer T> ? T : never;

const prices = fc.record({
  plain: rates,
  long: fc.option(fc.record({ above: fc.integer({ min: 0, max: 300_000 }), rates }), { nil: undefined }),
});
type Prices = typeof prices extends fc.Arbitrary<infer T> ? T : never;

const usages = fc
  .tuple(fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(200_000))
  .map(([plain, cached, written, output]): TokenUsage => ({
    inputTokens: plain + cached + written,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: output,
    reasoningTokens: 0,
  }));

const calls = fc.record({ price: prices, usage: usages });
const often = { numRuns: 10_000 };

function moneyRates({ input, output, cachedInput, cacheWrite }: Rates) {
  return {
    input: Money.of(input.text),
    output: Money.of(output.text),
    ...(cachedInput !== undefined && { cachedInput: Money.of(cachedInput.text) }),
    ...(cacheWrite !== undefined && { cacheWrite: Money.of(cacheWrite.text) }),
  };
}

function priceOf({ plain, long }: Prices): Price {
  return {
    ...moneyRates(plain),
    ...(long !== undefined && { longContext: { aboveInputTokens: long.above, ...moneyRates(long.rates) } }),
  };
}

/** The cost of a call, worked out in fractions from the words of the price list. */
function fractionCost({ plain, long }: Prices, usage: TokenUsage): Fraction {
  const at = long !== undefined && usage.inputTokens > long.above ? long.rates : plain;
  const parts: [number, Dollars][] = [
    [usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens, at.input],
    [usage.cachedInputTokens, at.cachedInput ?? at.input],
    [usage.cacheWriteTokens, at.cacheWrite ?? at.input],
    [usage.outputTokens, at.output],
  ];
  return total(parts.map(([tokens, rate]) => multiply(multiply(whole(tokens), rate.value), [1n, 1_000_000n])));
}

const withMargin = (cost: Fraction, margin: Dollars): Fraction => multiply(cost, add([1n, 1n], margin.value));
const valueOf = (money: Money): Fraction => readDecimal(money.toString());

describe('Billing arithmetic, compared with fractions of whole numbers', () => {
  test('computes the cost of a call exactly', () => {
    fc.assert(
      fc.property(calls, ({ price, usage }) =>
        isSame(valueOf(costOf(usage, priceOf(price)).cost), fractionCost(price, usage)),
      ),
      often,
    );
  });

  test('charges exactly cost × (1 + margin), and nothing for a free eval', () => {
    fc.assert(
      fc.property(calls, margins, ({ price, usage }, margin) => {
        const { cost } = costOf(usage, priceOf(price));
        expect(chargeOf(cost, margin.text, true).toString()).toBe('0');
        return isSame(valueOf(chargeOf(cost, margin.text, false)), withMargin(fractionCost(price, usage), margin));
      }),
      often,
    );
  });

  test('splits a charge into results that add up to the whole, in each part of the breakdown, however many results a model has', () => {
    fc.assert(
      fc.property(
        fc.array(calls, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        margins,
        fc.boolean(),
        (models, count, margin, isFree) => {
          const results = models.map(({ price, usage }, index) => ({
            ...usage,
            model: `model-${index % count}`,
            cost: costOf(usage, priceOf(price)).cost,
          }));
          const chargeFor = (cost: Money) => chargeOf(cost, margin.text, isFree);
          const cost = Money.sum(results.map((result) => result.cost));
          const charge = {
            userId: 'user',
            keyId: 'key',
            month: '2026-11',
            occurredAt: new Date('2026-11-30T23:59:59Z'),
            cost,
            charge: chargeFor(cost),
            inputTokens: 0,
            outputTokens: 0,
          };
          const shares = breakdownOf(charge as Parameters<typeof breakdownOf>[0], { results }, chargeFor);
          const expected = total(models.map(({ price, usage }) => fractionCost(price, usage)));
          // Two lines of the same item would be refused by Postgres.
          expect(new Set(shares.map(({ dimension, item }) => `${dimension} ${item}`)).size).toBe(shares.length);
          for (const dimension of ['model', 'day', 'key']) {
            const parts = shares.filter((share) => share.dimension === dimension);
            expect(isSame(total(parts.map((part) => valueOf(part.cost))), expected)).toBe(true);
            expect(
              isSame(
                total(parts.map((part) => valueOf(part.charge))),
                isFree ? [0n, 1n] : withMargin(expected, margin),
              ),
            ).toBe(true);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('lists each model of a charge once, and charges each result so that all add up to it', () => {
    fc.assert(
      fc.property(
        fc.array(calls, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        margins,
        fc.boolean(),
        (made, count, margin, isFree) => {
          const results = made.map(({ price, usage }, index) => ({
            ...usage,
            model: `model-${index % count}`,
            cost: costOf(usage, priceOf(price)).cost,
          }));
          const evaluation = {
            evalId: 'eval',
            startedAt: new Date('2026-11-30T23:59:59Z'),
            cost: Money.sum(results.map(({ cost }) => cost)),
            results,
          };
          const month = Month.of(evaluation.startedAt);
          const { charge, resultCharges } = newCharge({ userId: 'user', keyId: 'key', month, isFree }, evaluation, {
            margin: margin.text,
            createdAt: evaluation.startedAt,
          });
          expect(charge.models).toEqual([...new Set(results.map(({ model }) => model))]);
          expect(resultCharges).toHaveLength(results.length);
          expect(charge.inputTokens).toBe(results.reduce((sum, { inputTokens }) => sum + inputTokens, 0));
          return isSame(total(resultCharges.map(valueOf)), valueOf(charge.charge));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('never exceeds the maximum cost of a call, however its tokens are counted, and never has a minimum above the maximum', () => {
    fc.assert(
      fc.property(calls, fc.nat(1000), fc.nat(1000), ({ price, usage }, moreInput, moreOutput) => {
        const [input, output] = [usage.inputTokens + moreInput, usage.outputTokens + moreOutput];
        const most = valueOf(maxCost(priceOf(price), { inputTokens: input, outputTokens: output }));
        return (
          isAtMost(fractionCost(price, usage), most) &&
          isAtMost(
            valueOf(minCost(priceOf(price), 0)),
            valueOf(maxCost(priceOf(price), { inputTokens: 0, outputTokens: 1 })),
          )
        );
      }),
      often,
    );
  });

  test('adds and subtracts any amounts exactly, in any order', () => {
    const amount = fc
      .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 18 }))
      .map(([digits, decimals]) => ({
        value: [digits, 10n ** BigInt(decimals)] as const,
        money: Money.of(digits.toString()).times(decimals === 0 ? '1' : `0.${'0'.repeat(decimals - 1)}1`),
      }));
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 12 }), (amounts) => {
        const sum = Money.sum(amounts.map(({ money }) => money));
        const backwards = amounts.reduceRight((rest, { money }) => rest.minus(money), sum);
        return isSame(valueOf(sum), total(amounts.map(({ value }) => value))) && backwards.compare(Money.zero) === 0;
      }),
      often,
    );
  });

  test('prints every digit in JSON, as few of them as the amount needs, without an exponent', () => {
    fc.assert(
      fc.property(calls, margins, ({ price, usage }, margin) => {
        const charge = chargeOf(costOf(usage, priceOf(price)).cost, margin.text, false);
        const printed = JSON.stringify({ charge });
        const digits = printed.slice('{"charge":'.length, -1);
        expect(digits).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
        return isSame(readDecimal(digits), withMargin(fractionCost(price, usage), margin));
      }),
      often,
    );
  });
});
