import { convertAnthropicUsage, type MessageUsage } from './convert-anthropic-usage';

const NO_COUNTS = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };

describe('The token counts of a message', () => {
  test.each<[string, MessageUsage, object]>([
    ['plain ones', { input_tokens: 504, output_tokens: 97 }, { ...NO_COUNTS, inputTokens: 504, outputTokens: 97 }],
    [
      'cache reads stand beside the input',
      { input_tokens: 504, cache_read_input_tokens: 123, output_tokens: 97 },
      { ...NO_COUNTS, inputTokens: 627, cachedInputTokens: 123, outputTokens: 97 },
    ],
    [
      'cache writes stand beside the input',
      { input_tokens: 504, cache_creation_input_tokens: 10, output_tokens: 97 },
      { ...NO_COUNTS, inputTokens: 514, cacheWriteTokens: 10, outputTokens: 97 },
    ],
    [
      'thinking stands inside the output',
      { input_tokens: 4, output_tokens: 97, output_tokens_details: { thinking_tokens: 90 } },
      { ...NO_COUNTS, inputTokens: 4, outputTokens: 97, reasoningTokens: 90 },
    ],
    [
      'nulls are none',
      {
        input_tokens: 4,
        cache_read_input_tokens: null,
        cache_creation_input_tokens: null,
        output_tokens: 9,
        output_tokens_details: null,
      },
      { ...NO_COUNTS, inputTokens: 4, outputTokens: 9 },
    ],
  ])('have the same meaning as those of every vendor: %s', (_, usage, counted) => {
    expect(convertAnthropicUsage(usage)).toMatchObject(counted);
  });

  test('are unknown when the input was not counted', () => {
    expect(convertAnthropicUsage({ input_tokens: null, output_tokens: 9 })).toBeUndefined();
  });

  test('are unknown when the output is no number', () => {
    expect(convertAnthropicUsage({ input_tokens: 4, output_tokens: '9' as unknown as number })).toBeUndefined();
  });
});
