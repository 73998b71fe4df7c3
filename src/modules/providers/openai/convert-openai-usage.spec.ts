import { reportedCostUsd, convertOpenAiUsage, type ChatUsage } from './convert-openai-usage';

const USAGE = { prompt_tokens: 1885, completion_tokens: 1508, total_tokens: 3393 };
const COUNTED = {
  inputTokens: 1885,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1508,
  reasoningTokens: 0,
};

describe('convertOpenAiUsage', () => {
  test.each<[string, object, object]>([
    ['plain ones', {}, COUNTED],
    [
      'cached ones inside the prompt',
      { prompt_tokens_details: { cached_tokens: 1024 } },
      { ...COUNTED, cachedInputTokens: 1024 },
    ],
    [
      'cached ones as DeepSeek names them',
      { prompt_cache_hit_tokens: 1024, prompt_cache_miss_tokens: 861 },
      { ...COUNTED, cachedInputTokens: 1024 },
    ],
    ['cached ones as Mistral names them', { num_cached_tokens: 1024 }, { ...COUNTED, cachedInputTokens: 1024 }],
    [
      'cached ones in details of another name',
      { prompt_token_details: { cached_tokens: 1024 } },
      { ...COUNTED, cachedInputTokens: 1024 },
    ],
    [
      'cached ones under two names',
      { prompt_tokens_details: { cached_tokens: 1024 }, prompt_cache_hit_tokens: 1024 },
      { ...COUNTED, cachedInputTokens: 1024 },
    ],
    [
      'cache writes inside the prompt',
      { prompt_tokens_details: { cached_tokens: 1024, cache_write_tokens: 200 } },
      { ...COUNTED, cachedInputTokens: 1024, cacheWriteTokens: 200 },
    ],
    [
      'reasoning inside the completion',
      { completion_tokens_details: { reasoning_tokens: 1280 } },
      { ...COUNTED, reasoningTokens: 1280 },
    ],
    // 1885 in, 228 said, 1280 thought: 3393 in all
    [
      'reasoning beside the completion, counted separately (xAI)',
      { completion_tokens: 228, completion_tokens_details: { reasoning_tokens: 1280 } },
      { ...COUNTED, reasoningTokens: 1280 },
    ],
    ['reasoning beside the completion, in the total only (Gemini)', { completion_tokens: 228 }, COUNTED],
    ['no completion but a total', { completion_tokens: undefined }, COUNTED],
    ['no total', { total_tokens: undefined }, COUNTED],
    ['a total that is too small', { total_tokens: 1 }, COUNTED],
    ['details without figures', { prompt_tokens_details: {}, completion_tokens_details: {} }, COUNTED],
    ['details that are null', { prompt_tokens_details: null, completion_tokens_details: null }, COUNTED],
    [
      'figures that are null',
      { prompt_tokens_details: { cached_tokens: null }, completion_tokens_details: { reasoning_tokens: null } },
      COUNTED,
    ],
    ['reasoning below none', { completion_tokens_details: { reasoning_tokens: -7 } }, COUNTED],
    [
      'a prompt of no tokens',
      { prompt_tokens: 0, completion_tokens: 1, total_tokens: 5 },
      { ...COUNTED, inputTokens: 0, outputTokens: 5 },
    ],
    ['a total that is no number', { total_tokens: '9999' }, COUNTED],
    ['a completion that is no number', { completion_tokens: '9999' }, COUNTED],
    ['nothing said', { completion_tokens: 0, total_tokens: 1885 }, { ...COUNTED, outputTokens: 0 }],
  ])('returns counts of the same meaning for every vendor, none counted twice: %s', (_, more, counted) => {
    expect(convertOpenAiUsage({ ...USAGE, ...more })).toMatchObject(counted);
  });

  test.each<[string, object, [cached: number, written: number]]>([
    [
      'more cached than there was',
      { prompt_tokens_details: { cached_tokens: 9999, cache_write_tokens: 5 } },
      [1885, 0],
    ],
    [
      'more written than there was',
      { prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 9999 } },
      [1000, 885],
    ],
    ['less than none cached', { prompt_tokens_details: { cached_tokens: -5 } }, [0, 0]],
    ['less than none written', { prompt_tokens_details: { cache_write_tokens: -5 } }, [0, 0]],
    ['part of a token cached', { prompt_tokens_details: { cached_tokens: 0.5 } }, [0, 0]],
  ])('never makes a cost negative or impossible: %s', (_, more, [cachedInputTokens, cacheWriteTokens]) => {
    expect(convertOpenAiUsage({ ...USAGE, ...more })).toMatchObject({
      inputTokens: 1885,
      cachedInputTokens,
      cacheWriteTokens,
    });
  });

  // Compatible servers are not held to OpenAI's types; a missing count must end in the cautious estimate, never in a
  // broken run.
  test.each([
    {},
    { prompt_tokens: 12 },
    { completion_tokens: 12 },
    { prompt_tokens: null, completion_tokens: null },
    { prompt_tokens: '12', completion_tokens: '3' },
  ])('returns nothing for counts that are missing or wrong: %j', (usage) => {
    expect(convertOpenAiUsage(usage as ChatUsage)).toBeUndefined();
  });
});

