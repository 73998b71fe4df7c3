import type { ImportedExperiment, ImportOptions } from '../types';
import { convertExport } from './convert';

const imported = (config: object, options: ImportOptions = {}) =>
  convertExport(JSON.stringify({ prompts: ['{{q}}'], tests: [{ vars: { q: 'x' } }], ...config }), {
    name: 'config.json',
    ...options,
  });
const withProviders = (...configs: object[]) =>
  imported({ providers: configs.map((config) => ({ id: 'openai:gpt-6-luna', config })) }, { models: ['m'] });
const placesOf = ({ unconverted, remarks }: ImportedExperiment) =>
  [unconverted, remarks].map((notes) => notes.map(({ place }) => place));

describe('A provider that other models replace', () => {
  it.each([
    'tools',
    'tool_choice',
    'functions',
    'functionToolCallbacks',
    'mcp',
    'web_search_options',
    'connectors',
    'knowledgeBaseId',
    'agentId',
    'servers',
    'working_dir',
    'guardrailIdentifier',
    'assistantId',
    'threadId',
    'sessionId',
    'maintainContext',
    'passthrough',
    'extra_body',
    'top_p',
    'seed',
  ])('takes its %s with it, and the report says that answers may differ', async (name) => {
    const { unconverted, remarks } = await withProviders({ [name]: 'x' });
    expect([unconverted, remarks]).toEqual([
      [],
      [{ place: `providers[0].config.${name}`, problem: 'is left out with its provider; answers may differ' }],
    ]);
  });

  it.each([
    'prompt',
    'messages',
    'messageTemplate',
    'context',
    'body',
    'parts',
    'stop',
    'stopSequences',
    'responseSchema',
    'response_mime_type',
    'outputFormat',
    'transformRequest',
    'systemInstruction',
  ])('leaves its %s, which asks something, to be listed', async (name) => {
    for (const config of [{ [name]: ['some words'] }, { generationConfig: { [name]: ['some words'] } }]) {
      const { unconverted, remarks } = await withProviders(config);
      expect([unconverted, remarks]).toEqual([
        [{ place: `providers[0].config.${Object.keys(config)[0]}`, problem: 'has no counterpart' }],
        [],
      ]);
    }
  });

  it('takes the choice of its prompts with it, and assertions about its tools stay unconverted', async () => {
    const found = await imported(
      {
        providers: [{ id: 'x', prompts: ['a'], label: 'y', config: { tools: [{}] } }],
        tests: [{ vars: { q: 'x' }, assert: [{ type: 'is-valid-openai-tools-call' }] }],
      },
      { models: ['m'] },
    );
    expect(placesOf(found)).toEqual([
      ['tests[0].assert[0]'],
      ['providers[0].prompts', 'providers[0].label', 'providers[0].config.tools'],
    ]);
  });

  it('has settings without effect, and others that say what is asked or answered', async () => {
    const found = await withProviders({
      top_p: 0.5,
      region: 'eu',
      generationConfig: { topK: 1 },
      stop: ['x'],
      inferenceConfig: { responseSchema: {} },
    });
    const at = (name: string) => `providers[0].config.${name}`;
    expect(placesOf(found)).toEqual([
      ['stop', 'inferenceConfig'].map(at),
      ['top_p', 'region', 'generationConfig'].map(at),
    ]);
  });

  it('has settings with an effect where it is kept, except for its address and keys', async () => {
    const found = await imported({
      providers: [
        { id: 'openai:gpt-6-luna', config: { top_p: 0.5, region: 'eu', headers: {}, baseUrl: 'x', apiKey: 'k' } },
      ],
    });
    const at = (name: string) => `providers[0].config.${name}`;
    expect(placesOf(found)).toEqual([[at('top_p')], ['region', 'headers', 'baseUrl', 'apiKey'].map(at)]);
  });

  it('has the options that the kept providers have in common, and the others are listed', async () => {
    const found = await imported({
      providers: [
        { id: 'openai:gpt-6-luna', config: { temperature: 0, max_tokens: 5 } },
        { id: 'openai:gpt-5.4-mini', config: { temperature: 0 } },
      ],
    });
    expect([found.experiments[0]?.options, found.unconverted]).toEqual([
      { temperature: 0 },
      [{ place: 'providers', problem: 'differ in max_tokens, which is left out' }],
    ]);
  });

  it.each<[object, boolean]>([
    [{ body: { messages: [{ role: 'user', content: '{{prompt}}' }], model: 'x', stream: true } }, true],
    [{ body: { prompt: 'Be polite. {{prompt}}' } }, false],
    [{ body: { system: 'Be polite.', prompt: '{{prompt}}' } }, false],
    [{ body: { a: 'b' } }, false],
    [{ transformResponse: 'json.choices[0].message.content' }, true],
    [{ transformResponse: '"*" + json.x' }, false],
    [{ responseFormat: { path: 'json[0].text' } }, true],
    [{ responseFormat: { type: 'json_object' } }, false],
  ])('is reached by a request without words, and a path into its answer: %j', async (config, isHarmless) => {
    expect((await withProviders(config)).unconverted.length).toBe(isHarmless ? 0 : 1);
  });

  it('leaves the options that all providers have', async () => {
    const found = await withProviders({ temperature: 0, max_tokens: 5 }, { temperature: 0, maxTokens: 9 });
    expect([found.experiments[0]?.options, found.unconverted, found.remarks]).toEqual([
      { temperature: 0 },
      [],
      [{ place: 'providers', problem: 'differ in max_tokens, which is left out' }],
    ]);
    for (const configs of [
      [{ response_format: { type: 'json_object' } }, {}],
      [{}, { response_format: { type: 'json_object' } }],
    ])
      expect(placesOf(await withProviders(...configs))).toEqual([['providers'], []]);
  });

  it('has instructions, which are the system message', async () => {
    const found = await withProviders({ instructions: 'Be brief.' }, { system: 'Be brief.' });
    expect([found.experiments[0]?.options, found.unconverted]).toEqual([{ system: 'Be brief.' }, []]);
    expect((await withProviders({ instructions: 'Be brief.' }, {})).unconverted).toEqual([
      { place: 'providers', problem: 'differ in system, which is left out' },
    ]);
    expect(placesOf(await withProviders({ instructions: 'Be {{q}}.' }))[0]).toEqual([
      'providers[0].config.instructions',
    ]);
    const both = await imported(
      {
        prompts: ['[{"role": "system", "content": "a"}, {"role": "user", "content": "{{q}}"}]'],
        providers: [{ id: 'x', config: { instructions: 'b' } }],
      },
      { models: ['m'] },
    );
    expect([both.experiments, both.unconverted.map(({ problem }) => problem)]).toEqual([
      [],
      ['has a system message, and the providers have instructions'],
    ]);
  });
});

