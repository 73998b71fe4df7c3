import type { ImportedExperiment, ImportOptions } from '../types';
import { convertExport } from './convert';

const notesOf = ({ unconverted, remarks }: ImportedExperiment) =>
  [unconverted, remarks].map((notes) => notes.map(({ place, problem }) => `${place} ${problem}`));
const message = (role: string, content: unknown) => ({ role, content });

const CHAT = [
  message('system', 'Be brief.'),
  message('user', 'I am {{name}}.'),
  message('assistant', [{ type: 'text', text: 'Hello {{ name }}.' }]),
  message('user', '{{question}}'),
];
const OPTIONS = {
  system: 'Be brief.',
  history: [
    { role: 'user', content: 'I am {name}.' },
    { role: 'assistant', content: 'Hello {name}.' },
  ],
};
const YAML = `- role: system
  content: Be brief.
- {role: user, content: 'I am {{name}}.'}
- {role: assistant, content: 'Hello {{name}}.'}
- role: user
  content: '{{question}}'`;
const REMARK = 'prompts[0] has earlier turns, which are options.history now';

const configured = (prompt: unknown, vars: object = { name: 'Ada', question: 'Who?' }, more: ImportOptions = {}) =>
  convertExport(JSON.stringify({ prompts: [prompt], tests: [{ vars }] }), {
    name: 'promptfooconfig.json',
    models: ['sim-swift'],
    ...more,
  });

describe('A chat prompt of promptfoo', () => {
  it.each<[string, string, string?]>([
    ['in the configuration, as JSON', JSON.stringify(CHAT)],
    ['in the configuration, as YAML', YAML],
    ['in a JSON file', 'file://chat.json', JSON.stringify(CHAT)],
    ['in a YAML file', 'file://chat.yaml', YAML],
    ['in a text file', 'chat.txt', `${JSON.stringify(CHAT)}\n`],
  ])('%s keeps its turns', async (_, prompt, text = '') => {
    const found = await configured(prompt, undefined, { readFile: () => text });
    expect([found.experiments, notesOf(found)]).toEqual([
      [{ name: 'promptfooconfig', prompt: '{question}', models: ['sim-swift'], options: OPTIONS }],
      [[], [REMARK]],
    ]);
    expect(found.rows).toEqual([{ variables: { name: 'Ada', question: 'Who?' } }]);
  });

  it('leaves out rows without a variable of its turns, and fills an input into them', async () => {
    const prompt = JSON.stringify([
      message('user', '{{input}}'),
      message('assistant', 'Yes?'),
      message('user', 'In {{language}}.'),
    ]);
    const tests = [{ vars: { input: 'a', language: 'b' } }, { vars: { language: 'c' } }];
    const found = await convertExport(JSON.stringify({ prompts: [prompt], tests }), { models: ['sim-swift'] });
    expect([found.rows, notesOf(found)[0]]).toEqual([
      [{ input: 'a', variables: { language: 'b' } }],
      ['prompts[0] uses {{input}}, which 1 of 2 rows lack, the first at tests[1]; these rows are left out'],
    ]);
  });

  const WANTED = 'turns of user and assistant that end with the user are converted, after at most one system message';
  it.each<[string, unknown[], string]>([
    ['no end with the user', CHAT.slice(0, 3), `is a conversation of 3 messages; ${WANTED}`],
    ['a second system message', [CHAT[0], ...CHAT], `is a conversation of 5 messages; ${WANTED}`],
    ['a tool', [CHAT[1], message('tool', 'x'), CHAT[3]], `is a conversation of 3 messages; ${WANTED}`],
    ['a developer in the middle', [CHAT[1], message('developer', 'x'), CHAT[3]], 'is a conversation of 3 messages'],
    [
      'a call of a tool',
      [CHAT[1], { ...message('assistant', null), tool_calls: [{ id: 'a' }] }, CHAT[3]],
      'has a message that calls a tool',
    ],
    [
      'a picture',
      [message('user', [{ type: 'image_url' }]), CHAT[2], CHAT[3]],
      'has a message with content that is no text',
    ],
    ['an empty turn', [CHAT[1], message('assistant', ' '), CHAT[3]], 'has an earlier turn without text'],
    [
      'too many turns',
      Array.from({ length: 102 }, () => message('user', 'a')),
      'has 101 earlier turns, which are more than 100',
    ],
    ['an unknown variable in a turn', [message('assistant', '{{x.y}}'), CHAT[3]], 'uses {{x.y}}, which is no variable'],
    ['single braces in a turn', [message('assistant', '{name}'), CHAT[3]], 'has {name} in single braces'],
    [
      'a variable in its system message',
      [message('system', '{{name}}'), ...CHAT.slice(1)],
      'has a variable in its system message; variables are filled into the prompt and earlier turns only',
    ],
  ])('with %s is listed', async (_, messages, problem) => {
    const found = await configured(JSON.stringify(messages));
    expect([found.experiments, notesOf(found)]).toEqual([
      [],
      [expect.arrayContaining([expect.stringContaining(`prompts[0] ${problem}`)]), []],
    ]);
  });

  it('may have its input in its turns only', async () => {
    const chat = JSON.stringify([message('user', '{{input}}'), message('user', 'Go on.')]);
    const { experiments } = await configured(chat, { input: 'a' });
    expect(experiments).toMatchObject([
      { prompt: 'Go on.', options: { history: [{ role: 'user', content: '{input}' }] } },
    ]);
  });

  it.each(['- role: user\n  content: "a', '- role: user\n- ['])('that is no YAML is listed: %j', async (prompt) => {
    expect(notesOf(await configured(prompt))[0]).toEqual([
      'prompts[0] is a chat that is no YAML before its variables are filled in',
    ]);
  });
});

