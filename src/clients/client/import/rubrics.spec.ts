import type { ImportedExperiment, ImportOptions } from '../types';
import { convertExport } from './convert';

const imported = (text: string, options: ImportOptions = {}) =>
  convertExport(text, { name: 'promptfooconfig.yaml', ...options });
const linesOf = (notes: ImportedExperiment['remarks']) => notes.map(({ place, problem }) => `${place} ${problem}`);
const RUBRICS_DIFFER = 'rubrics are judged with the prompt of this service, so that verdicts may differ';

const LUNA = '(openai:gpt-6-luna-2026-01-01) is gpt-6-luna now, without the date';

const FOR_ALL = `description: Support
prompts: ['Answer as our support: {{question}}']
providers: [openai:gpt-5.4-mini, anthropic:messages:claude-haiku-4-5]
defaultTest:
  options: {provider: openai:gpt-6-luna-2026-01-01, rubricPrompt: 'Judge: {{output}}'}
  assert:
    - {type: llm-rubric, value: 'Is polite to someone from {{city}}', metric: tone}
    - {type: model-graded-closedqa, value: Names one next step, weight: 2}
    - {type: factuality, value: '{{policy}}', provider: {id: anthropic:messages:claude-sonnet-5-5}}
    - {type: llm-rubric, value: Is brief, threshold: 0.8}
    - {type: icontains, value: order}
tests:
  - vars: {question: Where is it?, city: Lima, policy: 30 days}
  - vars: {question: Refund?, city: Paris, policy: 14 days}
`;

const PER_TEST = `prompts: ['{{question}} [{rubric_2}]']
providers: [openai:gpt-6-luna]
defaultTest: {options: {provider: {text: {id: 'openai:gpt-4o'}}}}
tests:
  - vars: {question: Haiku?, topic: rain}
    assert:
      - {type: llm-rubric, value: 'Is about {{topic}}, not {a}'}
      - {type: llm-rubric, value: Is polite}
      - {type: llm-rubric, value: Has three lines}
      - {type: select-best, value: "Is the reader's favorite on {{topic}}"}
  - vars: {question: Limerick?, topic: snow}
    assert: [{type: llm-rubric, value: Is polite}, {type: llm-rubric, value: 'Rhymes with {{topic}}'}]
  - vars: {question: Sonnet?}
    assert: [{type: llm-rubric, value: Is polite}, {type: not-llm-rubric, value: Is rude}, {type: g-eval, value: x}]
`;

const GRADED = {
  object: 'eval',
  name: 'Summaries',
  testing_criteria: [
    {
      type: 'label_model',
      name: 'tone',
      model: 'claude-sonnet-4-6',
      input: [
        { role: 'developer', content: 'Label the tone of the answer.' },
        {
          role: 'user',
          content: { type: 'input_text', text: 'Question: {{item.question}}\nAnswer: {{ sample.output_text }}' },
        },
      ],
      labels: ['kind', 'neutral', 'rude'],
      passing_labels: ['kind', 'neutral'],
    },
    {
      type: 'score_model',
      name: 'quality',
      model: 'gpt-4o',
      input: [{ role: 'user', content: 'Rate the summary of {{item.question}} from 0 to 10: {{sample.output_text}}' }],
      range: [0, 10],
      pass_threshold: 7,
      sampling_params: { temperature: 0 },
    },
  ],
  data_source: {
    type: 'completions',
    model: 'gpt-6-luna',
    input_messages: { type: 'template', template: [{ role: 'user', content: '{{item.question}}' }] },
    source: { type: 'file_content', content: [{ item: { question: 'a' } }, { item: { question: 'b' } }] },
  },
};
const LABELS =
  'Label the tone of the answer.\n\nQuestion: {question}\nAnswer: the answer\n\nOf the labels kind, neutral, rude, the answer passes with: kind, neutral.';

