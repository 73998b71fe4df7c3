import { continuation } from './continuation';

const request = (turns: number) => ({
  prompt: 'Hi',
  models: ['a'],
  options: { history: Array.from({ length: turns }, () => ({ role: 'user' as const, content: 'x' })) },
});

describe('continuation', () => {
  it('is offered while the prompt and the answer make at most 100 turns', () => {
    expect(continuation(request(98), () => undefined)).toBeDefined();
    expect(continuation(request(99), () => undefined)).toBeUndefined();
  });
});
