import { suggestion } from './suggested-ids';

const KNOWN = ['sim-swift', 'sim-sage', 'sim-quill', 'gpt-6-luna', 'claude-haiku-4-5'];

describe('The suggestion for an unknown model', () => {
  it.each([
    ['sim-swfit', 'sim-swift'],
    ['Sim-Swift', 'sim-swift'],
    ['sim_swift@low', 'sim-swift'],
    ['openai/gpt-6-luna', 'gpt-6-luna'],
    ['gpt-6', 'gpt-6-luna'],
    ['claude-haiku-4.5', 'claude-haiku-4-5'],
  ])('is, for %s, %s', (unknown, expected) => {
    expect(suggestion(unknown, KNOWN)).toBe(` (perhaps ${expected} was meant)`);
  });

  it('names up to three of a family', () => {
    expect(suggestion('model', ['model-1', 'model-2', 'model-3', 'model-4'])).toBe(
      ' (perhaps model-1 or model-2 or model-3 was meant)',
    );
  });

  it('says that a list in one text is several elements', () => {
    expect(suggestion('sim-swift,sim-sage', KNOWN)).toContain('each id is an element');
  });

  it.each(['', '@', 'x', 'nobody', '__proto__', '模型模型模型', ',,,', 'a'.repeat(100_000), 'sim-swift'.repeat(20)])(
    'is absent for text %#',
    (unknown) => {
      expect(suggestion(unknown, KNOWN)).toBe('');
    },
  );
});