describe('Prompts with different variables', () => {
  const tests = [{ vars: { topic: 'snow' } }, { vars: { concept: 'gravity' } }, { vars: { topic: 'rain' } }];

  it('have a data set each', async () => {
    const found = await imported(
      { prompts: ['haiku about {{topic}}', 'explain {{concept}}'], tests },
      { models: ['m'] },
    );
    expect([found.rows, found.experiments.map(({ prompt, rows }) => [prompt, rows])]).toEqual([
      [],
      [
        ['haiku about {topic}', [{ variables: { topic: 'snow' } }, { variables: { topic: 'rain' } }]],
        ['explain {concept}', [{ variables: { concept: 'gravity' } }]],
      ],
    ]);
    expect(placesOf(found)).toEqual([[], ['prompts']]);
  });

  it('leave out a row that lacks a variable of each', async () => {
    const found = await imported(
      { prompts: ['haiku about {{topic}}', 'explain {{concept}}'], tests: [...tests, { vars: { other: 'x' } }] },
      { models: ['m'] },
    );
    expect([found.experiments.map(({ rows }) => rows?.length), found.unconverted]).toEqual([
      [2, 1],
      [{ place: 'tests[3]', problem: 'lacks a variable of each prompt; the row is left out' }],
    ]);
  });
});
