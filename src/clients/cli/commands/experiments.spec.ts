import stringWidth from 'string-width';
import { CompareError, ConnectionError, type ModelComparison } from '../../client/client';
import type { Context } from '../context';
import { UsageError } from '../exit-codes';
import type { System } from '../system';
import { Terminal } from '../terminal';
import { runExperimentCommand, type RunExperimentOptions } from './experiment-run';
import { changeCommand, comparisonCommand, experimentCommand, experimentsCommand } from './experiments';
import { datasetRowsCommand, datasetsCommand, pushDatasetCommand } from './datasets';

const ID = 'exp_01m81yrb1817fsjxcb5t9e03h1';
const DATASET = 'ds_01m81yrb1817fsjxcb5t9e03h2';
const LONG = 'openrouter/日本語の名前/of-a-vendor-with-a-long-name';
const common = { color: false };

const experiment = {
  experiment_id: ID,
  name: 'tickets',
  state: 'finished',
  reason: null,
  reason_detail: null,
  dataset_id: DATASET,
  models: ['sim-swift', LONG],
  checks: [],
  rows: { total: 300, done: 299, failed: 1, running: 0, waiting: 0 },
  cost_usd: '1.2345',
  max_cost_usd: '4',
  projected_cost_usd: null,
  decision: null,
  created_at: '2026-11-26T15:43:09.711Z',
  finished_at: '2026-11-26T15:53:09.711Z',
  eta_seconds: null,
};
const figures = (model: string, rate: number, ci: [number, number] | null, more: object = {}) => ({
  model,
  rows: 299,
  answered: 299,
  failed: 1,
  coverage: 0.997,
  passed: { rate, ci, method: 'wilson' },
  score: null,
  checks: [],
  latency_ms: { p50: 812, p50_ci: [790, 840], p90: 1401, p90_ci: null, timeouts: 1 },
  cost_usd: { mean: '0.0000254', total: '0.0076' },
  cost_per_passed: { usd: 0.000031, ci: [0.000029, 0.000034] },
  ...more,
});
const pairOf = (metric: string, words: string) => ({ models: ['sim-swift', LONG], metric, words });
const summary = {
  final: true,
  rows: 300,
  models: [figures('sim-swift', 0.83, [0.78, 0.87]), figures(LONG, 0.91, [0.87, 0.94])],
  headline: `${LONG} is better than sim-swift by 8.0 points (2.1 to 13.9) on 299 rows, for rows like these.`,
  pairs: [pairOf('passed', 'The second passes more often.'), pairOf('cost_usd', 'The first costs less.')],
  ranking: {
    metric: 'passed',
    models: [
      { model: LONG, rank: { best: 1, worst: 1 } },
      { model: 'sim-swift', rank: { best: 2, worst: 2 } },
    ],
  },
  recommendation: {
    model: LONG,
    words: `Take ${LONG}: on these rows no other passes more than its 91.0 %, and a passed answer costs $0.000031.`,
  },
  warnings: ['sim-swift does not take the temperature.'],
  judgment: null,
  judged_by: [],
};
const change = {
  rows: 299,
  before: 0.8,
  after: 0.83,
  difference: 0.03,
  ratio: null,
  ci: [-0.01, 0.07],
  p_value: 0.2,
  p_adjusted: 0.2,
  verdict: 'cannot_tell',
};
const comparison = {
  rows: 299,
  unmatched: { count: 1, row_ids: ['x'] },
  models: [
    {
      model: 'sim-swift',
      against_model: 'sim-quill',
      metrics: { passed: change, score: null },
      flips: { gained_count: 12, lost_count: 3 },
      cost_per_passed: { before: { usd: 0.002, ci: null }, after: null },
      verdict: 'cannot_tell',
      words: 'No.',
    },
  ],
  request_changed: ['prompt'],
  verdict: 'cannot_tell',
  words: 'The rows do not show a change.',
};
const answer = (model: string, passed: boolean | null, more: object = {}) => ({
  model,
  output: 'x',
  passed,
  score: null,
  latency_ms: 5,
  cost_usd: '0',
  ...more,
});
const rows = [
  { row_id: 'r1', state: 'done', input: 'France', results: [answer('sim-swift', true), answer(LONG, false)] },
  {
    row_id: 'r2',
    state: 'done',
    input: 'Italy',
    results: [
      answer('sim-swift', true),
      answer('sim-swift', false),
      answer(LONG, null, { error: { code: 'timeout', message: 'Too slow.' } }),
    ],
  },
  { row_id: 'r3', state: 'failed', input: null, results: [answer('sim-swift', null)] },
];
const dataset = {
  dataset_id: DATASET,
  name: 'tickets',
  rows: 300,
  groups: 12,
  columns: ['input', 'expected'],
  created_at: '2026-11-26T15:43:09.711Z',
};
const datasetRows = [
  { no: 0, id: 'r1', group: null, expected: 'Paris', input: 'France', variables: null },
  { no: 1, id: 'r2', group: 'g', expected: null, input: null, variables: { city: 'Rome' } },
];

