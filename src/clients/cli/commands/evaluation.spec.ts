import stringWidth from 'string-width';
import type { ModelComparison } from '../../client/client';
import type { Context } from '../context';
import type { System } from '../system';
import { Terminal } from '../terminal';
import { agreementCommand } from './agreement';
import { driftCommand } from './drift';
import { projectionCommand } from './projection';
import { runsCommand } from './runs';
import { sharesCommand } from './share';

const LONG = 'openrouter/日本語の名前/of-a-vendor-with-a-long-name';
const ID = '01m81yrb1817fsjxcb5t9e03h1';
const common = { color: false };

const pair = (agree: number, similarity: number) => ({ agree, similarity });
const agreement = {
  eval_id: `eval_${ID}`,
  models: ['sim-swift', LONG, 'sim-titan'],
  groups: [['sim-swift', LONG]],
  consensus: { models: ['sim-swift', LONG], share: 0.996, output: 'Yes' },
  matrix: [
    [pair(1, 1), pair(0.996, 0.998), null],
    [pair(0.996, 0.998), pair(0.004, 0.5), null],
    [null, null, null],
  ],
};
const change = <T>(before: T, after: T) => ({ before, after, change: null });
const setting = (before: string, after: string) => ({ before, after, changed: before !== after });
const names = (before: string[], after: string[]) => ({
  before,
  after,
  changed: before.length > 0 && before.join() !== after.join(),
});
const drifted = {
  model: LONG,
  output: 'changed',
  similarity: 0.796,
  latency_ms: change(53.4, 120),
  cost_usd: change('0.0000254', '0.000051'),
  input_tokens: change(5, 5),
  output_tokens: change(40.6667, 41),
  checks: { improved: ['short'], regressed: ['polite', 'json'] },
  vendor_model: setting('swift-1', 'swift-2'),
  answered_by: names(['swift-2026-10-01'], ['swift-2026-10-01', 'swift-2026-11-20']),
  applied: { changed: true },
  prices: { changed: true },
  because: 'It was slower in 6 of 6 rounds.',
};
const steady = {
  model: 'sim-titan',
  output: null,
  similarity: null,
  latency_ms: change(null, 70),
  cost_usd: change(null, null),
  input_tokens: change(null, null),
  output_tokens: change(null, null),
  checks: null,
  vendor_model: setting('titan', 'titan'),
  answered_by: names([], ['titan']),
  applied: { changed: false },
  prices: { changed: false },
  because: 'One answer cannot tell.',
};
const drift = {
  eval_id: 'eval_2',
  against: 'eval_1',
  request_changed: ['prompt', 'options.temperature'],
  models: [drifted, steady],
  only_before: ['sim-sage'],
  only_after: ['sim-quill', 'sim-swift'],
};
const month = (from: string, ci: [string, string] | null) => ({
  from,
  cost_per_call_usd: '0.0000254',
  monthly_cost_usd: '1.27',
  monthly_charge_usd: '1.778',
  ci,
});
const projection = {
  calls_per_month: 50_000,
  models: [
    {
      model: LONG,
      months: [month('2026-01-01', ['1.239', '1.3']), month('2027-02-01', null)],
      cost_per_passed: { usd: '0.0000091', ci: null, monthly_usd: '0.455' },
      notes: [],
    },
    {
      model: 'sim-sage',
      months: [],
      cost_per_passed: null,
      notes: ['The model did not answer in this eval, so there is nothing to project.'],
    },
  ],
};
const runs = [
  { run_id: `run_${ID}`, status: 'succeeded', created_at: '2026-11-22T15:43:09.711Z', eval_id: `eval_${ID}` },
  { run_id: `run_${ID}`, status: 'failed', created_at: '2026-11-22T15:43:09.711Z', eval_id: `eval_${ID}` },
];
const share = {
  share_id: `shr_${ID}`,
  subject: `eval_${ID}`,
  redact: ['prompt', 'outputs', 'costs', 'models'],
  expires_at: '2026-12-22T15:45:35.472Z',
  views: 12,
  status: 'live',
};

async function* listed<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

const mcs = {
  evals: { agreement: async () => agreement, drift: async () => drift, projection: async () => projection },
  runs: { list: () => listed(runs) },
  shares: { list: () => listed([share]) },
};

/** The output of a command on a terminal of `columns` columns, or in a pipe. */
async function printed(
  command: (context: Context) => Promise<number>,
  columns: number | undefined,
  answers: object = mcs,
): Promise<string> {
  let text = '';
  const system = {
    environment: {},
    out: {
      isTerminal: columns !== undefined,
      columns: columns ?? 80,
      rows: 24,
      write: (more: string) => {
        text += more;
      },
    },
  } as unknown as System;
  const code = await command({
    system,
    terminal: new Terminal(system, false),
    settings: { url: '', apiKey: '' },
    mcs: answers as ModelComparison,
  });
  expect(code).toBe(0);
  return text;
}

type Command = (context: Context) => Promise<number>;

const COMMANDS: [string, Command][] = [
  ['agreement', (context) => agreementCommand(context, 'eval_1', common)],
  ['drift', (context) => driftCommand(context, 'eval_2', common)],
  ['projection', (context) => projectionCommand(context, 'eval_1', common)],
  ['runs', (context) => runsCommand(context, { ...common, number: '20' })],
  ['shares', (context) => sharesCommand(context, common)],
];
const [[, showAgreement], [, showDrift]] = COMMANDS as [[string, Command], [string, Command]];

