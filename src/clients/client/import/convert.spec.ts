import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportedExperiment, ImportOptions } from '../types';
import { convertExport } from './convert';
import { KNOWN_MODELS } from './known-models';

const imported = (text: string, options: ImportOptions = {}) =>
  convertExport(text, { name: 'promptfooconfig.yaml', ...options });
const fromFiles = (files: Record<string, string>) => (path: string) => {
  const text = files[path];
  if (text === undefined) throw new Error('there is no such file');
  return text;
};
const notesOf = ({ unconverted, remarks }: ImportedExperiment) =>
  [unconverted, remarks].map((notes) => notes.map(({ place, problem }) => `${place} ${problem}`));

/** One test with these assertions, in JSON. */
async function checksOf(...assert: object[]): Promise<{ checks: unknown; notes: string[][] }> {
  const found = await imported(
    JSON.stringify({
      prompts: ['{{q}}'],
      providers: ['openai:gpt-6-luna'],
      tests: [{ vars: { q: 'x', city: 'Paris' }, assert }],
    }),
  );
  return { checks: found.rows[0]?.checks, notes: notesOf(found) };
}

const TRANSLATIONS = `# Two prompts, two models, lists of values
description: Translations
prompts:
  - 'Translate into {{ language }}: {{text}}'
  - file://prompts/polite.txt
providers:
  - openai:chat:gpt-6-luna
  - id: anthropic:messages:claude-haiku-4-5-20251001
    label: haiku
defaultTest:
  vars: {tone: friendly}
  assert:
    - {type: not-icontains, value: as an AI}
    - {type: latency, threshold: 4000}
tests:
  - description: greeting
    vars: {language: [French, German], text: [Good morning, Good night]}
  - vars: {language: Spanish, text: Good day}
    assert:
      - {type: starts-with, value: Buen, weight: 2}
      - {type: llm-rubric, value: is polite}
evaluateOptions: {repeat: 3, maxConcurrency: 50, cache: false}
`;

const SUPPORT = `prompts: [{id: file://chat.json, label: support}]
providers: [{id: openai:gpt-6-luna, config: {temperature: 0, max_tokens: 200, reasoning_effort: low, top_p: 0.9}}, {id: openai:gpt-5.4-mini, config: {temperature: 0, max_tokens: 200, reasoning_effort: low}}, openai:gpt-3, 'python:mine.py']
tests: file://tests.csv
`;
const SUPPORT_FILES = {
  'chat.json':
    '[{"role": "system", "content": "You route tickets."}, {"role": "user", "content": "Ticket: {{ticket}}"}]',
  'tests.csv':
    '\ufeffticket,__expected,__expected2,__description,__metric\r\n"My ""parcel"", lost",shipping,contains-any: a; b,parcel ticket,\r\nRefund please,"levenshtein(3): billing",javascript: output.length > 3,,speed\r\nHello,"Note: this is text",,,\r\n',
};

const EXTRACTION = JSON.stringify({
  $schema: 'https://promptfoo.dev/config-schema.json',
  prompts: 'Extract JSON: {{input}}',
  targets: ['groq:openai/gpt-oss-120b', 'openrouter:moonshotai/kimi-k3'],
  tests: ['cases.jsonl', 'file://missing.yaml', 'more/*.yaml'],
  scenarios: [],
});
const EXTRACTION_FILES = {
  'cases.jsonl': [
    {
      vars: { input: 'file://texts/one.txt', expected: 'ACME' },
      assert: [
        { type: 'is-json', value: { $schema: 'http://json-schema.org/draft-07/schema#', required: ['vendor'] } },
        { type: 'contains', value: '{{expected}}' },
      ],
    },
    {
      vars: { input: 'Two', expected: 'B' },
      assert: [
        { type: 'equals', value: { vendor: 'B' } },
        { type: 'contains-json' },
        { type: 'cost', threshold: 0.01 },
      ],
      options: { transform: 'output.trim()' },
    },
  ]
    .map((test) => JSON.stringify(test))
    .join('\n'),
  'texts/one.txt': 'Invoice of ACME\n',
};

