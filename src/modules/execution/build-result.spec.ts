import { isStorable } from '../../common/postgres-text';
import type { ResultWarning } from '../evals/result.entity';
import { readCatalog, type Model, type Price } from '../models/catalog';
import type { PricedModel } from '../models/models.service';
import type { Failed } from '../providers/model-call.service';
import type { Completion, TokenUsage } from '../providers/provider';
import { ProviderError } from '../providers/provider.error';
import { buildResult } from './build-result';
import type { BillableCall, ModelOutcome } from './model-outcome';
import type { BilledUsage } from '../billing/token-usage';

const [MODEL, BARE] = readCatalog(
  ['mini', 'bare'].map((id) => ({
    id,
    name: 'Mini',
    provider: 'Tiny',
    vendor: 'simulator',
    vendorModel: `${id}-2026-01-01`,
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    accepts: { temperature: { min: 0, max: 2 } },
    dialect: { maxTokensField: id === 'mini' ? 'max_tokens' : 'max_completion_tokens' },
    prices: [
      {
        from: '2026-01-01',
        input: '0.15',
        output: '0.6',
        ...(id === 'mini' && { cachedInput: '0.075', cacheWrite: '0.1875' }),
      },
    ],
    source: { what: 'price page', seen: '2026-11-20' },
  })),
) as [Model, Model];
const USAGE: TokenUsage = {
  inputTokens: 1885,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1508,
  reasoningTokens: 0,
};
/** Our own counts where the vendor sent none. */
const ESTIMATED: TokenUsage = { ...USAGE, inputTokens: 100, outputTokens: 101 };
const COMPLETION: Completion = { text: 'good morning', finishReason: 'stop', usage: USAGE };

function priced(model: Model): PricedModel {
  return { model, price: model.prices[0] as Price, isFree: false, pricesOf: () => [] };
}

function ended(outcome: BillableCall | Failed, more: Partial<ModelOutcome> = {}): ModelOutcome {
  const model = more.priced?.model ?? MODEL;
  return {
    priced: priced(model),
    applied: { temperature: 0.7, maxTokens: 500, reasoningTokens: 0, warnings: [] },
    warnings: [],
    ...more,
    outcome,
  };
}

function answered(
  completion: Partial<Completion> = {},
  more: Partial<ModelOutcome> = {},
  settled: Partial<BilledUsage> = {},
): ModelOutcome {
  const whole = { ...COMPLETION, ...completion };
  const usage: BilledUsage = {
    counts: whole.usage ?? ESTIMATED,
    estimated: whole.usage === undefined ? ['input', 'output'] : [],
    aboveLimit: [],
    reported: undefined,
    ...settled,
  };
  return ended({ completion: whole, usage, latencyMs: 812, ttftMs: 120, attempts: 2, totalMs: 900 }, more);
}

function failed(failure: ProviderError, more: Partial<ModelOutcome> = {}): ModelOutcome {
  return ended({ failure, latencyMs: 5012, attempts: 3, totalMs: 5012 }, more);
}

function bare(): Pick<ModelOutcome, 'priced'> {
  return { priced: priced(BARE) };
}

