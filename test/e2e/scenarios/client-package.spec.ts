import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { builtPackage } from '../../support/client-package';
import { createCaller } from '../../support/factories';
import { temporaryFolder } from '../../support/temporary-folder';

const ROOT = join(__dirname, '../../..');
const run = promisify(execFile);
const MAX_CLIENT_BYTES = 12_000;
/** Of the chunks that importExperiment loads, with a parser of YAML; 50,000 before rubrics. */
const MAX_IMPORT_BYTES = 52_000;
const MAX_START_RATIO = 1.5;
const STARTS = 15;

/** The first Node of that major version on the PATH. */
const nodeOnPath = (major: number) =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find(
      (file) =>
        existsSync(file) && spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout.startsWith(`v${major}.`),
    );

/** The first block of code of the README in a folder. */
const snippetOf = (folder: string) =>
  /```js\n([\s\S]*?)```/.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1] ?? '';

/** The snippet for CommonJS, which can await in a function only. */
const inFunction = (snippet: string) => snippet.replace(/^(import .*\n)([\s\S]*)$/, '$1void (async () => {\n$2})();\n');

async function tarball(): Promise<string> {
  const folder = temporaryFolder();
  const { stdout } = await run('npm', [
    'pack',
    await builtPackage(),
    '--pack-destination',
    folder,
    '--json',
    '--loglevel',
    'error',
  ]);
  const answer = JSON.parse(stdout) as { filename: string }[] | Record<string, { filename: string }>;
  return join(folder, Object.values(answer)[0]?.filename ?? '');
}

/** An empty folder with the package in it. */
async function installed(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', await tarball(), '--offline', '--no-audit', '--no-fund', '--loglevel', 'error'], {
    cwd: folder,
  });
  return folder;
}

/** Processor time of a script, which does not depend on what else the machine does. */
function cpuMicroseconds(args: string[]): number {
  const file = join(temporaryFolder(), 'cpu-time');
  execFileSync(process.execPath, ['--require', join(__dirname, '../../support/print-cpu-time.cjs'), ...args], {
    env: { PATH: process.env['PATH'], CPU_TIME_FILE: file },
  });
  return Number(readFileSync(file, 'utf8'));
}

describe('The package of client and command line', () => {
  it('depends on nothing, and contains what it says and the licenses of what it is made of', async () => {
    const folder = await installed();
    const inside = join(folder, 'node_modules/@model-comparison/client');
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@model-comparison',
    ]);
    expect(readdirSync(inside).sort()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD_PARTY_LICENSES.md',
      'chunks',
      'cli.js',
      'client.cjs',
      'client.js',
      'package.json',
      'types',
      'types.cjs',
      'types.js',
    ]);
    expect(readFileSync(join(inside, 'THIRD_PARTY_LICENSES.md'), 'utf8').match(/^## \S+/gm)).toEqual(
      expect.arrayContaining(['## commander', '## diff', '## eventsource-parser', '## string-width', '## wrap-ansi']),
    );
    expect(JSON.parse(readFileSync(join(inside, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
  });

  it('has a README whose snippet compiles in strict TypeScript, as an ES module and as CommonJS', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'node_modules/@model-comparison'), { recursive: true });
    symlinkSync(await builtPackage(), join(folder, 'node_modules/@model-comparison/client'));
    const snippet = snippetOf(await builtPackage());
    writeFileSync(join(folder, 'readme.mts'), snippet);
    writeFileSync(join(folder, 'readme.cts'), inFunction(snippet));
    const options = [
      '--noEmit',
      '--strict',
      '--noUncheckedIndexedAccess',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--skipLibCheck',
      '--types',
      'node',
      '--typeRoots',
      join(ROOT, 'node_modules/@types'),
    ];
    const { stdout, status } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'readme.mts', 'readme.cts'],
      { cwd: folder, encoding: 'utf8' },
    );
    expect([stdout, status]).toEqual(['', 0]);
  });

  it('leaves publint and attw nothing to find, needs nothing of Node in a browser, and is small', async () => {
    const { stdout } = await run(process.execPath, [
      join(__dirname, '../../support/inspect-package.mjs'),
      await builtPackage(),
      await tarball(),
    ]);
    const { clientGzipBytes, importGzipBytes, ...found } = JSON.parse(stdout) as {
      clientGzipBytes: number;
      importGzipBytes: number;
    };
    expect(found).toEqual({ publint: [], attw: [], namesOfNode: [] });
    const folder = await builtPackage();
    const commandLine = ['cli.js', ...readdirSync(join(folder, 'chunks')).map((name) => join('chunks', name))]
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    process.stdout.write(
      `Client in a browser: ${clientGzipBytes} bytes gzipped, and ${importGzipBytes} for importExperiment. Command line with everything, not minified: ${gzipSync(commandLine).length}.\n`,
    );
    expect([clientGzipBytes <= MAX_CLIENT_BYTES, importGzipBytes <= MAX_IMPORT_BYTES]).toEqual([true, true]);
  });

  it('starts the command line in little more than the time of an empty script', async () => {
    const [cli, empty] = [join(await builtPackage(), 'cli.js'), join(temporaryFolder(), 'empty.mjs')];
    writeFileSync(empty, '');
    const times = Array.from(
      { length: STARTS },
      () => [cpuMicroseconds([empty]), cpuMicroseconds([cli, '--version'])] as const,
    );
    // Cold caches make single starts slower, never faster.
    const ratio = Math.min(...times.map(([, ours]) => ours)) / Math.min(...times.map(([nothing]) => nothing));
    process.stdout.write(`mcs --version takes ${ratio.toFixed(2)} times as long as an empty script.\n`);
    expect(ratio).toBeLessThanOrEqual(MAX_START_RATIO);
  });

  describe.each([20, 24])('under Node %i (needs it on the PATH)', (major) => {
    const node = nodeOnPath(major);
    (node === undefined ? it.skip : it).each(['snippet.mjs', 'snippet.cjs'])(
      'runs the snippet of its README as %s, and its command line',
      async (name) => {
        const folder = await installed();
        const snippet = snippetOf(join(folder, 'node_modules/@model-comparison/client'));
        writeFileSync(
          join(folder, name),
          name === 'snippet.mjs'
            ? snippet
            : inFunction(snippet).replace(/^import (.*) from (.*);/, 'const $1 = require($2);'),
        );
        const caller = await createCaller();
        const env = { PATH: process.env['PATH'], MCS_URL: caller.url, MCS_API_KEY: caller.key };
        const { stdout, stderr } = await run(node ?? '', [name], { cwd: folder, env });
        expect(stderr).toBe('');
        const lines = stdout.split('\n');
        expect(lines[0]).toMatch(/^sim-swift 0\.\d+$/);
        expect(lines.filter((line) => /^eval_\w+ 0\.\d+$/.test(line))).toHaveLength(2);
        expect(stdout).toContain('max_cost_exceeded req_');
        const models = await run(node ?? '', ['node_modules/@model-comparison/client/cli.js', 'models', '--json'], {
          cwd: folder,
          env,
        });
        expect(`${models.stdout.trimEnd()}${models.stderr}`).toBe((await caller.get('/api/v1/models')).text);
      },
    );
  });
});
