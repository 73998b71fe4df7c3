import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMcs } from '../../support/client-package';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { mcs, variables } from '../../support/mcs';
import { temporaryFolder } from '../../support/temporary-folder';

const CAPITALS = [
  ['France', 'Paris'],
  ['Italy', 'Rome'],
  ['Spain', 'Madrid'],
  ['Austria', 'Vienna'],
  ['Peru', 'Lima'],
];
const TWO = ['-m', 'sim-swift,sim-quill'];
const PROMPT = '[[sim-swift:say=Paris Rome Madrid Vienna Lima]][[sim-quill:say=Rome]] Capital of {input}?';
const CHECKED = ['--check', 'contains={expected}'];
const MISSING = 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3';

const withoutRequest = (errors: string) => errors.replace(/\nRequest req_\w+\n$/, '\n');
const cellsOf = (out: string): string[][] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));

function fileOf(name: string, text: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

async function pushed(caller: Caller): Promise<string> {
  const file = fileOf('capitals.csv', `question,answer\n${CAPITALS.map((row) => row.join(',')).join('\n')}\n`);
  const { code, out, errors } = await mcs(caller, [
    'datasets',
    'push',
    file,
    '--input',
    'question',
    '--expected',
    'answer',
  ]);
  expect([code, out, errors]).toEqual([0, expect.stringMatching(/^ds_\w+\n$/), '5 rows, with expected, input.\n']);
  return out.trim();
}

/**
 * Starts an experiment whose rows take five seconds each, one after the other: longer than some starts of the command
 * line.
 */
async function slow(caller: Caller): Promise<string> {
  const { code, out } = await mcs(caller, [
    'experiment',
    'run',
    '--dataset',
    await pushed(caller),
    '--prompt',
    '[[sim:slow=5000]] {input}',
    '-m',
    'sim-swift',
    '--parallel',
    '1',
    '--max-cost',
    '1',
  ]);
  expect(code).toBe(0);
  return out.trim();
}

const stateOf = async (caller: Caller, id: string) =>
  (await caller.get(`/api/v1/experiments/${id}`)).body.state as string;

describe('mcs datasets', () => {
  it('stores a file, the same file once, shows and removes it', async () => {
    const caller = await createCaller();
    const id = await pushed(caller);
    expect(await pushed(caller)).toBe(id);
    expect(cellsOf((await mcs(caller, ['datasets'])).out)).toEqual([
      ['data set', 'name', 'rows', 'created'],
      [id, 'capitals.csv', '5', expect.any(String)],
    ]);
    const rows = cellsOf((await mcs(caller, ['datasets', 'rows', id, '-n', '3'])).out);
    expect(rows.map(([no]) => no)).toEqual(['no', '0', '1', '2']);
    expect(CAPITALS).toContainEqual([rows[1]?.[4], rows[1]?.[3]]);
    expect((await mcs(caller, ['datasets', 'rm', id])).errors).toBe('Deleted.\n');
    expect(withoutRequest((await mcs(caller, ['datasets', 'rm', id])).errors)).toMatch(
      /^mcs: No data set with this id exists\. \(not_found\)\n$/,
    );
  });

  it('reads standard input, prints the JSON of the API, and says which line is wrong', async () => {
    const caller = await createCaller();
    const { out } = await mcs(caller, ['datasets', 'push', '-', '--name', 'piped', '--json'], {
      input: '{"input":"é"}\n{"input":"b","group":"g"}\n',
    });
    expect(JSON.parse(out)).toMatchObject({ name: 'piped', rows: 2, groups: 1 });
    const wrong = await mcs(caller, [
      'datasets',
      'push',
      fileOf('bad.jsonl', '{"input":"a"}\n{"input":"b","expected":[]}\n{}\n'),
    ]);
    expect([wrong.code, wrong.out, wrong.errors]).toEqual([
      2,
      '',
      expect.stringMatching(/^mcs: Line 2 is not valid: .*\n {2}line 3: /),
    ]);
  });
});

describe('mcs experiment', () => {
  it('runs the folder of an import to its end, and judges it', async () => {
    const caller = await createCaller();
    const folder = join(temporaryFolder(), 'capitals');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'dataset.jsonl'),
      CAPITALS.map(([input, expected]) => JSON.stringify({ input, expected })).join('\n'),
    );
    writeFileSync(
      join(folder, 'experiment.json'),
      JSON.stringify({
        name: 'Capitals',
        prompt: PROMPT,
        models: ['sim-swift', 'sim-quill'],
        checks: [{ type: 'contains', values: ['{expected}'] }],
      }),
    );
    const good = await mcs(caller, [
      'experiment',
      'run',
      folder,
      '--max-cost',
      '1',
      '--wait',
      '--min-pass',
      'sim-swift=0.5',
    ]);
    expect([good.code, cellsOf(good.out).map(([model, , , rows, answered]) => [model, rows, answered])]).toEqual([
      0,
      expect.arrayContaining([
        ['model', 'rows', 'answered'],
        ['sim-swift', '5', '5'],
        ['sim-quill', '5', '5'],
      ]),
    ]);
    expect(good.errors).toMatch(
      /^Data set ds_\w+: 5 rows\.\n5 rows, 10 calls: at most \$[\d.]+; a guess is \$[\d.]+, with answers half as long as allowed\.\n/,
    );
    expect(good.errors).toContain('5 of 5 rows · $');
    const bad = await mcs(caller, [
      'experiment',
      'run',
      folder,
      '--max-cost',
      '1',
      '--limit',
      '4',
      '--min-pass',
      '0.5',
    ]);
    expect([bad.code, bad.errors]).toEqual([
      9,
      expect.stringMatching(/\nsim-quill: the pass rate of \d+ % \[.*\] may be below 50 %\.\n$/),
    ]);
    expect((await caller.get('/api/v1/datasets')).body.datasets).toHaveLength(1);
    const [head, latest, earlier] = cellsOf((await mcs(caller, ['experiments'])).out);
    expect([head, latest?.slice(1, 4), earlier?.slice(1, 4)]).toEqual([
      ['experiment', 'state', 'name', 'rows', 'cost', 'created'],
      ['finished', 'Capitals', '4 of 4'],
      ['finished', 'Capitals', '5 of 5'],
    ]);
  });

  it('compares with an earlier experiment, and fails a pipeline that asks for it', async () => {
    const caller = await createCaller();
    const run = async (prompt: string, ...args: string[]) =>
      await mcs(caller, [
        'experiment',
        'run',
        '--dataset',
        await pushed(caller),
        '--prompt',
        prompt,
        '-m',
        'sim-swift',
        ...CHECKED,
        '--max-cost',
        '1',
        ...args,
      ]);
    const before = JSON.parse((await run(PROMPT, '--wait', '--json')).out).experiment.experiment_id as string;
    const { code, out } = await run(PROMPT, '--against', before, '--fail-on', 'cannot-tell', '--json');
    const { comparison, experiment } = JSON.parse(out);
    expect([['not_worse', 'cannot_tell'].includes(comparison.verdict), code]).toEqual([
      true,
      comparison.verdict === 'cannot_tell' ? 10 : 0,
    ]);
    expect((await run(PROMPT.replace('Capital', 'City'), '--against', before)).code).toBe(0);
    const again = await mcs(caller, ['comparison', experiment.experiment_id, before, '--json']);
    expect(again.out.trimEnd()).toBe(
      (await caller.get(`/api/v1/experiments/${experiment.experiment_id}/comparison?against=${before}`)).text,
    );
    expect((await mcs(caller, ['experiment', experiment.experiment_id, '--json'])).out.trimEnd()).toBe(
      (await caller.get(`/api/v1/experiments/${experiment.experiment_id}`)).text,
    );
  });

  it('is reported, also in a pipeline, decided, and shared', async () => {
    const caller = await createCaller();
    const folder = temporaryFolder();
    const dataset = await pushed(caller);
    const asked = ['--dataset', dataset, '--prompt', PROMPT, ...TWO, ...CHECKED];
    writeFileSync(join(folder, 'page.md'), 'before\n');
    const ran = await mcs(
      caller,
      [
        'experiment',
        'run',
        ...asked,
        '--max-cost',
        '1',
        '--report',
        join(folder, 'report.md'),
        '--require-recommended',
        'sim-quill',
      ],
      { environment: { GITHUB_STEP_SUMMARY: join(folder, 'page.md') } },
    );
    const [id = ''] = /exp_\w+/.exec((await mcs(caller, ['experiments'])).out) ?? [];
    const report = await mcs(caller, ['report', id]);
    expect(report.out).toMatch(/^# Experiment exp\\_\w+\n\n\*\*.+\*\*\n/);
    expect(ran.code).toBe(9);
    expect(ran.errors).toContain('sim-quill is not recommended.');
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe(report.out);
    expect(readFileSync(join(folder, 'page.md'), 'utf8')).toBe(`before\n${report.out}`);
    const decided = await mcs(caller, ['decide', id, 'sim-swift', '--reason', 'As good.', '--tolerance', '5']);
    expect([decided.code, decided.errors]).toEqual([0, `Decided: sim-swift. To see it: mcs report ${id}\n`]);
    expect((await caller.get(`/api/v1/experiments/${id}`)).body.decision).toMatchObject({
      model: 'sim-swift',
      reason: 'As good.',
      tolerance: 0.05,
    });
    expect((await mcs(caller, ['report', id, '--no-texts'])).out).not.toContain('As good.');
    expect((await mcs(caller, ['decide', id, 'sim-titan'])).errors).toContain(
      'model must be a model of the experiment',
    );
    const shared = await mcs(caller, ['share', id, '--texts']);
    expect((await fetch(shared.out.trim().replace('/shared/', '/api/v1/shared/'))).status).toBe(200);
  });

  it('pauses, resumes and is canceled; a pause ends a wait with 5', async () => {
    const caller = await createCaller();
    const id = await slow(caller);
    const waiting = mcs(caller, ['experiment', id, '--wait']);
    expect(cellsOf((await mcs(caller, ['experiment', 'pause', id])).out)).toContainEqual(['state', 'paused: by user']);
    const { code, errors } = await waiting;
    expect([code, errors]).toEqual([5, expect.stringContaining(`To go on: mcs experiment resume ${id}\n`)]);
    await mcs(caller, ['experiment', 'resume', id, '--max-cost', '2']);
    expect((await caller.get(`/api/v1/experiments/${id}`)).body).toMatchObject({ state: 'running', max_cost_usd: 2 });
    expect((await mcs(caller, ['experiment', 'cancel', id])).code).toBe(0);
    const refused = await mcs(caller, ['experiment', 'resume', id]);
    expect([refused.code, withoutRequest(refused.errors)]).toEqual([
      2,
      expect.stringMatching(/^mcs: This experiment has ended .*\(conflict\)\n$/),
    ]);
  });

  it('is erased for good', async () => {
    const caller = await createCaller();
    const id = await slow(caller);
    expect([(await mcs(caller, ['erase', id])).code, await stateOf(caller, id)]).toEqual([2, 'running']);
    const { code, errors } = await mcs(caller, ['erase', id, '--yes']);
    expect([code, errors]).toEqual([
      0,
      'Its texts are erased now; rows that run end first. Charges, figures and the summary stay.\n',
    ]);
    await eventually('it is erased', async () => (await stateOf(caller, id)) === 'erased');
  });

  it('goes on after Ctrl C', async () => {
    const caller = await createCaller();
    const id = await slow(caller);
    const { child, ended } = await startMcs(['experiment', id, '--wait'], { environment: variables(caller) });
    let said = '';
    child.stderr.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
    await eventually('it shows how far it is', () => said.includes('rows'));
    child.kill('SIGINT');
    const { code, errors } = await ended;
    expect([code, errors]).toEqual([
      130,
      expect.stringContaining(
        `Stopped watching. The experiment continues. To look again: mcs experiment ${id} --wait, to end it: mcs experiment cancel ${id}\n`,
      ),
    ]);
    expect(await stateOf(caller, id)).toBe('running');
    await mcs(caller, ['experiment', 'cancel', id]);
  });

  it('shows its rows, as a table, as files and as test cases', async () => {
    const caller = await createCaller();
    const junit = join(temporaryFolder(), 'rows.xml');
    const ended = await mcs(caller, [
      'experiment',
      'run',
      '--dataset',
      await pushed(caller),
      '--prompt',
      PROMPT,
      ...TWO,
      ...CHECKED,
      '--max-cost',
      '1',
      '--junit',
      junit,
      '--json',
    ]);
    const id = JSON.parse(ended.out).experiment.experiment_id as string;
    expect(readFileSync(junit, 'utf8').match(/<testsuite .*>/g)).toEqual([
      '<testsuite name="sim-swift" tests="5" failures="0" errors="0" skipped="0">',
      '<testsuite name="sim-quill" tests="5" failures="4" errors="0" skipped="0">',
    ]);
    const rows = cellsOf((await mcs(caller, ['experiment', id, '--rows'])).out);
    expect(rows.map(([, state, swift, quill]) => [state, swift, quill]).sort()).toEqual([
      ...Array.from({ length: 4 }, () => ['done', 'passed', 'failed']),
      ['done', 'passed', 'passed'],
      ['state', 'sim-swift', 'sim-quill'],
    ]);
    for (const [format, type] of [
      ['csv', 'text/csv'],
      ['jsonl', 'application/x-ndjson'],
    ] as const) {
      const { text } = await caller.get(`/api/v1/experiments/${id}/rows`, { headers: { accept: type } });
      expect((await mcs(caller, ['experiment', id, '--rows', '--format', format])).out).toBe(text);
    }
  });

  it.each<[string[], string]>([
    [['experiment', MISSING], 'No experiment with this id exists. (not_found)'],
    [['experiment', MISSING, '--wait'], 'No experiment with this id exists. (not_found)'],
    [['experiment', 'pause', MISSING], 'No experiment with this id exists. (not_found)'],
    [
      ['experiment', 'run', '--dataset', 'ds_1', '--prompt', 'x', ...TWO],
      'Set a cap with --max-cost: the experiment never costs more USD than that.',
    ],
    [['experiment', 'run', '/no/such', '--max-cost', '1'], 'There is no file /no/such/experiment.json.'],
    [
      [
        'experiment',
        'run',
        '--dataset',
        MISSING.replace('exp', 'ds'),
        '--prompt',
        'x',
        ...TWO,
        '--max-cost',
        '1',
        '--against',
        MISSING,
      ],
      'No experiment with this id exists. (not_found)',
    ],
    [['datasets', 'push', '/no/such'], 'There is no file /no/such.'],
  ])('refuses %j', async (args, sentence) => {
    const caller = await createCaller();
    const { code, out, errors } = await mcs(caller, args);
    expect([code, out, withoutRequest(errors)]).toEqual([2, '', `mcs: ${sentence}\n`]);
    expect((await caller.get('/api/v1/experiments')).body.experiments).toEqual([]);
  });
});

describe('Help and completion', () => {
  it.each(['bash', 'zsh', 'fish'])('of experiments are there for %s', async (shell) => {
    const { out } = await mcs(await createCaller(), ['completion', shell]);
    for (const words of ['experiment run', 'datasets push', 'experiment resume', 'worse', 'jsonl'])
      expect(out).toContain(words);
  });

  it('name exit codes and examples', async () => {
    const caller = await createCaller();
    expect((await mcs(caller, ['--help'])).out.replace(/\s+/g, ' ')).toContain(
      '9 an experiment is worse, below --min-pass, or not as --require-recommended;',
    );
    expect((await mcs(caller, ['experiment', 'run', '--help'])).out).toContain(
      'mcs experiment run tickets/ --max-cost 4',
    );
  });
});
