import fc from 'fast-check';
import { chargeOf, costOf, maxCost, tokenLimits } from './pricing';
import { Money } from '../../common/money';
import type { Price } from '../models/catalog';
import type { TokenUsage } from '../providers/provider';
import { toReportedUsage, clampUsage, isSameUsage, minTokens, sidesAbove, implausibleSides } from './token-usage';

const USAGE: TokenUsage = {
  inputTokens: 10,
  cachedInputTokens: 4,
  cacheWriteTokens: 6,
  outputTokens: 5,
  reasoningTokens: 5,
};
const LIMITS = { inputTokens: 100, outputTokens: 50 };

/** Names of encodings of OpenAI's models from GPT-3 on. */
const ENCODINGS = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'] as const;

const TEXTS: [string, string][] = [
  [
    'prose',
    'The quick brown fox jumps over the lazy dog, and internationalization of telecommunications infrastructure continues. '.repeat(
      50,
    ),
  ],
  [
    'long words',
    'Donaudampfschifffahrtsgesellschaftskapitän antidisestablishmentarianism electroencephalographically '.repeat(50),
  ],
  [
    'code',
    'export async function countTokens(text: string): Promise<number> {\n    const encoding = await tokenizer;\n    return encoding;\n}\n'.repeat(
      50,
    ),
  ],
  ['deeply indented code', `${' '.repeat(64)}return undefined;\n`.repeat(50)],
  ['spaces', ' '.repeat(50_000)],
  ['tabs', '\t'.repeat(50_000)],
  ['line ends', '\r\n'.repeat(25_000)],
  ['ideographic spaces', '\u3000'.repeat(20_000)],
  ['one letter', 'a'.repeat(50_000)],
  ['one digit', '0'.repeat(50_000)],
  ['a rule', '='.repeat(50_000)],
  ['a drawn rule', '─'.repeat(20_000)],
  ['one ideograph', '語'.repeat(20_000)],
  ['Chinese', '中华人民共和国国家知识产权局关于人工智能的报告，'.repeat(200)],
  ['Japanese', '人工知能はコンピュータープログラムです。'.repeat(200)],
  ['Thai', 'ปัญญาประดิษฐ์คือวิทยาการคอมพิวเตอร์'.repeat(200)],
  ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(300)],
  ['a table', `|${'-'.repeat(30)}|${'-'.repeat(30)}|\n`.repeat(100)],
  ['base64', 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo'.repeat(200)],
  ['one character', 'x'],
  ['one space', ' '],
];

describe('The minimum tokens of a text', () => {
  test.each([
    ['', 0],
    [' ', 1],
    ['a', 1],
    ['a'.repeat(5000), 1],
    [' \n\t'.repeat(999), 1],
    ['ab'.repeat(16), 1],
    ['ab'.repeat(16) + 'c', 2],
    ['word '.repeat(64), 10],
  ])('are one for every 32 characters that differ from their neighbor, rounded up (text %#)', (text, least) => {
    // 'word ' has five characters that differ from their neighbors: 64 × 5 / 32 = 10.
    expect(minTokens(text)).toBe(least);
  });

  // A false alarm would cost the caller money, so nothing that a real tokenizer counts may be doubted.
  describe.each(ENCODINGS)('The minimum tokens of a text, compared with the %s encoding,', (name) => {
    test.each(TEXTS)('are at most the tokens of %s', async (_, text) => {
      const encoding = (await import(`gpt-tokenizer/encoding/${name}`)) as { countTokens(text: string): number };
      let tokens = 0;
      for (let from = 0; from < text.length; from += 2000)
        tokens += encoding.countTokens(text.slice(from, from + 2000));
      expect(minTokens(text)).toBeLessThanOrEqual(tokens);
      expect(implausibleSides({ ...USAGE, inputTokens: tokens, outputTokens: tokens }, text, text)).toEqual([]);
    });
  });

  test('are at most those of the simulator', () => {
    for (const [, text] of TEXTS) expect(minTokens(text)).toBeLessThanOrEqual(Math.ceil(text.length / 4));
  });
});

