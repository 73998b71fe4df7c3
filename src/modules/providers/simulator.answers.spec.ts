import { EXAMPLE_PROMPTS, filledExample } from '../../common/example-prompts';
import { knownAnswer } from './simulator.answers';

const MODELS = ['sim-swift', 'sim-quill', 'sim-titan', 'sim-sage'];

describe('The answer to an example prompt', () => {
  it.each(EXAMPLE_PROMPTS)('is there from each model for "$name", with triggers too', (example) => {
    const prompt = filledExample(example);
    const answers = MODELS.map((model) => knownAnswer(model, prompt)?.say ?? '');
    expect(answers.filter((say) => say !== '')).toHaveLength(MODELS.length);
    expect(MODELS.map((model) => knownAnswer(model, `[[sim:pace=10]] ${prompt}`)?.say)).toEqual(answers);
  });

  it('is not given to any other prompt or model', () => {
    const [first] = EXAMPLE_PROMPTS;
    const prompt = filledExample(first ?? { prompt: '', input: '' });
    expect([
      knownAnswer('sim-swift', `${prompt}!`),
      knownAnswer('sim-swift', ''),
      knownAnswer('sim-other', prompt),
      knownAnswer('constructor', prompt),
      knownAnswer('sim-swift', prompt.repeat(1000)),
    ]).toEqual(Array(5).fill(undefined));
  });
});