describe('A configuration of promptfoo', () => {
  it('becomes a dataset with a row for each combination, and an experiment for each prompt', async () => {
    const found = await imported(TRANSLATIONS, {
      readFile: fromFiles({ 'prompts/polite.txt': 'Please say in {{language}}:\n{{text}}\n' }),
    });
    expect(found.source).toBe('promptfoo');
    const row = (language: string, text: string) => ({ variables: { tone: 'friendly', language, text } });
    expect(found.rows).toEqual([
      { id: 'greeting', ...row('French', 'Good morning') },
      { id: 'greeting-2', ...row('French', 'Good night') },
      { id: 'greeting-3', ...row('German', 'Good morning') },
      { id: 'greeting-4', ...row('German', 'Good night') },
      { ...row('Spanish', 'Good day'), checks: [{ type: 'regex', pattern: '^Buen', weight: 2 }] },
    ]);
    const common = {
      models: ['gpt-6-luna', 'claude-haiku-4-5'],
      options: { samples: 3 },
      checks: [
        { type: 'contains', values: ['as an AI'], ignore_case: true, not: true },
        { type: 'latency', max_ms: 4000 },
      ],
      parallel: 32,
    };
    expect(found.experiments).toEqual([
      { name: 'Translations: prompt 1', prompt: 'Translate into {language}: {text}', ...common },
      { name: 'Translations: prompt 2', prompt: 'Please say in {language}:\n{text}', ...common },
    ]);
    expect(notesOf(found)).toEqual([
      ['tests[1].assert[1] (llm-rubric) needs a model as a judge; choose one with --judge'],
      [
        'providers[1].label is left out; it changes no verdict',
        'providers[1] (claude-haiku-4-5-20251001) is claude-haiku-4-5 now, without the date'.replace(
          '(',
          '(anthropic:messages:',
        ),
        'evaluateOptions.cache is left out; it changes no verdict',
      ],
    ]);
  });

  it('may have a chat prompt, and tests in CSV with assertions in cells', async () => {
    const found = await imported(SUPPORT, { readFile: fromFiles(SUPPORT_FILES) });
    expect(found.rows).toEqual([
      {
        id: 'parcel-ticket',
        variables: { ticket: 'My "parcel", lost' },
        checks: [
          { type: 'equals', value: 'shipping', trim: false },
          { type: 'contains', values: ['a; b'], mode: 'any' },
        ],
      },
      { variables: { ticket: 'Refund please' }, checks: [{ type: 'similarity', value: 'billing', min: 0.571428 }] },
      { variables: { ticket: 'Hello' }, checks: [{ type: 'equals', value: 'Note: this is text', trim: false }] },
    ]);
    expect(found.experiments).toEqual([
      {
        name: 'promptfooconfig',
        prompt: 'Ticket: {ticket}',
        models: ['gpt-6-luna', 'gpt-5.4-mini'],
        options: { temperature: 0, max_tokens: 200, reasoning_effort: 'low', system: 'You route tickets.' },
      },
    ]);
    expect(notesOf(found)).toEqual([
      [
        'tests.csv[1].assert[1] (javascript) runs code; no code is run here',
        'providers[0].config.top_p has no counterpart',
        'providers[2] (openai:gpt-3) is no model of the service; choose models that it has',
        'providers[3] (python:mine.py) is no model of the service; choose models that it has',
      ],
      [
        'tests.csv[1].metric is left out; it changes no verdict',
        'tests.csv[1].assert[0] is a similarity of at least 0.571428 now: a distance of 3 in a text of equal length',
      ],
    ]);
  });

  it('may be JSON, with tests in JSONL, texts in files, and input and expected as the service has them', async () => {
    const found = await imported(EXTRACTION, { name: 'config.json', readFile: fromFiles(EXTRACTION_FILES) });
    expect(found.rows).toEqual([
      {
        input: 'Invoice of ACME\n',
        expected: 'ACME',
        checks: [
          { type: 'json', schema: { required: ['vendor'] }, allow_fence: false },
          { type: 'contains', values: ['{expected}'] },
        ],
      },
      {
        input: 'Two',
        expected: 'B',
        checks: [
          { type: 'json', schema: { const: { vendor: 'B' } }, allow_fence: false },
          { type: 'json', find: true },
          { type: 'cost', max_usd: 0.01 },
        ],
      },
    ]);
    expect(found.experiments).toEqual([
      { name: 'config', prompt: 'Extract JSON: {input}', models: ['groq/gpt-oss-120b', 'openrouter/kimi-k3'] },
    ]);
    expect(notesOf(found)[0]).toEqual([
      'scenarios has no counterpart',
      'tests[1] names missing.yaml, which cannot be read: there is no such file',
      'tests[2] names more/*.yaml, which cannot be read: names a folder, and folders cannot be read here',
    ]);
  });

  it('takes other models if they are chosen', async () => {
    const found = await imported('prompts: ["{{q}}"]\nproviders: [azure:x]\ntests: [{vars: {q: 1}}]', {
      models: ['sim-swift', 'sim-quill'],
    });
    expect([found.experiments[0]?.models, found.unconverted]).toEqual([['sim-swift', 'sim-quill'], []]);
  });

  it('is run once where it has no tests, and needs models', async () => {
    const found = await imported('prompts: [Hello]');
    expect([found.rows, notesOf(found)[0]]).toEqual([
      [{ variables: { row: 'tests' } }],
      ['models has no model of the service; choose models that it has'],
    ]);
  });
});