async function* listed<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

/** A command line whose service answers like this; what is left out does not exist. */
function machine(answers: object = {}, columns?: number) {
  const seen = {
    out: '',
    errors: '',
    calls: [] as unknown[],
    files: {} as Record<string, string>,
    interrupt: () => undefined as void,
    exits: [] as number[],
  };
  const called =
    <T>(name: string, value: T) =>
    (...args: unknown[]) => {
      seen.calls.push([name, ...args]);
      return value;
    };
  const experiments = {
    create: called('create', Promise.resolve({ ...experiment, state: 'running' })),
    estimate: called(
      'estimate',
      Promise.resolve({
        rows: 300,
        calls: 600,
        likely_cost_usd: '0.5',
        most_cost_usd: '5',
        fits_cap: false,
        detectable_difference: 0.06,
      }),
    ),
    get: called('get', Promise.resolve(experiment)),
    wait: called('wait', Promise.resolve(experiment)),
    summary: called('summary', Promise.resolve(summary)),
    comparison: called('comparison', Promise.resolve(comparison)),
    rows: () => listed(rows),
    rowsFile: () => listed(['a,b\r\n']),
    list: () => listed([experiment]),
    change: called('change', Promise.resolve(experiment)),
    resume: called('resume', Promise.resolve(experiment)),
    ...answers,
  };
  const mcs = {
    experiments,
    datasets: {
      create: called('datasets.create', Promise.resolve({ ...dataset, notes: ['"q" is the input.'] })),
      get: async () => dataset,
      list: () => listed([dataset]),
      rows: () => listed(datasetRows),
    },
  };
  const system = {
    environment: {},
    isInputTerminal: true,
    out: {
      isTerminal: columns !== undefined,
      columns: columns ?? 80,
      rows: 24,
      write: (more: string) => {
        seen.out += more;
      },
    },
    errors: {
      isTerminal: false,
      write: (more: string) => {
        seen.errors += more;
      },
    },
    readFile: (path: string) =>
      seen.files[path] ??
      (() => {
        throw Object.assign(new Error(), { code: 'ENOENT' });
      })(),
    readBytes: (path: string) => new TextEncoder().encode(path),
    writeFile: (path: string, text: string) => {
      seen.files[path] = text;
    },
    onInterrupt: (callback: () => void) => {
      seen.interrupt = callback;
      return () => undefined;
    },
    exit: (code: number) => {
      seen.exits.push(code);
    },
  } as unknown as System;
  const context: Context = {
    system,
    terminal: new Terminal(system, false),
    settings: { url: '', apiKey: '' },
    mcs: mcs as unknown as ModelComparison,
  };
  return {
    context,
    seen,
    run: (options: Partial<RunExperimentOptions>, folder?: string) =>
      runExperimentCommand(context, folder, { ...common, ...options }),
  };
}

const ASKED = { dataset: DATASET, prompt: '{input}', models: ['sim-swift', LONG], maxCost: '4' };
const namesOf = (calls: unknown[]) => calls.map((call) => (call as [string])[0]);
const ended = (more: object) => ({ wait: async () => ({ ...experiment, ...more }) });

