import type { CompareCommand } from '../../execution/compare.types';
import { changedMembers } from './changed-members';

const COMMAND: CompareCommand = {
  prompt: 'a',
  input: undefined,
  models: ['m'],
  samples: 1,
  checks: [],
  options: { temperature: 0.7, isTemperatureGiven: false, maxTokens: 500, isMaxTokensGiven: false },
};

describe('The changed members of two requests', () => {
  it.each<[string, Partial<CompareCommand>, string[]]>([
    ['nothing', {}, []],
    ['the prompt', { prompt: 'b' }, ['prompt']],
    ['models and samples', { models: ['m', 'n'], samples: 2 }, ['models', 'options.samples']],
    [
      'options',
      {
        options: {
          ...COMMAND.options,
          temperature: 0,
          maxTokens: 9,
          extra: { system: 'Be brief.', history: [{ role: 'user', content: 'a' }] },
        },
      },
      ['options.temperature', 'options.max_tokens', 'options.system', 'options.history'],
    ],
  ])('name %s', (_, members, expected) => {
    expect(changedMembers(COMMAND, { ...COMMAND, ...members })).toEqual(expected);
  });
});