describe('A conversation of OpenAI Evals', () => {
  it('in the template of an eval keeps its turns', async () => {
    const template = [
      message('developer', 'Be brief.'),
      { type: 'message', ...message('user', { type: 'input_text', text: 'I am {{item.name}}.' }) },
      message('assistant', { type: 'output_text', text: 'Hello {{ item.name }}.' }),
      message('user', '{{item.question}}'),
    ];
    const found = await convertExport(
      JSON.stringify({
        testing_criteria: [],
        data_source: {
          type: 'completions',
          model: 'gpt-6-luna',
          input_messages: { type: 'template', template },
          source: {
            type: 'file_content',
            content: [{ item: { name: 'Ada', question: 'Who?' } }, { item: { question: 'b' } }],
          },
        },
      }),
      {},
    );
    expect(found.experiments).toEqual([
      { name: 'experiment', prompt: '{question}', models: ['gpt-6-luna'], options: OPTIONS },
    ]);
    expect([found.rows, ...notesOf(found)]).toEqual([
      [{ variables: { name: 'Ada', question: 'Who?' } }],
      [expect.stringContaining('data_source uses {{name}}, which 1 of 2 rows lack')],
      ['data_source.input_messages has earlier turns, which are options.history now'],
    ]);
  });

  it('in a row of the registry is the history of the row, in which nothing is replaced', async () => {
    const turns = [message('user', 'I am {input}.'), message('assistant', '{{Hello}}')];
    const lines = [
      { input: [message('system', 'Be brief.'), ...turns, message('user', 'Who?')], ideal: 'Ada' },
      { input: [message('system', 'Be brief.'), message('user', '2+2?')], ideal: '4' },
      { input: [message('system', 'Be brief.'), ...turns], ideal: '4' },
    ];
    const found = await convertExport(lines.map((line) => JSON.stringify(line)).join('\n'), {
      name: 'samples.jsonl',
      models: ['sim-swift'],
    });
    const checks = [{ type: 'contains', values: ['{expected}'] }];
    expect(found.rows).toEqual([
      { input: 'Who?', expected: 'Ada', history: turns, checks },
      { input: '2+2?', expected: '4', checks },
    ]);
    expect(found.experiments).toMatchObject([{ prompt: '{input}', options: { system: 'Be brief.' } }]);
    expect(notesOf(found)).toEqual([
      [expect.stringContaining('line 3 is a conversation of 3 messages; turns of user and assistant that end with')],
      [
        'input has earlier turns in 1 of 2 rows, which are their history now',
        'ideal passes if the answer contains it; a registry file does not say how answers are graded',
      ],
    ]);
  });
});