describe('The counts of a vendor', () => {
  const [prompt, answer] = ['word '.repeat(64), 'Yes.'];

  test.each<[string, Partial<TokenUsage>, string[]]>([
    ['are plausible as they usually are', {}, []],
    ['are plausible where they are large', { inputTokens: 100_000_000, outputTokens: 100_000_000 }, []],
    ['are plausible at the minimum', { inputTokens: 10, outputTokens: 1 }, []],
    ['are implausible with too little input', { inputTokens: 9 }, ['input']],
    ['are implausible without output', { outputTokens: 0 }, ['output']],
    ['are implausible when both are zero', { inputTokens: 0, outputTokens: 0 }, ['input', 'output']],
    ['are implausible below zero', { inputTokens: -1, outputTokens: -5 }, ['input', 'output']],
    ['are implausible as fractions', { inputTokens: 10.5 }, ['input']],
    ['are implausible when infinite', { outputTokens: Infinity }, ['output']],
    [
      'are implausible beyond any context window',
      { inputTokens: 100_000_001, outputTokens: 1e308 },
      ['input', 'output'],
    ],
  ])('%s', (_, counts, sides) => {
    expect(implausibleSides({ ...USAGE, ...counts }, prompt, answer)).toEqual(sides);
  });

  test('are absent where the vendor reports none', () => {
    expect(implausibleSides(undefined, prompt, answer)).toEqual(['input', 'output']);
  });

  test.each([0, 1, 16_384])('may be %d where there is no text, because thought is counted too', (outputTokens) => {
    expect(implausibleSides({ ...USAGE, outputTokens, reasoningTokens: outputTokens }, prompt, '')).toEqual([]);
  });

  test.each<[Partial<TokenUsage>, string[]]>([
    [{}, []],
    [{ inputTokens: 100, outputTokens: 50 }, []],
    [{ inputTokens: 101 }, ['input']],
    [{ inputTokens: 1e308, outputTokens: 51 }, ['input', 'output']],
  ])('exceed, with %j, the plausible maximum on these sides: %j', (counts, sides) => {
    expect(sidesAbove({ ...USAGE, ...counts }, LIMITS)).toEqual(sides);
  });

  test.each<[Partial<TokenUsage>, TokenUsage]>([
    [{}, USAGE],
    [
      { outputTokens: 100_000_000, reasoningTokens: 99_999_999 },
      { ...USAGE, outputTokens: 50, reasoningTokens: 50 },
    ],
    [{ reasoningTokens: 6 }, USAGE],
    [
      { inputTokens: 1000, cachedInputTokens: 70, cacheWriteTokens: 60 },
      { ...USAGE, inputTokens: 100, cachedInputTokens: 70, cacheWriteTokens: 30 },
    ],
    [
      { inputTokens: 10, cachedInputTokens: 11, cacheWriteTokens: 1 },
      { ...USAGE, cachedInputTokens: 10, cacheWriteTokens: 0 },
    ],
    [
      { cachedInputTokens: -5, cacheWriteTokens: 2.5, reasoningTokens: NaN },
      { ...USAGE, cachedInputTokens: 0, cacheWriteTokens: 2, reasoningTokens: 0 },
    ],
  ])('are clamped, from %j to %j', (counts, expected) => {
    expect(clampUsage({ ...USAGE, ...counts }, LIMITS)).toEqual(expected);
  });

  test('are equal only when every one of them is', () => {
    expect(isSameUsage(USAGE, { ...USAGE })).toBe(true);
    for (const kind of Object.keys(USAGE)) expect(isSameUsage(USAGE, { ...USAGE, [kind]: 77 })).toBe(false);
  });

  test('are a finite amount of money, whatever they are', () => {
    const absurd = {
      inputTokens: Infinity,
      cachedInputTokens: -1,
      cacheWriteTokens: 1e300,
      outputTokens: 1e308,
      reasoningTokens: 0,
    };
    expect(toReportedUsage(absurd)).toEqual({
      inputTokens: 100_000_000,
      cachedInputTokens: 0,
      cacheWriteTokens: 100_000_000,
      outputTokens: 100_000_000,
      reasoningTokens: 0,
    });
  });
});

describe('The maximum cost of a call', () => {
  const rate = fc.nat(100_000_000).map((micro) => Money.of(BigInt(micro).toString()).times('0.000001'));
  const rates = fc
    .record({ input: rate, output: rate }, { requiredKeys: ['input', 'output'] })
    .chain((needed) =>
      fc
        .record({ cachedInput: fc.option(rate, { nil: undefined }), cacheWrite: fc.option(rate, { nil: undefined }) })
        .map((cache) => ({ ...needed, ...cache })),
    );
  const prices: fc.Arbitrary<Price> = fc
    .tuple(rates, fc.option(fc.tuple(fc.nat(2000), rates), { nil: undefined }))
    .map(([plain, long]) => ({ ...plain, longContext: long && { aboveInputTokens: long[0], ...long[1] } }));
  const number = fc.oneof(
    fc.nat(3000),
    fc.nat(200_000_000),
    fc.double(),
    fc.constantFrom(-1, Infinity, -Infinity, NaN, 1e308),
  );
  const usages = fc.record({
    inputTokens: number,
    cachedInputTokens: number,
    cacheWriteTokens: number,
    outputTokens: number,
    reasoningTokens: number,
  });
  const calls = fc.record({
    price: prices,
    usage: usages,
    maxTokens: fc.integer({ min: 1, max: 16_384 }),
    prompt: fc.string({ unit: 'binary', maxLength: 800, size: 'max' }),
    vendor: fc.constantFrom('openai' as const, 'xai' as const),
  });
  const margins = fc
    .nat(3_000_000)
    .map((millionths) => `${Math.trunc(millionths / 1e6)}.${String(millionths % 1e6).padStart(6, '0')}`);

  test('is never exceeded for any price, whatever a vendor counts: by a call, an eval and its charge', () => {
    fc.assert(
      fc.property(fc.array(calls, { minLength: 1, maxLength: 4 }), margins, (models, margin) => {
        const ends = models.map(({ price, usage, prompt, vendor, maxTokens }) => {
          const limits = tokenLimits({ prompt, maxTokens }, vendor);
          const counts = clampUsage(usage, limits);
          expect(Object.values(counts).every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true);
          expect(counts.cachedInputTokens + counts.cacheWriteTokens).toBeLessThanOrEqual(counts.inputTokens);
          expect(counts.reasoningTokens).toBeLessThanOrEqual(counts.outputTokens);
          const [{ cost }, most] = [costOf(counts, price), maxCost(price, limits)];
          expect(cost.compare(most)).toBeLessThanOrEqual(0);
          return { cost, most };
        });
        const [cost, worst] = [Money.sum(ends.map((end) => end.cost)), Money.sum(ends.map((end) => end.most))];
        expect(cost.compare(worst)).toBeLessThanOrEqual(0);
        expect(chargeOf(cost, margin, false).compare(chargeOf(worst, margin, false))).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });

  test('is never raised by clamping, which costs no more than what was reported', () => {
    fc.assert(
      fc.property(calls, ({ price, usage, prompt, vendor, maxTokens }) => {
        const counted = toReportedUsage(usage);
        expect(
          costOf(clampUsage(counted, tokenLimits({ prompt, maxTokens }, vendor)), {
            ...price,
            longContext: undefined,
          }).cost.compare(costOf(counted, { ...price, longContext: undefined }).cost),
        ).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });
});