describe('An assertion', () => {
  it.each<[object, object]>([
    [
      { type: 'contains', value: 'a' },
      { type: 'contains', values: ['a'] },
    ],
    [
      { type: 'icontains', value: 5 },
      { type: 'contains', values: ['5'], ignore_case: true },
    ],
    [
      { type: 'contains-all', value: ['a', '{{city}}'] },
      { type: 'contains', values: ['a', '{city}'] },
    ],
    [
      { type: 'icontains-any', value: 'a, b' },
      { type: 'contains', values: ['a', 'b'], mode: 'any', ignore_case: true },
    ],
    [
      { type: 'not-contains-any', value: ['a', 'b'] },
      { type: 'contains', values: ['a', 'b'], mode: 'any', not: true },
    ],
    [
      { type: 'starts-with', value: '{{city}} (a)' },
      { type: 'regex', pattern: '^{city} \\(a\\)' },
    ],
    [
      { type: 'regex', value: 'a\\s[\\s,]' },
      { type: 'regex', pattern: 'a[\\s\\v\\pZ\\x{FEFF}][\\s\\v\\pZ\\x{FEFF},]' },
    ],
    [
      { type: 'equals', value: 'a' },
      { type: 'equals', value: 'a', trim: false },
    ],
    [
      { type: 'regex', value: '^\\d{3}$' },
      { type: 'regex', pattern: '^\\d{3}$' },
    ],
    [
      { type: 'contains-json', value: '{"type":"object"}' },
      { type: 'json', schema: { type: 'object' }, find: true },
    ],
    [
      { type: 'latency', threshold: 99.5 },
      { type: 'latency', max_ms: 99 },
    ],
    [
      { type: 'word-count', value: { min: 2, max: 5 } },
      { type: 'length', unit: 'words', min: 2, max: 5 },
    ],
    [
      { type: 'word-count', value: 5 },
      { type: 'length', unit: 'words', min: 5, max: 5 },
    ],
    [{ type: 'finish-reason', value: 'stop' }, { type: 'finished' }],
    [
      { type: 'contains', value: 'a', weight: 0.5, metric: 'm' },
      { type: 'contains', values: ['a'], weight: 0.5 },
    ],
  ])('%j becomes the check %j', async (assertion, check) => {
    const { checks, notes } = await checksOf(assertion);
    expect([checks, notes[0]]).toEqual([[check], []]);
  });

  it.each<[object, string]>([
    [{ type: 'javascript', value: 'true' }, '(javascript) runs code; no code is run here'],
    [{ type: 'not-python', value: 'x' }, '(python) runs code; no code is run here'],
    [{ type: 'webhook', value: 'https://example.com' }, '(webhook) runs code; no code is run here'],
    [{ type: 'llm-rubric', value: 'x' }, '(llm-rubric) needs a model as a judge; choose one with --judge'],
    [
      { type: 'model-graded-closedqa', value: 'x' },
      '(model-graded-closedqa) needs a model as a judge; choose one with --judge',
    ],
    [{ type: 'g-eval', value: 'x' }, '(g-eval) needs a model as a judge'],
    [{ type: 'not-select-best', value: 'x' }, '(select-best) needs a model as a judge'],
    [{ type: 'similar', value: 'x' }, '(similar) has no check'],
    [{ type: 'rouge-n', value: 'x' }, '(rouge-n) has no check'],
    [{ type: 'is-sql' }, '(is-sql) has no check'],
    [{ type: 'assert-set', assert: [] }, '(assert-set) has no check'],
    [{ type: '__proto__' }, '(__proto__) has no check'],
    [{ type: 'toString' }, '(toString) has no check'],
    [{ type: 'regex', value: 'a(?=b)' }, 'has look-around or a back-reference, which RE2 lacks'],
    [{ type: 'regex', value: '(a)\\1' }, 'has look-around or a back-reference, which RE2 lacks'],
    [{ type: 'regex', value: '^{{city}}' }, 'has a variable in a pattern, where its text would be escaped'],
    [{ type: 'contains', value: '{{ city | upper }}' }, 'uses {{city | upper}}, which is no variable of a row'],
    [{ type: 'contains', value: '{% if x %}' }, 'uses logic of Nunjucks, or has {{ that belongs to no variable'],
    [{ type: 'contains', value: '{city}' }, 'has {city} in single braces, which the variable would replace'],
    [{ type: 'contains', value: { a: 1 } }, 'has no text as its value'],
    [{ type: 'contains', value: '' }, 'has a text of 0 characters; its check takes 1 to 1,000'],
    [{ type: 'contains-any', value: [] }, 'has 0 texts; a check has 1 to 20'],
    [{ type: 'contains-all', value: new Array(21).fill('a') }, 'has 21 texts; a check has 1 to 20'],
    [
      { type: 'levenshtein', value: '{{city}}' },
      'has a distance to a text that is blank or has a variable; write a similarity',
    ],
    [{ type: 'cost' }, 'needs a number that is not negative'],
    [{ type: 'cost', threshold: -1 }, 'needs a number that is not negative'],
    [{ type: 'is-json', value: 'nope' }, 'has a schema that is no JSON object'],
    [
      { type: 'equals', value: 'file:///etc/passwd' },
      'names file:///etc/passwd, which is not below the folder of this file and was not read',
    ],
    [
      { type: 'contains-any', value: ['a', 'file://../../x.txt'] },
      'names file://../../x.txt, which is not below the folder of this file and was not read',
    ],
    [{ type: 'finish-reason', value: 'length' }, 'asks for another finish reason than stop'],
    [{ type: 'contains', value: 'a', weight: 0 }, 'has a weight of 0'],
    [{ type: 'contains', value: 'file://value.py' }, 'names file://value.py, which is code; no code is run'],
    [{ value: 'x' }, 'has no text as its value'],
  ])('%j is listed', async (assertion, problem) => {
    const { checks, notes } = await checksOf(assertion);
    expect([checks, notes[0]]).toEqual([undefined, [`tests[0].assert[0] ${problem}`]]);
  });

  it('has texts from files without white space around them and with no variable, as promptfoo has them', async () => {
    const assert = [
      { type: 'equals', value: 'file://a.txt' },
      { type: 'contains-any', value: ['b', 'file://a.txt'] },
      { type: 'contains', value: 'file://city.txt' },
    ];
    const found = await imported(
      JSON.stringify({ prompts: ['{{city}}'], tests: [{ vars: { city: 'Paris' }, assert }] }),
      { models: ['m'], readFile: fromFiles({ 'a.txt': 'A text\n', 'city.txt': '{{city}}' }) },
    );
    expect([found.rows[0]?.checks, notesOf(found)[0]]).toEqual([
      [
        { type: 'equals', value: 'A text', trim: false },
        { type: 'contains', values: ['b', 'A text'], mode: 'any' },
      ],
      ['tests[0].assert[2] has a variable in an object or a file, where promptfoo fills in none'],
    ]);
  });

  it('in a cell of CSV has the threshold of promptfoo if it writes none', async () => {
    const found = await imported('prompts: ["{{q}}"]\ntests: t.csv', {
      models: ['m'],
      readFile: () => 'q,__expected\nx,levenshtein: billing',
    });
    expect(found.rows[0]?.checks).toEqual([{ type: 'similarity', value: 'billing', min: 0.892857 }]);
  });

  it('after the twentieth of a row is listed', async () => {
    const { checks, notes } = await checksOf(
      ...Array.from({ length: 22 }, (_, i) => ({ type: 'contains', value: `${i}` })),
    );
    expect([(checks as unknown[]).length, notes[0]]).toEqual([
      20,
      ['tests[0] has 2 checks of more than 20, or of variables that the row lacks; they are left out'],
    ]);
  });
});

