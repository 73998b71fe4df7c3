import fc from 'fast-check';
import { Money } from '../../common/money';
import type { Price } from '../models/catalog';
import type { CompletionRequest, TokenUsage, Vendor } from '../providers/provider';
import { chargeOf, costOf, minCost, maxCost, passThrough, tokenLimits } from './pricing';

const NONE: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

interface Dollars {
  input: string;
  output: string;
  cachedInput?: string;
  cacheWrite?: string;
}

/** Rates per million tokens from dollars. */
function rates({ input, output, cachedInput, cacheWrite }: Dollars) {
  return {
    input: Money.of(input),
    output: Money.of(output),
    ...(cachedInput !== undefined && { cachedInput: Money.of(cachedInput) }),
    ...(cacheWrite !== undefined && { cacheWrite: Money.of(cacheWrite) }),
  };
}

function price(dollars: Dollars, longContext?: Dollars & { aboveInputTokens: number }): Price {
  return {
    ...rates(dollars),
    ...(longContext !== undefined && {
      longContext: { aboveInputTokens: longContext.aboveInputTokens, ...rates(longContext) },
    }),
  };
}

function cost(usage: Partial<TokenUsage>, at: Price): string {
  return costOf({ ...NONE, ...usage }, at).cost.toString();
}

const MINI: Dollars = { input: '0.15', cachedInput: '0.075', output: '0.6' };
const HAIKU: Dollars = { input: '1', cachedInput: '0.1', cacheWrite: '1.25', output: '5' };
const PRO = price(
  { input: '1.25', cachedInput: '0.125', output: '10' },
  { aboveInputTokens: 200_000, input: '2.5', cachedInput: '0.25', output: '15' },
);

