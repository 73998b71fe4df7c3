import type { CompletionRequest } from '../provider';
import { prepareMessageRequest } from './prepare-message-request';

const REQUEST: CompletionRequest = {
  model: 'claude-haiku-4-5',
  prompt: 'Say {input} & $& "é"',
  maxTokens: 500,
  temperature: 0.7,
  isStreamed: true,
  dialect: { maxTokensField: 'max_tokens', apiVersion: '2023-06-01' },
};

describe('A Messages API request', () => {
  test('contains the prompt unchanged and asks for a stream', () => {
    expect(prepareMessageRequest(REQUEST)).toEqual({
      model: 'claude-haiku-4-5',
      max_tokens: 500,
      messages: [{ role: 'user', content: 'Say {input} & $& "é"' }],
      stream: true,
      temperature: 0.7,
    });
  });

  test('contains the system message beside the messages, where there is one', () => {
    expect(prepareMessageRequest({ ...REQUEST, system: 'Be {input} & "é".' })).toMatchObject({
      system: 'Be {input} & "é".',
      messages: [{ role: 'user', content: REQUEST.prompt }],
    });
    expect(prepareMessageRequest(REQUEST)).not.toHaveProperty('system');
  });

  test('contains turns before the prompt', () => {
    const history = [
      { role: 'user' as const, content: 'Hello' },
      { role: 'assistant' as const, content: 'Hi {input}' },
    ];
    expect(prepareMessageRequest({ ...REQUEST, system: 'Be brief.', history })).toMatchObject({
      system: 'Be brief.',
      messages: [...history, { role: 'user', content: REQUEST.prompt }],
    });
  });

  test('asks for a schema beside the effort', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const format = { type: 'json_schema' as const, schema };
    expect(prepareMessageRequest({ ...REQUEST, responseFormat: format })).toMatchObject({ output_config: { format } });
    expect(prepareMessageRequest({ ...REQUEST, responseFormat: format, reasoningEffort: 'low' }).output_config).toEqual(
      { effort: 'low', format },
    );
    expect(prepareMessageRequest(REQUEST)).not.toHaveProperty('output_config');
  });

  test('asks for the whole answer where the caller does not watch', () => {
    expect(prepareMessageRequest({ ...REQUEST, isStreamed: false })).not.toHaveProperty('stream');
  });

  test('omits the temperature where the model takes none, and keeps a zero', () => {
    expect(prepareMessageRequest({ ...REQUEST, temperature: undefined })).not.toHaveProperty('temperature');
    expect(prepareMessageRequest({ ...REQUEST, temperature: 0 })).toHaveProperty('temperature', 0);
  });
});