describe('A prompt', () => {
  const promptOf = async (prompts: unknown, vars: object = { q: 'x', city: 'Paris' }) => {
    const found = await imported(JSON.stringify({ prompts, tests: [{ vars }] }), {
      models: ['sim-swift'],
      readFile: fromFiles({ 'two.txt': 'One {{q}}\n---\nTwo {{q}}\n' }),
    });
    return [found.experiments.map(({ prompt }) => prompt), notesOf(found)[0]];
  };

  it.each<[unknown, string[]]>([
    ['A {{q}} and { "json": {{ city }} } {{-q-}} {other}', ['A {q} and { "json": {city} } {q} {other}']],
    [[{ raw: 'Hi {{q}}', label: 'one' }], ['Hi {q}']],
    [['two.txt'], ['One {q}', 'Two {q}']],
    [['[{"role":"user","content":[{"type":"text","text":"{{q}}"}]}]'], ['{q}']],
  ])('%j is converted', async (prompts, expected) => {
    expect(await promptOf(prompts)).toEqual([expected, []]);
  });

  it.each<[unknown, string]>([
    ['Say {city}', 'has {city} in single braces, which the variable would replace'],
    ['{% for x in y %}', 'uses logic of Nunjucks, or has {{ that belongs to no variable'],
    ['{{ q.name }}', 'uses {{q.name}}, which is no variable of a row'],
    ['{{ env.HOME }}', 'uses {{env.HOME}}, which is no variable of a row'],
    ['{{ missing }}', 'uses {{missing}}, which is no variable of a row'],
    ['{{constructor}}', 'uses {{constructor}}, which is no variable of a row'],
    ['{{ q', 'uses logic of Nunjucks, or has {{ that belongs to no variable'],
    [[' '], 'is empty'],
    ['file://prompt.js', 'names file://prompt.js, which is code; no code is run'],
    ['prompt.py:fn', 'names prompt.py:fn, which is code; no code is run'],
    [
      ['[{"role":"system","content":"{{q}}"},{"role":"user","content":"b"}]'],
      'has a variable in its system message; variables are filled into the prompt and earlier turns only',
    ],
    [['[{"role":"user","content":[{"type":"image_url"}]}]'], 'has a message with content that is no text'],
    [['[{"role":"user","content":{{q | dump}}}]'], 'is a chat that is no JSON before its variables are filled in'],
    [[{ id: { a: 1 } }], 'has no text as its value'],
  ])('%j is listed', async (prompts, problem) => {
    const [converted, notes] = await promptOf(prompts);
    expect([converted, notes]).toEqual([[], [`prompts[0] ${problem}`]]);
  });

  it('leaves out, and names, the rows without one of its variables', async () => {
    const found = await imported(
      'prompts: ["{{a}} {{b}}"]\ntests: [{vars: {a: 1, b: 2}}, {vars: {a: 1}}, {vars: {b: ""}}]',
      { models: ['m'] },
    );
    expect([found.rows, notesOf(found)[0]]).toEqual([
      [{ variables: { a: '1', b: '2' } }],
      [
        'prompts[0] uses {{a}}, which 1 of 3 rows lack, the first at tests[2]; these rows are left out',
        'prompts[0] uses {{b}}, which 1 of 3 rows lack, the first at tests[1]; these rows are left out',
      ],
    ]);
  });

  it('may not use {{expected}}, which the service fills into checks only', async () => {
    expect(await promptOf('{{q}} {{expected}}', { q: 'x', expected: 'y' })).toEqual([
      [],
      ['prompts[0] uses {{expected}}, which here is for checks only; rename the variable'],
    ]);
  });
});

