import { nearName } from './near-name';

describe('The suggested name for an unknown one', () => {
  const names = [
    'prompt',
    'models',
    'input',
    'options',
    'temperature inside options',
    'max_tokens inside options',
    'expires_at',
    'by',
  ];

  it.each([
    ['model', 'models'],
    ['Models', 'models'],
    ['modles', 'models'],
    ['promt', 'prompt'],
    ['prmopt', 'prompt'],
    ['inputs', 'input'],
    ['option', 'options'],
    ['expiresAt', 'expires_at'],
    ['expires', 'expires_at'],
  ])('is, for %s, %s', (misspelled, meant) => {
    expect(nearName(misspelled, names)).toBe(meant);
  });

  it.each([
    ['temperature', 'temperature inside options'],
    ['maxTokens', 'max_tokens inside options'],
  ])('is, for %s, %s, although it belongs to another object', (misspelled, meant) => {
    expect(nearName(misspelled, names)).toBe(meant);
  });

  it.each(['', 'x', 'top_p', 'messages', 'stream', 'user', '模型', '____', 'p'.repeat(100_000)])(
    'is absent for name %#, which is near no known one',
    (misspelled) => {
      expect(nearName(misspelled, names)).toBeUndefined();
    },
  );
});