describe.each<[string, (context: Context) => Promise<number>]>([
  ['experiment', (context) => experimentCommand(context, ID, common)],
  ['experiment --rows', (context) => experimentCommand(context, ID, { ...common, rows: true })],
  ['experiments', (context) => experimentsCommand(context, { ...common, number: '20' })],
  ['comparison', (context) => comparisonCommand(context, ID, 'exp_2', common)],
  ['datasets', (context) => datasetsCommand(context, { ...common, number: '20' })],
  ['datasets rows', (context) => datasetRowsCommand(context, DATASET, { ...common, number: '20' })],
])('mcs %s', (_name, command) => {
  it('has not changed on a terminal of 80 columns', async () => {
    const { context, seen } = machine({}, 80);
    await command(context);
    expect(`\n${seen.out}`).toMatchSnapshot();
  });

  it.each([40, 80, 200])('fits a terminal of %s columns', async (columns) => {
    const { context, seen } = machine({}, columns);
    expect(await command(context)).toBe(0);
    for (const line of seen.out.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('prints lines of as many cells into a pipe', async () => {
    const { context, seen } = machine();
    await command(context);
    expect(`\n${seen.out}`).toMatchSnapshot();
    expect(
      new Set(
        seen.out
          .slice(0, -1)
          .split('\n')
          .map((line) => line.split('\t').length),
      ).size,
    ).toBe(1);
  });
});

describe('mcs experiment run', () => {
  it.each<[string, Partial<RunExperimentOptions>]>([
    ['Set a cap', { ...ASKED, maxCost: undefined }],
    ['--max-cost must be a number', { ...ASKED, maxCost: '-1' }],
    ['Pass the prompt', { ...ASKED, prompt: undefined }],
    ['Choose --prompt or --file', { ...ASKED, file: 'x' }],
    ['Name a folder', { ...ASKED, dataset: undefined }],
    ['Choose the models', { ...ASKED, models: [''] }],
    ['--fail-on must be worse or cannot-tell', { ...ASKED, against: 'exp_2', failOn: 'better' }],
    ['--fail-on needs --against', { ...ASKED, failOn: 'worse' }],
    ['from 0 to 1', { ...ASKED, minPass: ['90'] }],
    ['--min-pass must be a number', { ...ASKED, minPass: ['sim-swift='] }],
    ['which is not in this experiment', { ...ASKED, minPass: ['sim-sage=0.9'] }],
  ])('starts nothing if it says: %s', async (sentence, options) => {
    const { run, seen } = machine();
    const error: unknown = await run(options).catch((thrown: unknown) => thrown);
    expect([error instanceof UsageError, (error as Error).message]).toEqual([true, expect.stringContaining(sentence)]);
    expect(seen.calls).toEqual([]);
  });

  it('starts nothing without the earlier experiment, or if the test cases cannot be written', async () => {
    const missing = machine({
      get: async () => {
        throw new CompareError('No.', { code: 'not_found', status: 404 });
      },
    });
    await expect(missing.run({ ...ASKED, against: 'exp_2' })).rejects.toMatchObject({ code: 'not_found' });
    const full = machine();
    full.context.system.writeFile = () => {
      throw Object.assign(new Error(), { code: 'EACCES' });
    };
    await expect(full.run({ ...ASKED, junit: 'x.xml' })).rejects.toThrow('The file x.xml cannot be written (EACCES).');
    expect([missing.seen.calls, full.seen.calls]).toEqual([[], []]);
  });

  it('says the estimate, starts, and prints the id', async () => {
    const { run, seen } = machine();
    expect(
      await run({ ...ASKED, samples: '3', limit: '300', parallel: '4', name: 'n', check: ['contains={expected}'] }),
    ).toBe(0);
    expect([seen.out, seen.errors]).toEqual([
      `${ID}\n`,
      `300 rows, 600 calls: at most $5; a guess is $0.50, with answers half as long as allowed; the cap may end it before the last row.\nDifferences of less than 6.0 points will probably not show.\nThe service runs it. To wait for it: mcs experiment ${ID} --wait\n`,
    ]);
    const body = {
      name: 'n',
      dataset: DATASET,
      limit: 300,
      prompt: '{input}',
      models: ['sim-swift', LONG],
      options: { samples: 3 },
      checks: [{ type: 'contains', values: ['{expected}'] }],
      parallel: 4,
      max_cost_usd: 4,
    };
    expect(seen.calls).toEqual([
      ['estimate', body, expect.anything()],
      ['create', body, { idempotencyKey: undefined }],
    ]);
  });

  it('names words in braces that no column fills', async () => {
    const { run, seen } = machine();
    await run({ ...ASKED, prompt: '{input} {expected} {inptu} {inptu} { "a": 1 }' });
    expect(seen.errors).toMatch(/^The prompt keeps \{expected\}, \{inptu\}: the data set has no such variable\.\n/);
  });

  it('takes the earlier turns of a file, also with words in braces that no column fills', async () => {
    const { run, seen } = machine();
    const history = [{ role: 'user', content: '{input} {nmae}' }];
    seen.files['turns.json'] = JSON.stringify(history);
    expect(await run({ ...ASKED, history: 'turns.json' })).toBe(0);
    expect(seen.calls).toContainEqual(['create', expect.objectContaining({ options: { history } }), expect.anything()]);
    expect(seen.errors).toMatch(/^The prompt keeps \{nmae\}: /);
  });

  it('starts where no estimate comes in time', async () => {
    const { run, seen } = machine({
      estimate: async () => {
        throw new ConnectionError('No.', { code: 'connection_failed' });
      },
    });
    expect([await run(ASKED), seen.out]).toEqual([0, `${ID}\n`]);
  });

  it('takes a folder: stores its data set, and lets options win over experiment.json', async () => {
    const { run, seen } = machine();
    seen.files['t/experiment.json'] = JSON.stringify({
      name: 'tickets',
      prompt: 'P {input}',
      models: ['a'],
      options: { system: 's', samples: 2, history: [{ role: 'user', content: 'Hi' }] },
      checks: [{ type: 'finished' }],
      parallel: 3,
      max_cost_usd: 99,
    });
    expect(await run({ maxCost: '4', samples: '3', models: ['b'], check: ['length=..5'] }, 't')).toBe(0);
    expect(seen.calls).toEqual([
      ['datasets.create', new TextEncoder().encode('t/dataset.jsonl'), { name: 'tickets', format: 'jsonl' }],
      ['estimate', expect.anything(), expect.anything()],
      [
        'create',
        {
          name: 'tickets',
          dataset: DATASET,
          prompt: 'P {input}',
          models: ['b'],
          options: { system: 's', samples: 3, history: [{ role: 'user', content: 'Hi' }] },
          checks: [{ type: 'finished' }, { type: 'length', max: 5 }],
          parallel: 3,
          max_cost_usd: 4,
        },
        { idempotencyKey: undefined },
      ],
    ]);
    seen.files['t/experiment.json'] = '[]';
    await expect(run({ maxCost: '4' }, 't')).rejects.toThrow('t/experiment.json must contain a JSON object.');
    await expect(run({ maxCost: '4' }, 'u')).rejects.toThrow('There is no file u/experiment.json.');
  });

  it.each([
    ['dataset-2.jsonl', 'dataset-2.jsonl'],
    ['ds_1', 'dataset.jsonl'],
    ['../other.jsonl', 'dataset.jsonl'],
  ])('takes the file of the folder that experiment.json names as its data set: %s', async (dataset, file) => {
    const { run, seen } = machine();
    seen.files['t/experiment-2.json'] = JSON.stringify({ name: 'n', prompt: 'P', models: ['a'], dataset });
    expect(await run({ maxCost: '4', spec: 'experiment-2.json' }, 't')).toBe(0);
    expect([seen.calls[0], (seen.calls[2] as unknown[])[1]]).toEqual([
      ['datasets.create', new TextEncoder().encode(`t/${file}`), { name: 'n', format: 'jsonl' }],
      expect.objectContaining({ dataset: DATASET }),
    ]);
  });
});

describe('The end of an experiment', () => {
  const low = {
    summary: async () => ({ ...summary, models: [figures('sim-swift', 0.9, null), figures(LONG, 0.91, [0.87, 0.94])] }),
  };
  const verdict = (name: string | null) => ({ comparison: async () => ({ ...comparison, verdict: name }) });
  const incomparable = {
    comparison: async () => {
      throw new CompareError('None.', { code: 'not_comparable', status: 409 });
    },
  };

  it.each<[number, string, object, Partial<RunExperimentOptions>]>([
    [0, 'is good', {}, { wait: true }],
    [0, 'is above every bound', {}, { minPass: ['0.78', `${LONG}=0.87`] }],
    [9, 'may be below a bound', {}, { minPass: ['0.781'] }],
    [9, 'may be below the bound of its model', {}, { minPass: [`${LONG}=0.88`] }],
    [0, 'is judged by the named model only', {}, { minPass: [`${LONG}=0.8`] }],
    [9, 'has a rate without an interval', low, { minPass: ['sim-swift=0.1'] }],
    [
      9,
      'has no rate',
      { summary: async () => ({ ...summary, models: [figures('sim-swift', 0, null, { passed: null })] }) },
      { minPass: ['0'] },
    ],
    [9, 'is worse', verdict('worse'), { against: 'exp_2' }],
    [9, 'is worse', verdict('worse'), { against: 'exp_2', failOn: 'cannot-tell' }],
    [0, 'is not worse', verdict('not_worse'), { against: 'exp_2', failOn: 'cannot-tell' }],
    [0, 'is better', verdict('better'), { against: 'exp_2', failOn: 'cannot-tell' }],
    [0, 'is not known to be worse', {}, { against: 'exp_2', failOn: 'worse' }],
    [10, 'is not known to be worse, which is asked for', {}, { against: 'exp_2', failOn: 'cannot-tell' }],
    [0, 'recommends the required model', {}, { requireRecommended: LONG }],
    [9, 'recommends another model', {}, { requireRecommended: 'sim-swift' }],
    [
      9,
      'recommends none',
      { summary: async () => ({ ...summary, recommendation: { model: null, words: 'None.' } }) },
      { requireRecommended: LONG },
    ],
    [10, 'is not tested', verdict(null), { against: 'exp_2', failOn: 'cannot-tell' }],
    [10, 'has no common row', incomparable, { against: 'exp_2' }],
    [9, 'has no common row and is below a bound', incomparable, { against: 'exp_2', minPass: ['0.9'] }],
    [
      5,
      'is the cap',
      { ...ended({ state: 'paused', reason: 'cap_reached' }), ...verdict('worse') },
      { against: 'exp_2', minPass: ['1'] },
    ],
    [5, 'is a pause', ended({ state: 'paused', reason: 'by_user' }), { wait: true }],
    // eslint-disable-next-line local/plain-words -- the word of the interface
    [1, 'was early', ended({ state: 'cancelled' }), { wait: true }],
    [3, 'has no answer', ended({ rows: { ...experiment.rows, done: 0, failed: 300 } }), { wait: true }],
  ])('gives %i if it %s', async (code, _name, answers, options) => {
    const { run, seen } = machine(answers);
    expect(await run({ ...ASKED, ...options })).toBe(code);
    expect(seen.errors.trimEnd().split('\n').length).toBeGreaterThan(code === 0 ? 0 : 3);
  });

  it('says how to go on after a pause', async () => {
    const { run, seen } = machine(
      ended({ state: 'paused', reason: 'cap_reached', reason_detail: 'The cap is reached.' }),
    );
    await run({ ...ASKED, wait: true });
    expect(seen.errors).toContain(
      `The experiment paused before its end: The cap is reached. To go on: mcs experiment resume ${ID} --max-cost USD\n`,
    );
  });

  it('prints its figures into a pipe and its words beside, or all as JSON', async () => {
    const piped = machine();
    await piped.run({ ...ASKED, against: 'exp_2' });
    expect(piped.seen.out.split('\n').map((line) => line.split('\t')[0])).toEqual(['model', LONG, 'sim-swift', '']);
    expect(piped.seen.errors).toContain(`${summary.recommendation.words}\n${summary.headline}\n${comparison.words}\n`);
    const { run, seen } = machine();
    await run({ ...ASKED, wait: true, json: true });
    expect(JSON.parse(seen.out)).toMatchObject({
      experiment: { experiment_id: ID, cost_usd: 1.2345 },
      summary: { headline: summary.headline },
    });
  });

  it('is written as test cases', async () => {
    const { run, seen } = machine({
      wait: async () => {
        expect(seen.files['rows.xml']).toContain('<testsuites/>');
        return experiment;
      },
    });
    await run({ ...ASKED, junit: 'rows.xml' });
    expect(seen.files['rows.xml']?.match(/<testsuite .*>/g)).toEqual([
      '<testsuite name="sim-swift" tests="3" failures="1" errors="0" skipped="1">',
      `<testsuite name="${LONG}" tests="3" failures="1" errors="1" skipped="1">`,
    ]);
  });
});

describe('Waiting for an experiment', () => {
  type Progress = { signal: AbortSignal; onProgress: (latest: object) => void };
  const at = (done: number, more: object = {}) => ({
    ...experiment,
    rows: { ...experiment.rows, done, failed: 0 },
    ...more,
  });

  it('leaves it running after Ctrl C, and exits at once after the second', async () => {
    const { context, seen } = machine({
      wait: (_id: string, { signal }: Progress) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    const code = experimentCommand(context, ID, { ...common, wait: true });
    await new Promise(setImmediate);
    seen.interrupt();
    expect([await code, seen.errors]).toEqual([
      130,
      `Stopped watching. The experiment continues. To look again: mcs experiment ${ID} --wait, to end it: mcs experiment cancel ${ID}\n`,
    ]);
    seen.interrupt();
    expect([seen.exits, namesOf(seen.calls)]).toEqual([[130], ['get']]);
  });

  it('says how to look again when the service is gone', async () => {
    const { context, seen } = machine({
      wait: async () => {
        throw new ConnectionError('Gone.', { code: 'connection_failed' });
      },
    });
    await expect(experimentCommand(context, ID, { ...common, wait: true })).rejects.toThrow('Gone.');
    expect(seen.errors).toContain(`mcs experiment ${ID} --wait`);
  });

  const watched = {
    wait: async (_id: string, { onProgress }: Progress) => {
      for (const done of [0, 1, 29, 30, 31, 300]) onProgress(at(done, { eta_seconds: done === 30 ? 300 : null }));
      return experiment;
    },
  };

  it('prints a line for each tenth without a terminal', async () => {
    const { context, seen } = machine(watched);
    await experimentCommand(context, ID, { ...common, wait: true });
    expect(seen.errors.split('\n').slice(0, 3)).toEqual([
      '0 of 300 rows · $1.23 of $4',
      '30 of 300 rows · $1.23 of $4 · 5 min left',
      '300 of 300 rows · $1.23 of $4',
    ]);
  });

  it.each([10, 70])('draws a bar on a terminal of %i columns, no wider than it', async (columns) => {
    const { context, seen } = machine(watched, columns);
    await experimentCommand(context, ID, { ...common, wait: true });
    const bars = seen.out.split('\n').filter((line) => line.includes('█') || line.includes('░'));
    expect(bars).toHaveLength(6);
    for (const bar of bars) expect(stringWidth(bar)).toBeLessThan(columns);
    if (columns === 70)
      expect(bars[3]).toBe('\u001b[1A\u001b[J██░░░░░░░░░░░░░░░░░░ 30 of 300 rows · $1.23 of $4 · 5 min left');
  });
});

describe('The other commands of experiments', () => {
  it('change the cap with the state', async () => {
    const { context, seen } = machine();
    await changeCommand(context, ID, 'resume', { ...common, maxCost: '8' });
    await changeCommand(context, ID, 'retry', { ...common, missing: true, maxCost: '8' });
    await changeCommand(context, ID, 'retry', common);
    expect(seen.calls).toEqual([
      ['resume', ID, { maxCostUsd: 8 }],
      ['change', ID, { retry: 'missing', max_cost_usd: 8 }],
      ['change', ID, { retry: 'failed' }],
    ]);
  });

  it('say that the rows of a retry wait while the experiment is paused', async () => {
    const { context, seen } = machine({
      change: async () => ({
        ...experiment,
        state: 'paused',
        reason: 'by_user',
        rows: { ...experiment.rows, running: 1, waiting: 2 },
      }),
    });
    await changeCommand(context, ID, 'retry', common);
    expect([seen.errors, seen.out]).toEqual([
      `The rows wait until the experiment goes on: mcs experiment resume ${ID}\n`,
      expect.stringMatching(/running\t1 row\nwaiting\t2 rows\n/),
    ]);
  });

  it.each<[string, object]>([
    ['--format must be', { rows: true, format: 'xml' }],
    ['--state must be done, failed, missing or differing', { rows: true, state: 'all' }],
    ['need --rows', { format: 'csv' }],
  ])('refuse: %s', async (sentence, options) => {
    await expect(experimentCommand(machine().context, ID, { ...common, ...options })).rejects.toThrow(sentence);
  });

  it('print rows as the service writes them', async () => {
    const { context, seen } = machine();
    await experimentCommand(context, ID, { ...common, rows: true, format: 'csv' });
    expect(seen.out).toBe('a,b\r\n');
  });

  it.each([
    ['a/tickets.csv', 'csv', 'tickets.csv'],
    ['t.JSON', 'json', 't.JSON'],
    ['rows.txt', undefined, 'rows.txt'],
  ])('store %s', async (file, format, name) => {
    const { context, seen } = machine();
    await pushDatasetCommand(context, file, { ...common, input: 'q', skip: ['a', 'b c'] });
    expect(seen.calls).toEqual([
      ['datasets.create', new TextEncoder().encode(file), { name, input: 'q', skip: 'a,b c', format }],
    ]);
    expect([seen.out, seen.errors]).toEqual([
      `${DATASET}\n`,
      '300 rows in 12 groups, with input, expected.\n"q" is the input.\n',
    ]);
  });
});