describe.each(COMMANDS)('mcs %s', (_name, command) => {
  it('has not changed on a terminal of 80 columns', async () =>
    expect(`\n${await printed(command, 80)}`).toMatchSnapshot());

  it.each([40, 80, 200])('fits a terminal of %s columns', async (columns) => {
    const text = await printed(command, columns);
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('prints lines of as many cells into a pipe, and no sentence', async () => {
    const text = await printed(command, undefined);
    expect(`\n${text}`).toMatchSnapshot();
    expect(
      new Set(
        text
          .slice(0, -1)
          .split('\n')
          .map((line) => line.split('\t').length),
      ).size,
    ).toBe(1);
  });
});

describe('mcs runs and mcs shares', () => {
  it.each([20, 40, 60, 80, 100, 120])(
    'cut no id on a terminal of %s columns, which could not be copied then',
    async (columns) => {
      for (const [, command] of COMMANDS.slice(3)) expect(await printed(command, columns)).not.toContain('…');
    },
  );

  it('list no more runs than are asked for, and ask for none where that is none', async () => {
    const limits: number[] = [];
    const counted = {
      runs: {
        list: ({ limit }: { limit: number }) => {
          limits.push(limit);
          return listed(Array.from({ length: 300 }, () => runs[0]));
        },
      },
    };
    const lines: number[] = [];
    for (const number of ['0', '1', '100', '250'])
      lines.push(
        (await printed((context) => runsCommand(context, { ...common, number }), undefined, counted))
          .trimEnd()
          .split('\n').length - 1,
      );
    expect([lines, limits]).toEqual([
      [0, 1, 100, 250],
      [1, 100, 100],
    ]);
  });
});

describe('The matrix of mcs agreement', () => {
  const headOf = async (models: string[]) =>
    (
      await printed(showAgreement, 200, {
        evals: { agreement: async () => ({ ...agreement, models, matrix: models.map(() => models.map(() => null)) }) },
      })
    )
      .split('\n')
      .slice(0, 3);

  it('names its columns, or numbers them if a name is wider than the cells below it', async () => {
    expect(await headOf(['twelve-wide-', 'b'])).toEqual([
      'model         twelve-wide-  b',
      'twelve-wide-  -             -',
      'b             -             -',
    ]);
    expect(await headOf(['thirteen-wide', 'b'])).toEqual([
      'model            1  2',
      '1 thirteen-wide  -  -',
      '2 b              -  -',
    ]);
  });
});

describe('The words of mcs agreement', () => {
  it('do not call a model that was asked alone a loner', async () => {
    const alone = {
      evals: {
        agreement: async () => ({ models: ['sim-swift'], matrix: [[null]], groups: [['sim-swift']], consensus: null }),
      },
    };
    expect(await printed(showAgreement, 80, alone)).toBe(
      'model      sim-swift\nsim-swift  -\n\nCells show agreement and, in brackets, similarity from 0 to 1.\n',
    );
  });

  it('name who says the same, and who says it alone', async () => {
    const groups = {
      evals: {
        agreement: async () => ({ ...agreement, groups: [['sim-swift', LONG], ['sim-titan']], consensus: null }),
      },
    };
    expect((await printed(showAgreement, 200, groups)).split('\n').slice(-3)).toEqual([
      `sim-swift, ${LONG}: agree.`,
      'sim-titan: agrees with no other model.',
      '',
    ]);
  });
});

describe('The words of mcs drift', () => {
  const said = async (models: object[], more: object = {}) =>
    (
      await printed(showDrift, 200, {
        evals: {
          drift: async () => ({ ...drift, request_changed: [], only_before: [], only_after: [], models, ...more }),
        },
      })
    ).split('\n\n')[1];

  it('say once what is true of all models', async () => {
    expect(await said([steady, { ...steady, model: 'sim-sage' }])).toBe('All models: One answer cannot tell.\n');
    expect(await said([steady])).toBe('sim-titan: One answer cannot tell.\n');
  });

  it.each<[object, string]>([
    [{ checks: { improved: [], regressed: ['a', 'b'] } }, 'passes less often: a, b.'],
    [{ checks: { improved: ['a'], regressed: [] } }, 'passes more often: a.'],
    [{ vendor_model: setting('t1', 't2') }, "the vendor's model was t1 and is t2."],
    [{ applied: { changed: true } }, 'other parameters were sent to the vendor.'],
    [{ prices: { changed: true } }, 'the price changed.'],
  ])('name what changed, before why: %j', async (more, words) => {
    expect(await said([{ ...steady, ...more }])).toBe(`sim-titan: ${words}\nsim-titan: One answer cannot tell.\n`);
  });

  it('begin with what makes the evals no repeats of each other', async () => {
    expect(await said([steady], { request_changed: ['input'], only_after: ['b'] })).toBe(
      'The requests of the two evals differ in: input.\nOnly in the later eval: b.\nsim-titan: One answer cannot tell.\n',
    );
  });

  it('are none where no model is in both', async () => {
    expect(await said([], { only_before: ['a'] })).toBe('Only in the earlier eval: a.\n');
  });
});
