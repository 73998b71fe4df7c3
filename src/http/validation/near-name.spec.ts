import { nearName } from './near-name';

describe('the name that was probably meant', () => {
  const names = ['prompt', 'models', 'input', 'options', 'temperature inside options', 'max_tokens inside options', 'expires_at', 'by'];

  it.each([
    ['model', 'models'], ['Models', 'models'], ['modles', 'models'], ['promt', 'prompt'], ['prmopt', 'prompt'], ['inputs', 'input'], ['option', 'options'], ['expiresAt', 'expires_at'], ['expires', 'expires_at'],
  ])('of %s is %s', (misspelt, meant) => {
    expect(nearName(misspelt, names)).toBe(meant);
  });

  it.each([
    ['temperature', 'temperature inside options'], ['maxTokens', 'max_tokens inside options'],
  ])('of %s is %s, although it is another object\'s', (misspelt, meant) => {
    expect(nearName(misspelt, names)).toBe(meant);
  });

  it.each(['', 'x', 'top_p', 'messages', 'stream', 'user', '模型', '____', 'p'.repeat(100_000)])('of %.20s is unknown', (misspelt) => {
    expect(nearName(misspelt, names)).toBeUndefined();
  });
});
