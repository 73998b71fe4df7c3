import stringWidth from 'string-width';
import type { ModelComparison } from '../../client/client';
import type { Context } from '../context';
import { UsageError } from '../exit-codes';
import { printSummary } from '../summary';
import type { System } from '../system';
import { Terminal } from '../terminal';
import { runExperimentCommand } from './experiment-run';
import { judgeCommand, voteCommand, type JudgeCommandOptions } from './judge';

const [OF, ID] = ['exp_01m81yrb1817fsjxcb5t9e03h1', 'exp_01m81yrb1817fsjxcb5t9e03h9'];
const SIM: JudgeCommandOptions = { color: false, model: ['sim-sage'], criterion: 'It is polite.', maxCost: '2' };
const share = (rate: number) => ({ rate, ci: [rate - 0.04, rate + 0.03] });
const judgeOf = (model: string, more: object = {}) => ({
  model,
  verdicts: 1788,
  unreadable: 12,
  order_consistency: share(0.81),
  flipped: 170,
  first_won: share(0.63),
  position_biased: true,
  longer_won: null,
  decoys: 5,
  decoys_passed: 1,
  gullible: true,
  agreement: { with_judges: null, with_people: null },
  ...more,
});
const judged = {
  experiment_id: ID,
  name: 'polite',
  models: ['sim-sage'],
  state: 'running',
  judged: [],
  headline: null,
};
const summary = {
  headline: 'sim-swift and sim-quill cannot be told apart.',
  recommendation: null,
  models: [],
  pairs: [],
  ranking: null,
  warnings: [],
  judged_by: [],
  judgment: {
    cautions: ['sim-sage passed 1 of 5 decoys, so answers can deceive it.'],
    judges: [
      judgeOf('sim-sage'),
      judgeOf('openrouter/a-judge-with-a-long-name', {
        agreement: { with_judges: 0.7, with_people: { kappa: 0.71, accuracy: 0.86, ci: [0.78, 0.92], labels: 40 } },
      }),
    ],
    people: {
      corrected: [{ models: ['sim-swift', 'sim-quill'], rate: 0.61, ci: [0.5, 0.7], labels: 40, as_if_labels: 83 }],
    },
  },
};
const experiment = {
  experiment_id: ID,
  name: null,
  state: 'finished',
  models: ['sim-sage'],
  checks: [],
  rows: { done: 600, total: 600 },
};

function machine({ columns, answer, isInput = true }: { columns?: number; answer?: string; isInput?: boolean } = {}) {
  const seen = { out: '', errors: '', asked: [] as string[], calls: [] as unknown[][] };
  const writer = (name: 'out' | 'errors') => ({
    isTerminal: name === 'out' && columns !== undefined,
    columns: columns ?? 80,
    rows: 24,
    write: (text: string) => {
      seen[name] += text;
    },
  });
  const system = {
    environment: {},
    isInputTerminal: isInput,
    out: writer('out'),
    errors: writer('errors'),
    ask: (question: string) => {
      seen.asked.push(question);
      return Promise.resolve(answer);
    },
    onInterrupt: () => () => undefined,
  } as unknown as System;
  const called =
    (name: string, value: unknown) =>
    (...args: unknown[]) => {
      seen.calls.push([name, ...args]);
      return Promise.resolve(value);
    };
  const estimate = {
    rows: 608,
    calls: 608,
    likely_cost_usd: '0.5',
    most_cost_usd: '1.5',
    fits_cap: true,
    detectable_difference: null,
  };
  const mcs = {
    datasets: { get: () => Promise.resolve({ dataset_id: 'ds_1', columns: ['input'] }) },
    experiments: {
      estimate: called('estimate', estimate),
      judge: called('judge', experiment),
      create: called('create', experiment),
      wait: called('wait', experiment),
      summary: called('summary', summary),
    },
  } as unknown as ModelComparison;
  const settings = { url: 'http://service.test', apiKey: '' };
  const context: Context = { system, terminal: new Terminal(system, false), settings, mcs };
  return { seen, context };
}

