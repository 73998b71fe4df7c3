import type { ImportedExperiment, ImportOptions } from '../types';
import { convertExport } from './convert';

const imported = (config: object, options: ImportOptions = {}) => convertExport(JSON.stringify({ prompts: ['{{q}}'], tests: [{ vars: { q: 'x' } }], ...config }), { name: 'config.json', ...options });
const withProviders = (...configs: object[]) => imported({ providers: configs.map((config) => ({ id: 'openai:gpt-6-luna', config })) }, { models: ['m'] });
const placesOf = ({ unconverted, remarks }: ImportedExperiment) => [unconverted, remarks].map((notes) => notes.map(({ place }) => place));

describe('A provider that other models replace', () => {
  it('has settings without effect, and others that say what is asked or answered', async () => {
    const found = await withProviders({ top_p: 0.5, seed: 1, region: 'eu', generationConfig: { topK: 1 }, width: 9, tools: [], stop: ['x'], inferenceConfig: { responseSchema: {} }, knowledgeBaseId: 'k' });
    const at = (name: string) => `providers[0].config.${name}`;
    expect(placesOf(found)).toEqual([['tools', 'stop', 'inferenceConfig', 'knowledgeBaseId'].map(at), ['top_p', 'seed', 'region', 'generationConfig', 'width'].map(at)]);
  });

  it('has settings with an effect where it is kept, except for its address and keys', async () => {
    const found = await imported({ providers: [{ id: 'openai:gpt-6-luna', config: { top_p: 0.5, region: 'eu', headers: {}, baseUrl: 'x', apiKey: 'k' } }] });
    const at = (name: string) => `providers[0].config.${name}`;
    expect(placesOf(found)).toEqual([[at('top_p')], ['region', 'headers', 'baseUrl', 'apiKey'].map(at)]);
  });

  it.each<[object, boolean]>([
    [{ body: { messages: [{ role: 'user', content: '{{prompt}}' }], model: 'x', stream: true } }, true], [{ body: { prompt: 'Be polite. {{prompt}}' } }, false], [{ body: { system: 'Be polite.', prompt: '{{prompt}}' } }, false], [{ body: { a: 'b' } }, false],
    [{ transformResponse: 'json.choices[0].message.content' }, true], [{ transformResponse: '"*" + json.x' }, false], [{ responseFormat: { path: 'json[0].text' } }, true], [{ responseFormat: { type: 'json_object' } }, false],
  ])('is reached by a request without words, and a path into its answer: %j', async (config, isHarmless) => {
    expect((await withProviders(config)).unconverted.length).toBe(isHarmless ? 0 : 1);
  });

  it('leaves the options that all providers have', async () => {
    const found = await withProviders({ temperature: 0, max_tokens: 5 }, { temperature: 0, maxTokens: 9 });
    expect([found.experiments[0]?.options, placesOf(found)]).toEqual([{ temperature: 0 }, [[], ['providers[0].config.max_tokens']]]);
    expect(placesOf(await withProviders({ response_format: { type: 'json_object' } }, {}))).toEqual([['providers[0].config.response_format'], []]);
  });

  it('has instructions, which are the system message', async () => {
    const found = await withProviders({ instructions: 'Be brief.' }, { system: 'Be brief.' });
    expect([found.experiments[0]?.options, found.unconverted]).toEqual([{ system: 'Be brief.' }, []]);
    expect(placesOf(await withProviders({ instructions: 'Be brief.' }, {}))[0]).toEqual(['providers[0].config.system']);
    expect(placesOf(await withProviders({ instructions: 'Be {{q}}.' }))[0]).toEqual(['providers[0].config.instructions']);
    const both = await imported({ prompts: ['[{"role": "system", "content": "a"}, {"role": "user", "content": "{{q}}"}]'], providers: [{ id: 'x', config: { instructions: 'b' } }] }, { models: ['m'] });
    expect([both.experiments, both.unconverted.map(({ problem }) => problem)]).toEqual([[], ['has a system message, and the providers have instructions']]);
  });
});

describe('Prompts with different variables', () => {
  const tests = [{ vars: { topic: 'snow' } }, { vars: { concept: 'gravity' } }, { vars: { topic: 'rain' } }];

  it('have a data set each', async () => {
    const found = await imported({ prompts: ['haiku about {{topic}}', 'explain {{concept}}'], tests }, { models: ['m'] });
    expect([found.rows, found.experiments.map(({ prompt, rows }) => [prompt, rows])]).toEqual([[], [['haiku about {topic}', [{ variables: { topic: 'snow' } }, { variables: { topic: 'rain' } }]], ['explain {concept}', [{ variables: { concept: 'gravity' } }]]]]);
    expect(placesOf(found)).toEqual([[], ['prompts']]);
  });

  it('leave out a row that lacks a variable of each', async () => {
    const found = await imported({ prompts: ['haiku about {{topic}}', 'explain {{concept}}'], tests: [...tests, { vars: { other: 'x' } }] }, { models: ['m'] });
    expect([found.experiments.map(({ rows }) => rows?.length), found.unconverted]).toEqual([[2, 1], [{ place: 'tests[3]', problem: 'lacks a variable of each prompt; the row is left out' }]]);
  });
});