describe('Rubrics of a file', () => {
  it('for all tests are checks of the experiment, with the graders of the file', async () => {
    const found = await imported(FOR_ALL);
    expect([found.rows.length, found.rows.filter(({ checks }) => checks !== undefined)]).toEqual([2, []]);
    expect(found.experiments[0]?.checks).toEqual([
      { type: 'rubric', criterion: 'Is polite to someone from {city}', judge: 'gpt-6-luna' },
      { type: 'rubric', criterion: 'Names one next step', judge: 'gpt-6-luna' },
      {
        type: 'rubric',
        criterion: 'The answer agrees in its facts with this text: {policy}',
        judge: 'claude-sonnet-5-5',
      },
      { type: 'rubric', criterion: 'Is brief', judge: 'gpt-6-luna', scale: 5 },
      { type: 'contains', values: ['order'], ignore_case: true },
    ]);
    expect([found.unconverted, linesOf(found.remarks)]).toEqual([
      [],
      [
        'defaultTest.assert[0].metric is left out; it changes no verdict',
        `defaultTest.assert[0] ${LUNA}`,
        `defaultTest.assert[1] ${LUNA}`,
        'defaultTest.assert[1].weight is left out; a rubric has none',
        `defaultTest.assert[3] ${LUNA}`,
        'defaultTest.assert[3] is a mark from 1 to 5 now; its threshold of 0.8 is nearest to 4, and decides nothing',
        RUBRICS_DIFFER,
      ],
    ]);
  });

  it('that differ by test are variables of the rows; a rubric of all tests is not', async () => {
    const found = await imported(PER_TEST, { judge: 'sim-sage' });
    const judged = { type: 'rubric', judge: 'sim-sage' };
    expect(found.experiments[0]?.checks).toEqual([
      { ...judged, criterion: 'Is polite' },
      { ...judged, criterion: '{rubric}' },
      { ...judged, criterion: '{rubric_3}' },
    ]);
    expect(found.rows).toEqual([
      {
        variables: { question: 'Haiku?', topic: 'rain', rubric: 'Is about rain, not {a}', rubric_3: 'Has three lines' },
      },
      {
        variables: { question: 'Limerick?', topic: 'snow', rubric: 'Rhymes with snow', rubric_3: 'Any answer passes.' },
      },
      { variables: { question: 'Sonnet?', rubric: 'Any answer passes.', rubric_3: 'Any answer passes.' } },
    ]);
    expect([linesOf(found.unconverted), linesOf(found.remarks)]).toEqual([
      [
        'tests[2].assert[1] is the opposite of a rubric, which has no check; write the criterion the other way round',
        'tests[2].assert[2] (g-eval) needs a model as a judge',
      ],
      [
        "select-best compares answers, so it comes after the experiment: mcs judge exp_… --pairwise --model sim-sage --max-cost USD --criterion 'Is the reader'\\''s favorite on {topic}'",
        'tests have no {rubric} in 1 of 3 rows, where it is "Any answer passes."',
        'tests have no {rubric_3} in 2 of 3 rows, where it is "Any answer passes."',
        RUBRICS_DIFFER,
      ],
    ]);
  });

  it('need --judge where the service does not have the grader, and another judge than a model', async () => {
    const without = await imported(PER_TEST);
    expect([without.experiments[0]?.checks, linesOf(without.unconverted).length]).toEqual([undefined, 8]);
    expect(linesOf(without.unconverted)[0]).toBe(
      'tests[0].assert[0] (llm-rubric) needs a model as a judge; choose one with --judge',
    );
    const own = await imported(FOR_ALL, { judge: 'claude-haiku-4-5@low' });
    expect(linesOf(own.unconverted)).toEqual([
      'rubrics have the judge claude-haiku-4-5@low, which is among the models, so that the service refuses it; choose another with --judge',
    ]);
  });

  it('of OpenAI are the texts of its graders, with marks for scores', async () => {
    const found = await imported(JSON.stringify(GRADED), { name: 'eval.json' });
    expect([found.rows.length, found.experiments[0]?.checks]).toEqual([
      2,
      [{ type: 'rubric', criterion: LABELS, judge: 'claude-sonnet-4-6' }],
    ]);
    expect(linesOf(found.unconverted)).toEqual([
      'testing_criteria[1] (score_model) needs a model as a judge; choose one with --judge',
    ]);
    const chosen = await imported(JSON.stringify(GRADED), { name: 'eval.json', judge: 'sim-sage' });
    expect(chosen.experiments[0]?.checks).toEqual([
      { type: 'rubric', criterion: LABELS, judge: 'sim-sage' },
      {
        type: 'rubric',
        criterion: 'Rate the summary of {question} from 0 to 10: the answer',
        judge: 'sim-sage',
        scale: 5,
      },
    ]);
    expect([chosen.unconverted, linesOf(chosen.remarks)]).toEqual([
      [],
      [
        'testing_criteria[1].sampling_params is left out with its provider; answers may differ',
        'testing_criteria[1] is a mark from 1 to 5 now; its threshold of 7 is nearest to 4, and decides nothing',
        RUBRICS_DIFFER,
      ],
    ]);
  });

  it('are left out where the rows have no room for them, or their text is too long', async () => {
    const vars = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`v${index}`, 'x']));
    const test = (...values: string[]) => ({ vars, assert: values.map((value) => ({ type: 'llm-rubric', value })) });
    const config = {
      prompts: ['{{v1}}'],
      providers: ['openai:gpt-6-luna'],
      tests: [test('a'), test('b', 'x'.repeat(4001), ' ')],
    };
    expect(linesOf((await imported(JSON.stringify(config), { judge: 'sim-sage' })).unconverted)).toEqual([
      'tests[1].assert[1] has a criterion of 4001 characters; a rubric takes 1 to 4000',
      'tests[1].assert[2] has a criterion of 1 characters; a rubric takes 1 to 4000',
      'tests have different rubrics, and no room for one beside 20 variables; they are left out',
    ]);
  });

  it('in cells of CSV have no threshold', async () => {
    const found = await imported('prompts: ["{{q}}"]\nproviders: [openai:gpt-6-luna]\ntests: file://t.csv\n', {
      judge: 'sim-sage',
      readFile: () => 'q,__expected\na,llm-rubric: is polite\nb,grade: is polite\n',
    });
    expect([found.rows, found.experiments[0]?.checks]).toEqual([
      [{ variables: { q: 'a' } }, { variables: { q: 'b' } }],
      [{ type: 'rubric', criterion: 'is polite', judge: 'sim-sage' }],
    ]);
  });
});