test('A test with lists of values has each note once', async () => {
  const found = await imported(
    'prompts: ["{{q}}"]\nproviders: [openai:gpt-6-luna]\ntests: [{vars: {q: [a, b]}, assert: [{type: llm-rubric, value: x}, {type: equals, value: a, metric: m}]}]',
  );
  expect(notesOf(found)).toEqual([
    ['tests[0].assert[0] (llm-rubric) needs a model as a judge; choose one with --judge'],
    ['tests[0].assert[1].metric is left out; it changes no verdict'],
  ]);
});

const EVAL = {
  object: 'eval',
  id: 'eval_1',
  name: 'Capitals',
  data_source_config: { type: 'custom' },
  testing_criteria: [
    ...['eq', 'ne', 'like', 'ilike'].map((operation) => ({
      type: 'string_check',
      name: operation,
      input: '{{sample.output_text}}',
      reference: '{{ item.capital }}',
      operation,
    })),
    {
      type: 'text_similarity',
      name: 's',
      input: '{{ sample.output_text }}',
      reference: '{{item.capital}}',
      evaluation_metric: 'fuzzy_match',
      pass_threshold: 0.8,
    },
    {
      type: 'text_similarity',
      input: '{{sample.output_text}}',
      reference: 'x',
      evaluation_metric: 'bleu',
      pass_threshold: 0.8,
    },
    { type: 'label_model', labels: ['a'] },
    { type: 'multi' },
    { type: 'python', source: 'x' },
    { type: 'string_check', input: '{{item.capital}}', reference: 'x', operation: 'eq' },
  ],
  data_source: {
    type: 'completions',
    model: 'gpt-6-luna',
    sampling_params: { temperature: 1, max_completions_tokens: 50, seed: 1 },
    input_messages: {
      type: 'template',
      template: [
        { role: 'developer', content: 'One word.' },
        { role: 'user', content: { type: 'input_text', text: 'Capital of {{item.input}}?' } },
      ],
    },
    source: {
      type: 'file_content',
      content: [{ item: { input: 'France', capital: 'Paris', people: 2 } }, { item: {} }],
    },
  },
};
const EVAL_CHECKS = [
  { type: 'equals', value: '{capital}', trim: false },
  { type: 'equals', value: '{capital}', trim: false, not: true },
  { type: 'contains', values: ['{capital}'] },
  { type: 'contains', values: ['{capital}'], ignore_case: true },
  { type: 'similarity', value: '{capital}', min: 0.8 },
];