describe('mcs judge', () => {
  it('says the price, asks, starts, and follows to the summary', async () => {
    const { seen, context } = machine({ answer: 'y' });
    expect(await judgeCommand(context, OF, { ...SIM, name: 'polite', scale: '5', rows: '200' })).toBe(0);
    const judge = { kind: 'rubric', models: ['sim-sage'], criterion: 'It is polite.', scale: 5, rows: 200 };
    expect(seen.calls.map(([name, ...args]) => [name, ...args.slice(0, name === 'judge' ? 2 : 1)])).toEqual([
      ['estimate', { judge: { of: OF, ...judge }, max_cost_usd: 2 }],
      ['judge', OF, { ...judge, maxCostUsd: 2, name: 'polite' }],
      ['wait', ID],
      ['summary', ID],
    ]);
    expect([seen.asked, seen.errors]).toEqual([
      ['Start it with a cap of $2? [y/N] '],
      `608 rows, 608 calls: at most $1.50; a guess is $0.50, with answers half as long as allowed.\nExperiment ${ID}\n${summary.headline}\n! ${summary.judgment.cautions[0]}\n`,
    ]);
  });

  it('compares pairs with a baseline, and asks nothing with --yes', async () => {
    const { seen, context } = machine({ isInput: false });
    const options = {
      ...SIM,
      model: ['sim-sage,sim-titan', 'sim-sage'],
      pairwise: true,
      baseline: 'sim-swift',
      yes: true,
    };
    expect(await judgeCommand(context, OF, options)).toBe(0);
    expect([seen.asked, seen.calls[1]?.[2]]).toEqual([
      [],
      {
        kind: 'pairwise',
        models: ['sim-sage', 'sim-titan'],
        criterion: 'It is polite.',
        baseline: 'sim-swift',
        maxCostUsd: 2,
      },
    ]);
  });

  it.each<[number, string | undefined]>([
    [1, 'n'],
    [130, undefined],
  ])('ends with %i and starts nothing where the answer is %p', async (code, answer) => {
    const { seen, context } = machine(answer === undefined ? {} : { answer });
    expect([await judgeCommand(context, OF, SIM), seen.calls.length]).toEqual([code, 1]);
  });

  it.each<[string, Partial<Record<keyof JudgeCommandOptions, unknown>>]>([
    ['Say with --criterion', { criterion: undefined }],
    ['Set a cap with --max-cost', { maxCost: undefined }],
    ['Choose 1 to 3 judges', { model: undefined }],
    ['Choose --rubric or --pairwise', { rubric: true, pairwise: true }],
    ['--scale must be 5', { scale: '7' }],
    ['--rows must be a number', { rows: 'x' }],
  ])('sends nothing if it says: %s', async (sentence, options) => {
    const { seen, context } = machine();
    const call = judgeCommand(context, OF, { ...SIM, ...options } as JudgeCommandOptions);
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    expect([error instanceof UsageError, (error as Error).message]).toEqual([true, expect.stringContaining(sentence)]);
    expect(seen.calls).toEqual([]);
  });

  it('needs --yes without a terminal', async () => {
    const { context } = machine({ isInput: false });
    await expect(judgeCommand(context, OF, SIM)).rejects.toThrow('Judges cost money. Confirm it with --yes.');
  });
});

it('mcs vote prints the address of the page, and who can vote there', async () => {
  const { seen, context } = machine();
  expect([await voteCommand(context, ID), seen.out, seen.errors]).toEqual([
    0,
    `http://service.test/experiments/${ID}/vote\n`,
    `Only people with a key of this user can vote there. A link for other voters: mcs share ${ID} --votes\n`,
  ]);
});

describe('mcs experiment run --rubric', () => {
  const asked = { color: false, dataset: 'ds_1', prompt: '{input}', models: ['sim-swift'], maxCost: '4' };

  it('adds a check for each criterion', async () => {
    const { seen, context } = machine();
    await runExperimentCommand(context, undefined, {
      ...asked,
      rubric: ['a', 'b'],
      judge: 'sim-sage',
      check: ['finished'],
    });
    const rubric = { type: 'rubric', judge: 'sim-sage' };
    expect(seen.calls[1]?.[1]).toMatchObject({
      checks: [{ type: 'finished' }, { ...rubric, criterion: 'a' }, { ...rubric, criterion: 'b' }],
    });
  });

  it.each([
    ['--rubric needs --judge', { rubric: ['a'] }],
    ['--judge needs --rubric', { judge: 'sim-sage' }],
  ])('sends nothing if it says: %s', async (sentence, options) => {
    const { seen, context } = machine();
    await expect(runExperimentCommand(context, undefined, { ...asked, ...options })).rejects.toThrow(sentence);
    expect(seen.calls).toEqual([]);
  });
});

describe('The summary of judges', () => {
  const printed = (columns: number, given: object = summary) => {
    const { seen, context } = machine({ columns });
    printSummary(context.terminal, given as never);
    return seen.out;
  };

  it('has the cautions, a line for each judge, and corrected rates', () => {
    expect(`\n${printed(160)}`).toMatchSnapshot();
  });

  it.each([40, 80, 200])('fits a terminal of %s columns', (columns) => {
    for (const line of printed(columns).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('is a line of the experiment that they judged', () => {
    const ended = { ...judged, name: null, headline: 'sim-swift is better.' };
    expect(printed(160, { ...summary, judgment: null, judged_by: [judged, ended] })).toContain(
      `Judged by sim-sage (polite): running; mcs experiment ${ID} shows it.\nJudged by sim-sage (${ID}): sim-swift is better.\n`,
    );
  });
});
