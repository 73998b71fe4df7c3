import { answerAttributes, usageAttributes } from './chat-span';
import type { Completion, TokenUsage } from './provider';

describe('usageAttributes', () => {
  test('gives the counts of a vendor under the names of the conventions', () => {
    expect(
      usageAttributes({
        inputTokens: 40,
        cachedInputTokens: 8,
        cacheWriteTokens: 4,
        outputTokens: 20,
        reasoningTokens: 6,
      }),
    ).toEqual({
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 8,
      'gen_ai.usage.cache_creation.input_tokens': 4,
      'gen_ai.usage.reasoning.output_tokens': 6,
    });
  });

  test('leaves out what is no count, whatever the vendor has sent instead', () => {
    const sent = {
      inputTokens: 'a word of the prompt',
      cachedInputTokens: Infinity,
      cacheWriteTokens: NaN,
      outputTokens: 1.5,
      reasoningTokens: { text: 'thoughts' },
    };
    expect(usageAttributes(sent as unknown as TokenUsage)).toEqual({});
  });
});

describe('answerAttributes', () => {
  const completion = (more: object) => ({ text: 'the answer', finishReason: 'stop', ...more }) as unknown as Completion;

  test('names the model and the answer as the vendor does, and never the text', () => {
    expect(
      answerAttributes({
        completion: completion({ responseModel: 'gpt-6.2-sol', responseId: 'chatcmpl-1' }),
        ttftMs: 250,
      }),
    ).toEqual({
      'gen_ai.response.model': 'gpt-6.2-sol',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': 0.25,
    });
  });

  test.each(['responseModel', 'responseId'])('leaves out a %s that is no name but words of the prompt', (name) => {
    expect(answerAttributes({ completion: completion({ [name]: 'words of the prompt' }), ttftMs: null })).toEqual({
      'gen_ai.response.finish_reasons': ['stop'],
    });
  });
});
