import { isSameModel, substituteFor } from './same-model';

describe('isSameModel', () => {
  test.each([
    ['gpt-6.2-sol', 'gpt-6.2-sol'],
    ['gpt-6.2-sol', 'gpt-6.2-sol-2026-11-17'],
    ['gpt-6-luna', 'GPT-6-Luna-2026-09-22'],
    ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5-2025-10-01'],
    ['mistral-small-2603', 'mistral-small-latest'],
    ['gemini-3.5-flash', 'models/gemini-3.5-flash-001'],
    ['gemini-3.1-pro-preview', 'gemini-3.1-pro-preview-11-2025'],
    ['gemini-3.1-pro-preview', 'models/gemini-3.1-pro-preview-05-06'],
    ['z-ai/glm-5.3', 'glm-5.3'],
    ['openai/gpt-oss-120b', 'openai/gpt-oss-120b'],
    ['llama3.2', 'llama3.2:latest'],
    ['llama3.2:8b', 'llama3.2'],
  ])('takes, for %s, %s as the same model', (vendorModel, answered) => {
    expect(isSameModel(answered, { vendorModel, aliases: [] })).toBe(true);
  });

  test.each([
    ['gpt-6.2-sol', 'gpt-6-luna'],
    ['gpt-6.2-sol', 'gpt-6.2-sol-mini'],
    ['gpt-4.1-2025-04-14', 'gpt-4.1-2026-01-01'],
    ['gemini-2.5-flash', 'gemini-3.5-flash-lite'],
    ['mistral-small-2603', 'mistral-small-2509'],
    ['gemini-3.1-pro-preview-05-06', 'gemini-3.1-pro-preview-11-2025'],
    ['grok-4.3', 'grok-4.20'],
    ['llama3.2', 'llama3.1:8b'],
    ['claude-haiku-4-5', 'claude-haiku-5-5'],
  ])('takes, for %s, %s as another model', (vendorModel, answered) => {
    expect(isSameModel(answered, { vendorModel, aliases: [] })).toBe(false);
  });

  test('takes an alias of the catalog as the same model, also with a date', () => {
    const names = { vendorModel: 'gpt-6-luna', aliases: ['chat-latest-fast'] };
    expect([
      isSameModel('chat-latest-fast', names),
      isSameModel('chat-latest-fast-2026-10-01', names),
      isSameModel('chat', names),
    ]).toEqual([true, true, false]);
  });
});

describe('The substitute of a model', () => {
  test.each<[unknown, string | undefined]>([
    ['gpt-6-luna', undefined],
    ['gpt-6-luna-2026-09-22', undefined],
    ['luna', undefined],
    ['gpt-6.1-terra', 'gpt-6.1-terra'],
    [`terra-mcs_${'a'.repeat(36)}`, 'terra-[redacted]'],
    [undefined, undefined],
    [null, undefined],
    ['', undefined],
    [6, undefined],
    [['gpt-6.1-terra'], undefined],
    ['another model', undefined],
    ['/srv/models/another.gguf', undefined],
    ['x'.repeat(201), undefined],
  ])('is, where the answer names %j, %j', (answered, substitute) => {
    expect(substituteFor({ vendorModel: 'gpt-6-luna', aliases: ['luna'] }, answered)).toBe(substitute);
  });
});