describe('convertOpenAiUsage of implausible counts', () => {
  // They are judged where the prompt and the answer are known, and shown as the vendor sent them.
  test.each<[string, [input: number, output: number]]>([
    ['{"prompt_tokens":-1,"completion_tokens":5,"total_tokens":4}', [-1, 5]],
    ['{"prompt_tokens":-1000000,"completion_tokens":5,"total_tokens":10}', [-1_000_000, 5]],
    ['{"prompt_tokens":1.5,"completion_tokens":0.5}', [1.5, 0.5]],
    ['{"prompt_tokens":1e308,"completion_tokens":5,"total_tokens":1e308}', [1e308, 5]],
    ['{"prompt_tokens":10,"completion_tokens":1e999}', [10, Infinity]],
    ['{"prompt_tokens":10,"total_tokens":1e300}', [10, 1e300]],
  ])('returns them unchanged: %s', (sent, [inputTokens, outputTokens]) => {
    expect(convertOpenAiUsage(JSON.parse(sent) as ChatUsage)).toMatchObject({ inputTokens, outputTokens });
  });
});

describe('reportedCostUsd', () => {
  // An amount of dollars is the same with and without zeros at its end.
  const shortest = (text: string | undefined) => text?.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

  test.each<[string, object, string | undefined]>([
    ['nothing', {}, undefined],
    ['dollars', { cost: 0.00118755 }, '0.00118755'],
    ['dollars that a float prints with an exponent', { cost: 5e-7 }, '0.0000005'],
    ['dollars with a float artifact', { cost: 0.1 + 0.2 }, '0.3'],
    ['no dollars', { cost: 0 }, '0'],
    ['null', { cost: null }, undefined],
    ['less than nothing', { cost: -1 }, undefined],
    ['dollars as a text', { cost: '1' }, undefined],
    ['as many dollars as a call may cost', { cost: 1e9 }, '1000000000'],
    ['less than no ticks', { cost_in_usd_ticks: -1 }, undefined],
    ['ticks and dollars', { cost: 5, cost_in_usd_ticks: 12_500_000_000 }, '1.25'],
    ['ticks of nothing', { cost_in_usd_ticks: 0 }, '0'],
    ['as many dollars as no call costs', { cost: 1e9 + 1 }, undefined],
    ['dollars that would need an exponent', { cost: 1e21 }, undefined],
    ['dollars without end', { cost: Infinity }, undefined],
    ['ticks', { cost_in_usd_ticks: 11_875_500 }, '0.00118755'],
    ['one tick', { cost_in_usd_ticks: 1 }, '0.0000000001'],
    ['ticks of more than a dollar', { cost_in_usd_ticks: 12_500_000_000 }, '1.25'],
    [
      'a fee beside what the own key of the operator costs',
      { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } },
      '0.21',
    ],
    ['a fee without what the own key costs', { cost: 0.01, is_byok: true }, undefined],
    [
      'a fee and less than nothing',
      { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: -0.01 } },
      undefined,
    ],
    [
      'a cost whose parts are repeated',
      { cost: 0.2, is_byok: false, cost_details: { upstream_inference_cost: 0.2 } },
      '0.2',
    ],
    ['a number of forty digits', { cost: 1.2345678901234567890123456789012345678901 }, '1.234567890123'],
    ['less than a picodollar', { cost: 1e-300 }, '0'],
    ['nothing with a sign', { cost: -0 }, '0'],
    ['no number', { cost: NaN }, undefined],
    ['no ticks', { cost_in_usd_ticks: null }, undefined],
  ])('is a plain decimal of dollars: %s', (_, usage, dollars) => {
    expect(shortest(reportedCostUsd({ ...USAGE, ...usage }))).toBe(dollars);
  });
});