describe('An export of OpenAI Evals', () => {
  it('becomes a dataset and an experiment', async () => {
    const found = await imported(JSON.stringify(EVAL), { name: 'eval.json' });
    expect(found).toMatchObject({
      source: 'OpenAI eval',
      rows: [{ input: 'France', variables: { capital: 'Paris', people: '2' } }],
      experiments: [
        {
          name: 'Capitals',
          prompt: 'Capital of {input}?',
          models: ['gpt-6-luna'],
          options: { temperature: 1, max_tokens: 50, system: 'One word.' },
          checks: EVAL_CHECKS,
        },
      ],
    });
    expect(notesOf(found)[0]).toEqual([
      'data_source.source.content[1] has no item',
      'testing_criteria[5] has the metric bleu; only fuzzy_match with a pass_threshold is converted',
      'testing_criteria[6] has no passing_labels',
      'testing_criteria[7] (multi) has no check',
      'testing_criteria[8] (python) runs code; no code is run here',
      'testing_criteria[9] looks at something else than {{sample.output_text}}',
      'data_source.sampling_params.seed has no counterpart',
    ]);
  });

  it('names the parts of a run by their places in the file', async () => {
    const { data_source: source, ...config } = EVAL;
    for (const [place, runs] of [
      ['runs[0]', { runs: [{ data_source: source }] }],
      ['run', { run: { data_source: source } }],
    ] as const) {
      expect(notesOf(await imported(JSON.stringify({ ...config, ...runs })))[0]).toEqual(
        expect.arrayContaining([
          `${place}.data_source.source.content[1] has no item`,
          `${place}.data_source.sampling_params.seed has no counterpart`,
        ]),
      );
    }
  });

  it('may have its rows in another file, which is imported the same way', async () => {
    const { data_source: source, ...config } = EVAL;
    const found = await imported(
      JSON.stringify({
        eval: { ...config, testing_criteria: EVAL.testing_criteria.slice(0, 1) },
        runs: [{ data_source: { ...source, sampling_params: {}, source: { type: 'file_id', id: 'file-1' } } }, {}],
      }),
      { name: 'eval.json' },
    );
    expect([found.rows, found.experiments[0]?.checks, notesOf(found)[0]]).toEqual([
      [],
      EVAL_CHECKS.slice(0, 1),
      ['runs[1] and all after it are not converted (1); an import takes one run'],
    ]);
    const rows = await imported(
      '{"item": {"input": "France", "capital": "Paris", "tags": ["eu"]}, "sample": {}}\n\n{"item": {"input": "Peru", "capital": "Lima"}}\n',
      { name: 'rows.jsonl' },
    );
    expect(rows).toMatchObject({
      source: 'OpenAI rows',
      rows: [
        { input: 'France', variables: { capital: 'Paris', tags: '["eu"]' } },
        { input: 'Peru', variables: { capital: 'Lima' } },
      ],
      experiments: [],
      unconverted: [],
    });
  });

  it('may be JSONL of the registry, whose ideal answer is one text or one of several', async () => {
    const line = (system: string, content: string, ideal: unknown) =>
      JSON.stringify({
        input: [
          { role: 'system', content: system },
          { role: 'user', content },
        ],
        ideal,
      });
    const found = await imported(
      [line('Be brief.', '2+2?', '4'), line('Be brief.', 'A vowel?', ['a', 'e'])].join('\n'),
      { name: 'samples.jsonl', models: ['sim-swift'] },
    );
    expect(found).toMatchObject({
      rows: [
        { input: '2+2?', expected: '4', checks: [{ type: 'contains', values: ['{expected}'] }] },
        { input: 'A vowel?', checks: [{ type: 'contains', values: ['a', 'e'], mode: 'any' }] },
      ],
      experiments: [{ name: 'samples', prompt: '{input}', models: ['sim-swift'], options: { system: 'Be brief.' } }],
      unconverted: [],
    });
    const mixed = await imported([line('A', 'x', '1'), line('B', 'y', '2'), line('B', 'z', [])].join('\n'), {
      name: 'samples.jsonl',
    });
    expect(notesOf(mixed)[0]).toEqual([
      'line 3 has 0 ideal answers; a check has 1 to 20',
      'input has 2 different system messages; the rows of an experiment have one',
      'models has no model of the service; choose models that it has',
    ]);
  });
});

it('The known models are those of the catalog', () => {
  const catalog = JSON.parse(readFileSync(join(__dirname, '../../../modules/models/catalog.json'), 'utf8')) as {
    id: string;
    vendor: string;
  }[];
  expect([...KNOWN_MODELS].sort()).toEqual(
    catalog
      .filter(({ vendor }) => vendor !== 'simulator')
      .map(({ id }) => id)
      .sort(),
  );
});
