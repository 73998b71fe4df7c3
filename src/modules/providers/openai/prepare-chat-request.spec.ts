import type { ResponseFormat } from '../../../common/response-format';
import { CHAT_VENDORS, type ChatVendorName } from '../chat-vendors';
import type { CompletionRequest } from '../provider';
import { prepareChatRequest } from './prepare-chat-request';

const REQUEST: CompletionRequest = {
  model: 'gpt-4o-mini',
  prompt: 'Say {input} & $& "é"',
  maxTokens: 500,
  temperature: 0.7,
  isStreamed: true,
  dialect: { maxTokensField: 'max_tokens' },
};
const { openai: OPENAI } = CHAT_VENDORS;

describe('A chat completion request', () => {
  test('contains the prompt unchanged and asks for a stream that counts its tokens', () => {
    expect(prepareChatRequest(REQUEST, OPENAI)).toEqual({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Say {input} & $& "é"' }],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 500,
      temperature: 0.7,
    });
  });

  test('asks for the whole answer where the caller does not watch, in which tokens are always counted', () => {
    const request = prepareChatRequest({ ...REQUEST, isStreamed: false }, OPENAI);
    expect([Object.hasOwn(request, 'stream'), Object.hasOwn(request, 'stream_options')]).toEqual([false, false]);
  });

  test('contains the system message before the prompt, where there is one', () => {
    expect(prepareChatRequest({ ...REQUEST, system: 'Be {input} & "é".' }, OPENAI).messages).toEqual([
      { role: 'system', content: 'Be {input} & "é".' },
      { role: 'user', content: REQUEST.prompt },
    ]);
  });

  test('contains turns between the system message and the prompt, unchanged', () => {
    const history = [
      { role: 'assistant' as const, content: 'Hi {input}' },
      { role: 'user' as const, content: '$&' },
      { role: 'user' as const, content: ' ' },
    ];
    expect(prepareChatRequest({ ...REQUEST, system: 'Be brief.', history }, OPENAI).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      ...history,
      { role: 'user', content: REQUEST.prompt },
    ]);
  });

  test.each<[ResponseFormat, object]>([
    [{ type: 'json' }, { type: 'json_object' }],
    [
      { type: 'json_schema', schema: { type: 'object', properties: { b: {}, a: {} } } },
      {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object', properties: { b: {}, a: {} } } },
      },
    ],
  ])('asks for the response format %j in the words of the vendors, without strict', (responseFormat, sent) => {
    const { response_format: format } = prepareChatRequest({ ...REQUEST, responseFormat }, OPENAI);
    expect(JSON.stringify(format)).toBe(JSON.stringify(sent));
    expect(prepareChatRequest(REQUEST, OPENAI)).not.toHaveProperty('response_format');
  });

  test('names the output limit as the model wants it', () => {
    const request = prepareChatRequest({ ...REQUEST, dialect: { maxTokensField: 'max_completion_tokens' } }, OPENAI);
    expect(request).toHaveProperty('max_completion_tokens', 500);
    expect(request).not.toHaveProperty('max_tokens');
  });

  test('omits the temperature where the model takes none, and keeps a zero', () => {
    expect(prepareChatRequest({ ...REQUEST, temperature: undefined }, OPENAI)).not.toHaveProperty('temperature');
    expect(prepareChatRequest({ ...REQUEST, temperature: 0 }, OPENAI)).toHaveProperty('temperature', 0);
  });
});

describe('A chat completion request to a vendor that rejects unknown members', () => {
  test.each<ChatVendorName>(['mistral', 'openrouter'])('does not ask %s to count', (vendor) => {
    expect(prepareChatRequest(REQUEST, CHAT_VENDORS[vendor])).not.toHaveProperty('stream_options');
  });

  test.each<ChatVendorName>(['openai', 'gemini', 'deepseek', 'xai', 'groq', 'local'])(
    'differs from one to %s, which is asked to count',
    (vendor) => {
      expect(prepareChatRequest(REQUEST, CHAT_VENDORS[vendor])).toHaveProperty('stream_options', {
        include_usage: true,
      });
    },
  );
});
