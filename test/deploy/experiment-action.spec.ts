import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { read } from '../conventions/docs.markdown';
import { builtPackage } from '../support/client-package';
import { createCaller, type Caller } from '../support/factories';
import { anotherKey } from '../support/ledger';
import { PROGRAM_VARIABLES } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = join(__dirname, '../..');
const FOLDER = join(ROOT, '.github/actions/experiment');
const PROMPT = '[[sim-swift:say=Paris Rome Madrid]][[sim-quill:say=Rome]] Capital of {input}?';

const action = parse(read('.github/actions/experiment/action.yml')) as {
  inputs: Record<string, object>;
  runs: { steps: { if?: string; run?: string; shell?: string; env?: Record<string, string> }[] };
};

/** Runs the steps as a runner does, in new folders. */
function run(inputs: Record<string, string>) {
  const [workspace, temp] = [temporaryFolder(), join(temporaryFolder(), 'a b')];
  mkdirSync(temp);
  const [output, page] = [join(temp, 'output'), join(temp, 'page.md')];
  for (const file of [output, page]) writeFileSync(file, '');
  writeFileSync(join(workspace, 'capitals.csv'), 'input,expected\nFrance,Paris\nItaly,Rome\nSpain,Madrid\n');
  writeFileSync(join(workspace, 'prompt.txt'), `${PROMPT}\n`);
  writeFileSync(join(workspace, 'checks.json'), '[{"type":"contains","values":["{expected}"]}]');
  let [code, log] = [0 as number | null, ''];
  for (const step of action.runs.steps) {
    if (code !== 0 || step.run === undefined || (step.if !== undefined && inputs['mcs'] !== '')) continue;
    const script = join(temp, 'step.sh');
    writeFileSync(script, step.run);
    const env = Object.entries(step.env ?? {}).map(([name, value]) => [
      name,
      value.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, input: string) => inputs[input] ?? ''),
    ]);
    const own = { HOME: temp, RUNNER_TEMP: temp, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: page };
    const ended = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...PROGRAM_VARIABLES, ...own, GITHUB_ACTION_PATH: FOLDER, ...Object.fromEntries(env) },
    });
    code = ended.status;
    log += ended.stdout + ended.stderr;
  }
  const outputs = Object.fromEntries(
    Array.from(readFileSync(output, 'utf8').matchAll(/^(.+?)=(.*)$/gm), ([, name, value]) => [name, value]),
  ) as Record<string, string>;
  const fileOf = (name: string) => readFileSync(join(temp, 'experiment', name), 'utf8');
  return { code, log, outputs, page: readFileSync(page, 'utf8'), fileOf, folders: [workspace, temp] };
}

/** Inputs that all tests have. */
async function inputsOf(caller: Caller, more: Record<string, string> = {}) {
  return {
    ...{ file: 'capitals.csv', prompt: PROMPT, models: 'sim-swift,sim-quill', checks: 'checks.json', cap: '1' },
    ...{ url: caller.url, 'api-key': caller.key ?? '', mcs: `node ${join(await builtPackage(), 'cli.js')}`, ...more },
  };
}

describe('The action that runs an experiment', () => {
  it('builds mcs, and writes report, test cases and outputs', async () => {
    const scopes = ['experiments', 'experiments:read', 'evals:read'];
    const caller = await anotherKey(await createCaller(), { scopes });
    const { code, log, outputs, page, fileOf } = run(
      await inputsOf(caller, { mcs: '', prompt: 'prompt.txt', name: 'Nightly' }),
    );
    expect([code, log]).toEqual([0, expect.stringContaining('3 of 3 rows')]);
    const { body } = await caller.get(`/api/v1/experiments/${outputs['experiment-id']}`);
    expect(body).toMatchObject({ name: 'Nightly', prompt: PROMPT, max_cost_usd: 1, state: 'finished' });
    expect(outputs).toMatchObject({ decision: 'sim-swift', 'exit-code': '0' });
    expect(page).toMatch(/^# Nightly\n/);
    expect(fileOf('report.md')).toBe(page);
    expect(fileOf('rows.xml')).toContain('<testsuite name="sim-quill" tests="3" failures="2"');
    expect(log.split('\n').filter((line) => line.includes(caller.key ?? ''))).toEqual([`::add-mask::${caller.key}`]);
  });

  it('takes a folder of mcs import, which has its own prompt, models and checks', async () => {
    const [folder, own] = [temporaryFolder(), { prompt: 'Hi {input}', models: ['sim-quill'] }];
    writeFileSync(join(folder, 'dataset.jsonl'), '{"input":"a"}\n');
    writeFileSync(join(folder, 'experiment.json'), JSON.stringify(own));
    const inputs = await inputsOf(await createCaller(), { file: folder, prompt: '', models: '', checks: '' });
    expect(run(inputs)).toMatchObject({ code: 0, outputs: { 'experiment-id': expect.stringMatching(/^exp_/) } });
  });

  it('fails with the exit code of a gate, and of a refusal', async () => {
    const caller = await createCaller();
    const low = run(await inputsOf(caller, { 'min-pass': '0.9' }));
    expect([low.code, low.outputs['exit-code']]).toEqual([9, '9']);
    const against = low.outputs['experiment-id'] ?? '';
    const unknown = run(await inputsOf(caller, { against, 'fail-on': 'cannot-tell' }));
    expect([unknown.code, unknown.outputs['experiment-id']]).toEqual([10, expect.stringMatching(/^exp_/)]);
    expect(unknown.page).toContain('# Experiment');
    const refused = run(await inputsOf(caller, { file: 'missing.csv' }));
    expect([refused.code, refused.outputs]).toEqual([2, { 'exit-code': '2' }]);
    const wrong = run(await inputsOf(caller, { 'fail-on': 'worse' }));
    expect([wrong.code, wrong.outputs['experiment-id'], wrong.page]).toEqual([2, '', '']);
  });

  it('takes inputs for data', async () => {
    const caller = await createCaller();
    const hostile = '"$(touch hacked)" \'; touch hacked #`touch hacked`\n touch hacked; ${{ github.token }} {input}';
    const { code, outputs, folders } = run(await inputsOf(caller, { prompt: hostile, name: '$(touch hacked)' }));
    const { body } = await caller.get(`/api/v1/experiments/${outputs['experiment-id']}`);
    expect([code, body.prompt, body.name]).toEqual([0, hostile, '$(touch hacked)']);
    for (const input of ['file', 'models', 'checks', 'cap', 'against', 'fail-on', 'min-pass', 'url', 'api-key']) {
      const refused = run(await inputsOf(caller, { [input]: hostile }));
      expect([input, refused.code === 0, refused.outputs['experiment-id'] ?? '']).toEqual([input, false, '']);
      folders.push(...refused.folders);
    }
    expect(folders.filter((folder) => existsSync(join(folder, 'hacked')))).toEqual([]);
  });

  it('has no input in a script', () => {
    const { inputs, runs } = action;
    for (const { run: script = '', shell } of runs.steps)
      expect([script.includes('${{'), shell === 'bash']).toEqual([false, script !== '']);
    const passed = runs.steps.flatMap(({ env = {} }) => Object.values(env));
    expect(new Set(passed)).toEqual(new Set(Object.keys(inputs).map((name) => `\${{ inputs.${name} }}`)));
  });
});
