import { foreignName } from './spans';

describe('foreignName', () => {
  test.each(['gpt-6.2-sol', 'local/llama3.2:8b', 'chatcmpl-CcA1b2', 'x'.repeat(200)])('keeps %s', (name) => {
    expect(foreignName(name)).toBe(name);
  });

  test('takes keys out', () => {
    expect(foreignName(`chatcmpl-mcs_${'a'.repeat(36)}`)).toBe('chatcmpl-[redacted]');
  });

  test.each([
    '',
    'a sentence of the prompt',
    'a\nb',
    'é',
    'https://vendor.example/a',
    '/srv/models/llama.gguf',
    '../llama',
    'x'.repeat(201),
    undefined,
    null,
    5,
    { id: 'x' },
    ['x'],
  ])('leaves out %p, which is no name', (text) => {
    expect(foreignName(text)).toBeUndefined();
  });
});
