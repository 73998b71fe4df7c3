import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Config } from '@jest/types';
import { identify } from '../../../src/bootstrap/embedded-postgres/processes';
import { endAfterTests } from '../../support/cleanup';
import { eventually } from '../../support/factories';
import { temporaryFolder } from '../../support/temporary-folder';

const ROOT = join(__dirname, '../../..');
const { projects, reporters, testTimeout } = createRequire(__filename)(
  join(ROOT, 'jest.config.cjs'),
) as Config.InitialOptions;
const api = (projects as Config.InitialProjectOptions[] | undefined)?.find(({ displayName }) => displayName === 'api');

interface State {
  service: number;
  url: string;
  postmaster: string;
  folder: string;
}

/** A separate jest, with the usual settings except the global setup, on the file whose test ends in that way. */
function runAbandoned(ending: 'fails' | 'hangs') {
  const file = join(temporaryFolder(), 'state.json');
  const { transform, setupFilesAfterEnv, cacheDirectory } = api ?? {};
  const config = {
    rootDir: ROOT,
    testTimeout,
    testMatch: [join(ROOT, 'test/support/abandoned.cases.ts')],
    transform,
    setupFilesAfterEnv,
    cacheDirectory,
    reporters,
    // Said of what keeps a run from ending, not of a machine that was busy when it ended.
    openHandlesTimeout: 10_000,
  };
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      '--config',
      JSON.stringify(config),
      '--runInBand',
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Where there is no Redis, whatever this machine has.
      env: { ...process.env, PATH: dirname(process.execPath), ABANDONED_FILE: file, ABANDONED_ENDING: ending },
    },
  );
  endAfterTests(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(child, 'close') as Promise<[number | null]>;
  return {
    child,
    exited,
    output: () => output,
    state: () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8') || 'null') as State | null) : null),
  };
}

async function isServed(url: string): Promise<boolean> {
  return fetch(`${url}/health/live`).then(
    () => true,
    () => false,
  );
}

/** The test files that an npm script runs. */
function filesOf(script: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const projects =
    /--selectProjects ([\w ]+) -/
      .exec(scripts[script] ?? '')?.[1]
      ?.trim()
      .split(' ') ?? [];
  const { stdout } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/jest/bin/jest.js'), '--listTests', '--selectProjects', ...projects],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('.spec.ts'))
    .map((file) => relative(ROOT, file));
}

describe('A run of the tests', () => {
  it('belongs to exactly one ring, and the rings leave no spec file out', () => {
    const rings = [filesOf('test'), filesOf('test:scenarios'), filesOf('test:cluster')];
    const specs = ['src', 'test']
      .flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
      )
      .filter((file) => file.endsWith('.spec.ts') && !file.includes('node_modules'));
    expect(rings.flat().sort()).toEqual(specs.sort());
    expect(rings[2]?.sort()).toEqual(specs.filter((file) => file.startsWith('test/cluster/')).sort());
  });

  it('ends after a failed test with no process and no temporary file left, and prints last what failed and what was skipped', async () => {
    const run = runAbandoned('fails');
    const [code] = await run.exited;
    const state = run.state();
    if (state === null) throw new Error(run.output());
    expect(code).toBe(1);
    expect(run.output()).toContain('This test fails.');
    expect(run.output()).toMatch(
      /\n0 passed, 1 failed, 1 skipped\nFAILED test\/support\/abandoned\.cases\.ts, .+: Error: This test fails\. .*\nRedis is not installed: 1 tests skipped\n/,
    );
    expect(run.output()).not.toContain('did not exit');
    expect(identify(state.service)).toBeUndefined();
    await eventually('its processes are gone', async () => !(await isServed(state.url)));
    expect([existsSync(state.postmaster), existsSync(state.folder)]).toEqual([false, false]);
  });

  it('ends its services, those of several processes too, and its Postgres when it is killed', async () => {
    const run = runAbandoned('hangs');
    await eventually('everything runs', () => run.state() !== null, 150_000);
    const state = run.state();
    if (state === null) throw new Error(run.output());
    expect(await isServed(state.url)).toBe(true);
    run.child.kill('SIGKILL');
    await run.exited;
    await eventually('the service is gone', () => identify(state.service) === undefined);
    await eventually('its processes are gone', async () => !(await isServed(state.url)));
    await eventually('its Postgres is gone', () => !existsSync(state.postmaster));
  }, 300_000);
});