describe('costOf', () => {
  // In floats the first is 0.0011875499999999999, the second 5.000000000000001e-7, the third 0.000050024999999999996,
  // the fourth 0.019792499999999998.
  test.each<[number, string, number, string, string]>([
    [1885, '0.15', 1508, '0.6', '0.00118755'], // 282.75 + 904.8 millionths
    [3, '0.1', 1, '0.2', '0.0000005'], // 0.3 + 0.2
    [7, '0.075', 11, '4.5', '0.000050025'], // 0.525 + 49.5
    [1885, '2.5', 1508, '10', '0.0197925'], // 4712.5 + 15080
    [100_003, '0.075', 3, '0.6', '0.007502025'], // 7500.225 + 1.8
    [1, '0.000001', 0, '0', '0.000000000001'], // one picodollar
    [1_000_000, '2.5', 1_000_000, '10', '12.5'],
    [128_000, '75', 16_384, '150', '12.0576'], // 9600000 + 2457600
    [12_345, '0', 6789, '0', '0'],
    [0, '0.15', 0, '0.6', '0'],
  ])('prices %d tokens at %s and %d at %s at exactly %s', (inputTokens, input, outputTokens, output, exact) => {
    expect(cost({ inputTokens, outputTokens }, price({ input, output }))).toBe(exact);
  });

  test.each<[string, Dollars, Partial<TokenUsage>, string]>([
    // 861 × 0.15 + 1024 × 0.075 + 1508 × 0.6 = 129.15 + 76.8 + 904.8
    [
      'cached input is priced at its own rate, not twice',
      MINI,
      { inputTokens: 1885, cachedInputTokens: 1024, outputTokens: 1508 },
      '0.00111075',
    ],
    // 1885 × 0.15 + 904.8
    [
      'cached input without a rate costs as much as other input',
      { input: '0.15', output: '0.6' },
      { inputTokens: 1885, cachedInputTokens: 1024, outputTokens: 1508 },
      '0.00118755',
    ],
    // 1885 × 0.075
    ['input that was cached as a whole', MINI, { inputTokens: 1885, cachedInputTokens: 1885 }, '0.000141375'],
    // 504 × 1 + 123 × 0.1 + 10 × 1.25 + 97 × 5 = 504 + 12.3 + 12.5 + 485
    [
      'cache reads and writes beside plain input',
      HAIKU,
      { inputTokens: 637, cachedInputTokens: 123, cacheWriteTokens: 10, outputTokens: 97 },
      '0.0010138',
    ],
    // 627 × 1 + 10 × 1 + 97 × 5
    [
      'cache writes without a rate cost as much as other input',
      { input: '1', output: '5' },
      { inputTokens: 637, cacheWriteTokens: 10, outputTokens: 97 },
      '0.001122',
    ],
    // 11 × 1.25
    ['input that was written to the cache as a whole', HAIKU, { inputTokens: 11, cacheWriteTokens: 11 }, '0.00001375'],
    // 4 × 1 + 500 × 5
    [
      'reasoning is part of the output and not added to it',
      HAIKU,
      { inputTokens: 4, outputTokens: 500, reasoningTokens: 500 },
      '0.002504',
    ],
    // 100 × 0 + 23 × 0.1
    [
      'free input with cached input that is not',
      { input: '0', cachedInput: '0.1', output: '1' },
      { inputTokens: 123, cachedInputTokens: 23 },
      '0.0000023',
    ],
  ])('is exact where %s', (_, dollars, usage, exact) => {
    expect(cost(usage, price(dollars))).toBe(exact);
  });

  test.each<[string, Partial<TokenUsage>, string]>([
    // 200000 × 1.25 + 1000 × 10
    ['at the limit', { inputTokens: 200_000, outputTokens: 1000 }, '0.26'],
    // 200001 × 2.5 + 1000 × 15: all tokens at the high rates, not only those above the limit
    ['one token above it', { inputTokens: 200_001, outputTokens: 1000 }, '0.5150025'],
    // 300000 × 2.5 + 1000 × 15
    ['far above it', { inputTokens: 300_000, outputTokens: 1000 }, '0.765'],
    // 100000 × 2.5 + 200000 × 0.25 + 1000 × 15: cached input counts towards the limit
    ['above it by cached input', { inputTokens: 300_000, cachedInputTokens: 200_000, outputTokens: 1000 }, '0.315'],
    // 1000 × 1.25 + 300000 × 10
    ['at a small prompt with a large output', { inputTokens: 1000, outputTokens: 300_000 }, '3.00125'],
  ])('is exact for a long context %s', (_, usage, exact) => {
    expect(cost(usage, PRO)).toBe(exact);
  });

  test('returns the rates it was computed with', () => {
    expect(costOf({ ...NONE, inputTokens: 200_000 }, PRO).rates.output.toString()).toBe('10');
    expect(costOf({ ...NONE, inputTokens: 200_001 }, PRO).rates.output.toString()).toBe('15');
  });

  test('agrees with whole picodollars for every kind of token', () => {
    const micro = fc.nat(100_000_000);
    const count = fc.nat(2_000_000);
    const decimal = (millionths: number) =>
      `${Math.trunc(millionths / 1e6)}.${String(millionths % 1e6).padStart(6, '0')}`;
    fc.assert(
      fc.property(
        fc.tuple(micro, micro, micro, micro),
        fc.tuple(count, count, count, count),
        ([input, cached, write, output], [plain, read, written, out]) => {
          const usage = {
            inputTokens: plain + read + written,
            cachedInputTokens: read,
            cacheWriteTokens: written,
            outputTokens: out,
            reasoningTokens: 0,
          };
          const at = price({
            input: decimal(input),
            cachedInput: decimal(cached),
            cacheWrite: decimal(write),
            output: decimal(output),
          });
          const pico =
            BigInt(plain) * BigInt(input) +
            BigInt(read) * BigInt(cached) +
            BigInt(written) * BigInt(write) +
            BigInt(out) * BigInt(output);
          expect(costOf(usage, at).cost.times('1000000000000').toString()).toBe(pico.toString());
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('The maximum tokens that a call can be counted as', () => {
  test.each<[string, Vendor, number]>([
    ['', 'openai', 256],
    ['hello', 'openai', 261],
    ['é\u{1F600}', 'anthropic', 262], // 2 + 4 bytes
    ['hello', 'simulator', 261],
    ['hello', 'xai', 1029],
  ])(
    'are, for %j sent to %s, an input of %d tokens: one for each byte, and what the vendor may add',
    (prompt, vendor, inputTokens) => {
      expect(tokenLimits({ prompt, maxTokens: 500 }, vendor)).toEqual({ inputTokens, outputTokens: 500 });
    },
  );

  test.each<[string, Pick<CompletionRequest, 'system' | 'responseFormat'>, number]>([
    ['a system message, by its bytes', { system: 'é\u{1F600}' }, 267],
    [
      'a response format, by its bytes and what a vendor explains it with',
      { responseFormat: { type: 'json' } },
      261 + 15 + 512,
    ],
    ['a schema', { responseFormat: { type: 'json_schema', schema: { title: 'é' } } }, 261 + 46 + 512],
  ])('contain %s', (_, asked, inputTokens) => {
    expect(tokenLimits({ prompt: 'hello', maxTokens: 500, ...asked }, 'openai')).toEqual({
      inputTokens,
      outputTokens: 500,
    });
  });
});

describe('maxCost', () => {
  test.each<[string, Price, number, string]>([
    // 1000 × 0.15 + 10 × 0.6
    ['the plain rate where cached input is cheaper', price(MINI), 1000, '0.000156'],
    // 1000 × 1.25 + 10 × 5
    ['the rate of cache writes where they are dearer', price(HAIKU), 1000, '0.0013'],
    // 1000 × 3 + 10 × 1
    [
      'the rate of cached input where that is dearer',
      price({ input: '1', cachedInput: '3', output: '1' }),
      1000,
      '0.00301',
    ],
    // 200000 × 1.25 + 10 × 10
    ['the plain rates up to a long context', PRO, 200_000, '0.2501'],
    // 200001 × 2.5 + 10 × 15
    ['the rates of a long context above its limit', PRO, 200_001, '0.5001525'],
    // A vendor may count less than the bytes: 11 × 4 + 10 × 7
    [
      'the plain rates above the limit of a long context that is cheaper',
      price({ input: '4', output: '7' }, { aboveInputTokens: 10, input: '1', output: '2' }),
      11,
      '0.000114',
    ],
  ])('uses %s', (_, at, inputTokens, exact) => {
    expect(maxCost(at, { inputTokens, outputTokens: 10 }).toString()).toBe(exact);
  });
});

describe('minCost', () => {
  test.each<[string, Price, number, string]>([
    // 1000 × 0.075 + 1 × 0.6
    ['all of its input cached', price(MINI), 1000, '0.0000756'],
    // 1000 × 0.15 + 1 × 0.6
    [
      'all of its input at the plain rate where there is no other',
      price({ input: '0.15', output: '0.6' }),
      1000,
      '0.0001506',
    ],
    // 200001 × 0.25 + 1 × 15
    ['the rates of a long context above its limit', PRO, 200_001, '0.05001525'],
    ['no input', price(MINI), 0, '0.0000006'],
  ])('is one token of output and %s', (_, at, inputTokens, exact) => {
    expect(minCost(at, inputTokens).toString()).toBe(exact);
  });
});

describe('The charge of an eval', () => {
  // In floats 0.00118755 × 1.4 is 0.0016625699999999998.
  test.each([
    ['0.00118755', '0.4', '0.00166257'],
    ['0.000000000001', '0.4', '0.0000000000014'],
    ['0.1', '0.1', '0.11'],
    ['0.0197925', '0', '0.0197925'],
    ['12.5', '0.333333', '16.6666625'],
    ['3', '1', '6'],
    ['0', '0.4', '0'],
  ])('is, for a cost of %s with a margin of %s, exactly %s', (amount, margin, charge) => {
    expect(chargeOf(Money.of(amount), margin, false).toString()).toBe(charge);
  });

  test('is nothing for a free eval', () => {
    expect(chargeOf(Money.of('0.00118755'), '0.4', true).toString()).toBe('0');
  });

  test('is the sum of the charges of its results', () => {
    const amount = fc.nat(1_000_000_000).map((pico) => Money.of(`0.${String(pico).padStart(12, '0')}`));
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 8 }), fc.nat(999_999), (costs, millionths) => {
        const margin = `0.${String(millionths).padStart(6, '0')}`;
        const parts = Money.sum(costs.map((part) => chargeOf(part, margin, false)));
        expect(chargeOf(Money.sum(costs), margin, false).toString()).toBe(parts.toString());
      }),
    );
  });
});

describe('The pass-through pricing scheme', () => {
  test.each([
    ['0.4', '40', '0.4'],
    ['0.400000', '40', '0.4'],
    ['0.07', '7', '0.07'], // 0.07 × 100 is 7.000000000000001 in floats
    ['0.285', '28.5', '0.285'], // and 0.285 × 100 is 28.499999999999996
    ['0', '0', '0'],
    ['1.5', '150', '1.5'],
  ])('describes a margin of %s as %s percent and states it as %s', (margin, percent, fraction) => {
    const pricing = passThrough(margin, []);
    expect(pricing.description).toBe(`Model cost plus a ${percent} percent margin.`);
    expect(JSON.stringify(pricing.margin)).toBe(fraction);
  });

  test('is labeled pass-through and names the free models', () => {
    expect(passThrough('0.4', ['sim-quill', 'sim-swift'])).toMatchObject({
      label: 'pass-through',
      freeModels: ['sim-quill', 'sim-swift'],
    });
  });
});
