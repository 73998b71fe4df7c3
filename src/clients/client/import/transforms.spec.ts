import type { ImportedExperiment, ImportOptions } from '../types';
import { convertExport } from './convert';

const imported = (config: unknown, options: ImportOptions = {}) =>
  convertExport(JSON.stringify(config), { name: 'config.json', models: ['m'], ...options });
const problemsOf = ({ unconverted }: ImportedExperiment) =>
  unconverted.map(({ place, problem }) => `${place} ${problem}`);

/** One test with this assertion. */
async function checksOf(assertion: object): Promise<{ checks: unknown; problems: string[] }> {
  const found = await imported({
    prompts: ['{{q}}'],
    tests: [{ vars: { q: 'x', city: 'Paris' }, assert: [assertion] }],
  });
  return { checks: found.rows[0]?.checks, problems: problemsOf(found) };
}

describe('An assertion on changed answers', () => {
  it.each<[object, string]>([
    [{ type: 'equals', value: 5, transform: 'output.length' }, 'has a transform without a counterpart'],
    [{ type: 'contains', value: 'a', contextTransform: 'x' }, 'has contextTransform, which has no counterpart'],
    [{ type: 'equals', value: 'Paris', transform: 'output.toLowerCase()' }, 'has a variable, capitals or white space'],
    [{ type: 'equals', value: '{{city}}', transform: 'output.trim()' }, 'has a variable, capitals or white space'],
    [{ type: 'regex', value: '^a', transform: 'output.trim()' }, 'has a transform that its check cannot make'],
    [{ type: 'contains', value: ' a', transform: 'output.trim()' }, 'has a variable, capitals or white space'],
    [{ type: 'not-equals', value: 'a', transform: 'JSON.parse(output).x' }, 'has a path into JSON'],
    [{ type: 'equals', value: '{{city}}', transform: 'JSON.parse(output).x' }, 'has a path into JSON'],
    [{ type: 'contains', value: 'a', transform: 'JSON.parse(output).x' }, 'has a path into JSON'],
    [{ type: 'is-json', transform: 'output.toLowerCase()' }, 'has a transform that its check cannot make'],
  ])('is left out with its transform: %j', async (assertion, problem) => {
    const { checks, problems } = await checksOf(assertion);
    expect([checks, problems.length, problems[0]]).toEqual([
      undefined,
      1,
      expect.stringContaining(`tests[0].assert[0] ${problem}`),
    ]);
  });

  it.each<[object, object]>([
    [
      { type: 'equals', value: 'a', transform: 'output.trim()' },
      { type: 'equals', value: 'a', trim: true },
    ],
    [
      { type: 'equals', value: 'a', transform: 'output.toLowerCase()' },
      { type: 'equals', value: 'a', trim: false, ignore_case: true },
    ],
    [
      { type: 'not-contains', value: 'a', transform: 'output.trim().toLowerCase()' },
      { type: 'contains', values: ['a'], ignore_case: true, not: true },
    ],
    [
      { type: 'word-count', value: 5, transform: 'output.trim()' },
      { type: 'length', unit: 'words', min: 5, max: 5 },
    ],
    [
      { type: 'equals', value: 5, transform: 'JSON.parse(output).a.b', weight: 2 },
      {
        type: 'json',
        schema: {
          type: 'object',
          required: ['a'],
          properties: { a: { type: 'object', required: ['b'], properties: { b: { enum: ['5', 5] } } } },
        },
        allow_fence: false,
        weight: 2,
      },
    ],
    [
      { type: 'equals', value: '007', transform: 'JSON.parse(output).a' },
      {
        type: 'json',
        schema: { type: 'object', required: ['a'], properties: { a: { enum: ['007'] } } },
        allow_fence: false,
      },
    ],
    [
      { type: 'latency', threshold: 5, transform: 'output.length' },
      { type: 'latency', max_ms: 5 },
    ],
  ])('makes the transform itself where it can: %j', async (assertion, check) => {
    const { checks, problems } = await checksOf(assertion);
    expect([checks, problems]).toEqual([[check], []]);
  });

  it.each<[string, object, object]>([
    ['of the test', {}, { options: { transform: 'output.length' } }],
    ['of all tests', { defaultTest: { options: { transform: 'output.length' } } }, {}],
    ['of a provider', { providers: [{ id: 'openai:gpt-6-luna', transform: 'output.length' }] }, {}],
    ['of old name', {}, { options: { postprocess: 'output.length' } }],
  ])('is left out with the transform %s, which is listed once, unless it looks at no text', async (_, config, test) => {
    const found = await imported({
      prompts: ['{{q}}'],
      ...config,
      tests: [
        {
          vars: { q: 'x' },
          ...test,
          assert: [
            { type: 'equals', value: 5 },
            { type: 'regex', value: 'a' },
            { type: 'cost', threshold: 1 },
          ],
        },
      ],
    });
    expect([found.rows[0]?.checks, found.unconverted.map(({ problem }) => problem)]).toEqual([
      [{ type: 'cost', max_usd: 1 }],
      ['has no counterpart; the checks that it changes are left out with it'],
    ]);
  });

  it('of all tests is a check of each row where one test has another transform', async () => {
    const found = await imported({
      prompts: ['{{q}}'],
      defaultTest: { assert: [{ type: 'equals', value: 'a' }] },
      tests: [
        { vars: { q: 'x' }, options: { transform: 'output.trim()' } },
        { vars: { q: 'y' } },
        { vars: { q: 'z' }, options: { transform: 'output[0]' } },
      ],
    });
    expect([found.experiments[0]?.checks, found.rows.map(({ checks }) => checks)]).toEqual([
      undefined,
      [[{ type: 'equals', value: 'a', trim: true }], [{ type: 'equals', value: 'a', trim: false }], undefined],
    ]);
    expect(problemsOf(found)).toEqual([
      'tests[2].options.transform has no counterpart; the checks that it changes are left out with it',
    ]);
  });

  it.each<[unknown, number, boolean]>([
    [1, 2, true],
    [0.5, 1, true],
    [0.5, 2, false],
    [0, 1, false],
    ['0.5', 2, false],
  ])('counts alone: a threshold of %j over %i assertions keeps the checks: %j', async (threshold, count, isKept) => {
    const found = await imported({
      prompts: ['{{q}}'],
      tests: [{ vars: { q: 'x' }, threshold, assert: Array(count).fill({ type: 'cost', threshold: 1 }) }],
    });
    expect([found.rows[0]?.checks?.length ?? 0, found.unconverted.map(({ place }) => place)]).toEqual(
      isKept ? [count, []] : [0, ['tests[0].threshold']],
    );
  });

  it.each<[string, string[], unknown[]]>([
    ['__prefix', ['t.csv[0].vars change by prefix, which has no counterpart; the row is left out'], []],
    ['__suffix', ['t.csv[0].vars change by suffix, which has no counterpart; the row is left out'], []],
    [
      '__threshold',
      ['t.csv[0].threshold has no counterpart; the checks that it changes are left out with it'],
      [undefined],
    ],
    [
      '__config:__expected1:threshold',
      [
        't.csv[0].assert[0] has config, which has no counterpart; the check is left out with it',
        't.csv[0].assert[1] has config, which has no counterpart; the check is left out with it',
      ],
      [undefined],
    ],
    [
      '__metadata:source',
      [],
      [
        [
          { type: 'equals', value: 'a', trim: false },
          { type: 'contains', values: ['b'] },
        ],
      ],
    ],
  ])('in a cell of CSV beside %s', async (column, problems, checks) => {
    const found = await imported(
      { prompts: ['{{q}}'], tests: 't.csv' },
      { readFile: () => `q,__expected,__expected2,${column}\nx,a,contains: b,0.5\n` },
    );
    expect([problemsOf(found), found.rows.map((row) => row.checks)]).toEqual([problems, checks]);
  });
});