describe('buildResult of a completion', () => {
  test('contains the text, the counts, the exact cost and no error', () => {
    const result = buildResult(answered(), 3);
    expect(result).toMatchObject({
      position: 3,
      model: 'mini',
      provider: 'Tiny',
      output: 'good morning',
      latencyMs: 812,
      inputTokens: 1885,
      outputTokens: 1508,
      error: null,
      warnings: [],
    });
    // 1885 × 0.15 + 1508 × 0.6 = 282.75 + 904.8 millionths
    expect(result.cost.toString()).toBe('0.00118755');
  });

  test.each<[unknown, string | undefined]>([
    ['mini-2026-11-20', 'mini-2026-11-20'],
    ['models/vendor/mini:8b@low', 'models/vendor/mini:8b@low'],
    ['m'.repeat(200), 'm'.repeat(200)],
    ['m'.repeat(201), undefined],
    [undefined, undefined],
    [null, undefined],
    ['', undefined],
    [7, undefined],
    [{ toString: 'mini' }, undefined],
    ['a sentence of the prompt', undefined],
    ['mini\n', undefined],
    ['mini\u0000', undefined],
    ['<script>', undefined],
    ['\u202emini', undefined],
    ['mcs_abc\ud800', undefined],
  ])('records %j, as which the vendor names the model, as %j', (responseModel, answeredBy) => {
    const whole = { text: 'x', finishReason: 'stop' as const, usage: undefined, responseModel };
    expect(buildResult(answered({ ...whole }), 0).details.answeredBy).toBe(answeredBy);
    expect('answeredBy' in buildResult(answered(whole), 0).details).toBe(answeredBy !== undefined);
  });

  test('records how the call was made, counted and priced', () => {
    const usage = {
      inputTokens: 1885,
      cachedInputTokens: 1024,
      cacheWriteTokens: 100,
      outputTokens: 1508,
      reasoningTokens: 1280,
    };
    const result = buildResult(answered({ usage }), 0);
    expect(result.details).toMatchObject({
      vendorModel: 'mini-2026-01-01',
      finishReason: 'stop',
      attempts: 2,
      ttftMs: 120,
      cachedInputTokens: 1024,
      cacheWriteTokens: 100,
      reasoningTokens: 1280,
      applied: { max_tokens: 500, temperature: 0.7 },
      rates: { input: '0.15', cachedInput: '0.075', cacheWrite: '0.1875', output: '0.6' },
    });
    // 761 × 0.15 + 1024 × 0.075 + 100 × 0.1875 + 1508 × 0.6 = 114.15 + 76.8 + 18.75 + 904.8 millionths
    expect(result.cost.toString()).toBe('0.0011145');
  });

  test('records the input rate if the cache has no separate rate', () => {
    expect(buildResult(answered({}, bare()), 0).details.rates).toMatchObject({
      input: '0.15',
      cachedInput: '0.15',
      cacheWrite: '0.15',
      output: '0.6',
    });
  });

  test('records the parameters that were actually sent', () => {
    const applied = { temperature: undefined, maxTokens: 300, reasoningTokens: 0, warnings: [] };
    expect(buildResult(answered({}, { ...bare(), applied }), 0).details.applied).toStrictEqual({
      max_completion_tokens: 300,
    });
    expect(buildResult(answered({}, { applied: { ...applied, temperature: 0 } }), 0).details.applied).toEqual({
      max_tokens: 300,
      temperature: 0,
    });
  });

  test('records the room for thought beside the limit that contains it', () => {
    const applied = { temperature: undefined, maxTokens: 2500, reasoningTokens: 2000, warnings: [] };
    expect(buildResult(answered({}, { ...bare(), applied }), 0).details.applied).toStrictEqual({
      max_completion_tokens: 2500,
      reasoning_tokens: 2000,
    });
  });

  test('replaces in the text what Postgres cannot store', () => {
    expect(buildResult(answered({ text: 'a\u0000b \uD83D \u{1F600}' }), 0).output).toBe('a\uFFFDb \uFFFD \u{1F600}');
  });

  test.each<[string, number, string, string]>([
    [
      'good',
      0,
      'output_truncated',
      'The output was truncated at max_tokens (reasoning tokens count as output); it is billed as the vendor bills it.',
    ],
    [
      'good',
      1500,
      'output_truncated',
      'The output was truncated at max_tokens (reasoning tokens count as output); it is billed as the vendor bills it.',
    ],
    [
      '',
      1508,
      'no_room_for_answer',
      'The model reached its limit without any text, after 1508 output tokens, 1508 of them for thought; it is billed as the vendor bills it. A larger max_tokens or reasoning_tokens gives it room.',
    ],
    [
      ' \n\u00a0',
      1500,
      'no_room_for_answer',
      'The model reached its limit without any text, after 1508 output tokens, 1500 of them for thought; it is billed as the vendor bills it. A larger max_tokens or reasoning_tokens gives it room.',
    ],
    [
      '',
      0,
      'no_room_for_answer',
      'The model reached its limit without any text, after 1508 output tokens; it is billed as the vendor bills it. A larger max_tokens or reasoning_tokens gives it room.',
    ],
  ])(
    'warns about an answer that ended at its limit with the text %j after %d tokens of thought, and bills it',
    (text, reasoningTokens, code, message) => {
      const result = buildResult(answered({ text, finishReason: 'length', usage: { ...USAGE, reasoningTokens } }), 0);
      expect(result).toMatchObject({ output: text, error: null, warnings: [{ code, message }] });
      expect(result.cost.toString()).toBe('0.00118755');
    },
  );

  test.each(['stop', 'other'] as const)('does not warn about an answer that ended with %s', (finishReason) => {
    expect(buildResult(answered({ finishReason }), 0).warnings).toEqual([]);
  });

  test('prices by our own count where the vendor did not count, and warns about it', () => {
    const result = buildResult(answered({ usage: undefined }), 0);
    expect(result).toMatchObject({
      inputTokens: 100,
      outputTokens: 101,
      warnings: [
        {
          code: 'usage_estimated',
          message: 'The vendor did not report token counts; the counts and the cost are estimated.',
        },
      ],
    });
    // 100 × 0.15 + 101 × 0.6 = 15 + 60.6 millionths
    expect(result.cost.toString()).toBe('0.0000756');
  });

  test.each<[BilledUsage['estimated'], string]>([
    [['input'], "The vendor's count of input tokens is implausible; the count and the cost are estimated."],
    [['output'], "The vendor's count of output tokens is implausible; the count and the cost are estimated."],
    [
      ['input', 'output'],
      "The vendor's count of input and output tokens is implausible; the count and the cost are estimated.",
    ],
  ])('names the counts of the vendor that are implausible: %j', (estimated, message) => {
    expect(buildResult(answered({}, {}, { estimated }), 0).warnings).toEqual([{ code: 'usage_estimated', message }]);
  });

  test('prices by the plausible maximum where the vendor counted more, warns about it and records the reported counts', () => {
    const reported = {
      inputTokens: 1885,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 100_000_000,
      reasoningTokens: 7,
    };
    const result = buildResult(
      answered({ usage: reported }, {}, { counts: { ...USAGE, outputTokens: 50 }, aboveLimit: ['output'], reported }),
      0,
    );
    expect(result).toMatchObject({
      inputTokens: 1885,
      outputTokens: 50,
      warnings: [
        {
          code: 'usage_above_limit',
          message:
            "The vendor counted more output tokens than this call can have used; the excess is neither counted nor charged. Use include=details to see the vendor's own counts.",
        },
      ],
    });
    // 1885 × 0.15 + 50 × 0.6 = 282.75 + 30 millionths
    expect(result.cost.toString()).toBe('0.00031275');
    expect(result.details.reported).toEqual(reported);
  });

  test('records no reported counts beside the billed ones where they are the same', () => {
    expect(buildResult(answered(), 0).details).not.toHaveProperty('reported');
  });

  test('records only finite numbers from the reported counts, however absurd they are', () => {
    const reported = {
      inputTokens: -1e308,
      cachedInputTokens: 0.5,
      cacheWriteTokens: Infinity,
      outputTokens: 1e300,
      reasoningTokens: 'many' as unknown as number,
    };
    const { details } = buildResult(answered({ usage: reported }, {}, { counts: USAGE, reported }), 0);
    expect(details.reported).toEqual({
      inputTokens: -1e308,
      cachedInputTokens: 0.5,
      cacheWriteTokens: null,
      outputTokens: 1e300,
      reasoningTokens: null,
    });
  });

  test.each<[string, string | undefined, string, string[]]>([
    ['nothing', undefined, '0.00118755', []],
    ['the same', '0.00118755', '0.00118755', []],
    ['the same with zeros at its end', '0.001187550000', '0.00118755', []],
    ['a picodollar more', '0.001187550001', '0.00118755', ['price_differs']],
    ['a picodollar less', '0.001187549999', '0.001187549999', []],
    ['nothing to pay', '0', '0', []],
  ])(
    'costs the lower of the stated and the listed price, and warns when the vendor states more: %s',
    (_, reportedCostUsd, cost, codes) => {
      const result = buildResult(answered({ reportedCostUsd }), 0);
      expect(result.warnings.map(({ code }) => code)).toEqual(codes);
      expect([result.cost.toString(), result.details.statedCost]).toEqual([
        cost,
        cost === '0.00118755' ? undefined : cost,
      ]);
    },
  );

  test('names the amount that the vendor reports', () => {
    expect(buildResult(answered({ reportedCostUsd: '0.0020' }), 0).warnings).toEqual([
      {
        code: 'price_differs',
        message:
          "The vendor reports a cost of 0.002 USD for this call; cost_usd is computed from the catalog's prices, which are lower.",
      },
    ]);
  });

  test('puts the warnings about the request before those about the answer', () => {
    const warnings: ResultWarning[] = [
      { code: 'input_missing', message: 'x' },
      { code: 'temperature_clamped', message: 'y' },
    ];
    const codes = buildResult(answered({ finishReason: 'length', usage: undefined }, { warnings }), 0).warnings.map(
      ({ code }) => code,
    );
    expect(codes).toEqual(['input_missing', 'temperature_clamped', 'output_truncated', 'usage_estimated']);
  });
});

describe('buildResult of a failure', () => {
  test('contains no text, no tokens and no cost, but the latency and the error', () => {
    const result = buildResult(failed(new ProviderError('overloaded')), 1);
    expect(result).toMatchObject({
      position: 1,
      model: 'mini',
      provider: 'Tiny',
      output: '',
      latencyMs: 5012,
      inputTokens: 0,
      outputTokens: 0,
      error: { code: 'overloaded', message: 'The vendor is overloaded.', retryable: true },
    });
    expect(result.cost.toString()).toBe('0');
  });

  test('says when a retry makes no sense', () => {
    expect(buildResult(failed(new ProviderError('content_refused')), 0).error).toMatchObject({
      code: 'content_refused',
      retryable: false,
    });
  });

  test('records the parameters, the attempts and the warnings about the request', () => {
    const warnings: ResultWarning[] = [{ code: 'temperature_ignored', message: 'x' }];
    const result = buildResult(failed(new ProviderError('timeout'), { warnings }), 0);
    expect(result.warnings).toEqual(warnings);
    expect(result.details).toMatchObject({
      vendorModel: 'mini-2026-01-01',
      charge: '0',
      attempts: 3,
      finishReason: null,
      ttftMs: null,
      rates: null,
      applied: { max_tokens: 500, temperature: 0.7 },
    });
  });

  test('does not disclose the cause', () => {
    const failure = new ProviderError('connection_failed', {
      cause: new Error('connect ECONNREFUSED 10.0.0.7:443'),
      vendorMessage: 'sk-secret1234',
    });
    expect(JSON.stringify(buildResult(failed(failure), 0))).not.toMatch(/10\.0\.0\.7|sk-secret/);
  });

  // The error is stored as jsonb, which refuses U+0000 and halves of surrogate pairs.
  test.each([
    ['the cut parts a pair of surrogates', `${'a'.repeat(299)}\u{1F600} and more`],
    ['the vendor sent U+0000', 'bad\u0000byte'],
    ['the vendor sent half of a pair', 'bad \uD83D half'],
  ])('can be stored even if %s', (_, vendorMessage) => {
    const { error } = buildResult(failed(new ProviderError('rejected', { vendorMessage })), 0);
    expect(error?.message).toContain('It says: ');
    expect(isStorable(error?.message ?? '')).toBe(true);
  });
});
