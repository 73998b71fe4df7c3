import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../support/api';
import { createCaller } from '../support/factories';
import { freePort } from '../support/free-port';
import { TEST_SECRETS } from '../support/service';
import { buildImage, type Stage } from './support/image';
import { Postgres } from './support/postgres';
import { Program } from './support/program';
import { describeWith } from './support/programs';

const ROOT = join(__dirname, '../..');
const COMMIT = 'unknown';
/** Of cc-debian12, unpacked, as `docker images` prints it; it cannot be measured here. */
const BASE_BYTES = 23.6e6;
const MAX_IMAGE_BYTES = 250e6;
/** Of a build, beside those of the commit itself: its name, Node's cache, and other builds. */
const NOT_REPRODUCED = /^(commit|compile-cache|bench|package|sbom)\b/;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** A week behind that of the database. */
const SLOW_CLOCK = `const { now } = Date, past = () => now() - 7 * 86_400_000;
globalThis.Date = class extends Date {
  static now = past;
  constructor(...given) { super(...(given.length === 0 ? [past()] : given)); }
};`;

/** The path, bytes and hash of each file of a folder. */
function filesOf(folder: string): [path: string, bytes: number, hash: string][] {
  const paths = globSync('**', { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
  const contents = paths.sort().map((path) => [path, readFileSync(join(folder, path))] as const);
  return contents.map(([path, file]) => [path, file.length, createHash('sha256').update(file).digest('hex')]);
}

describeWith(['postgres'], 'The folder that the Dockerfile makes', () => {
  let image: Stage;
  let variables: Record<string, string>;
  let node: string;
  beforeAll(async () => {
    image = buildImage();
    node = join(image.folder, 'usr/local/bin/node');
    // Its user may read it and, as in a container with a read-only root, write nowhere but in /tmp.
    chmodSync(image.folder, 0o755);
    const postgres = await Postgres.start({ fsync: 'on' });
    variables = {
      ...image.variables,
      ...TEST_SECRETS,
      DATABASE_URL: await postgres.database('mcs'),
      SIMULATOR: 'on',
      HOME: '/nonexistent',
    };
    writeFileSync(join(image.folder, 'service.log'), '');
    expect(await command('migrate')).toEqual({ status: 0, printed: expect.stringMatching(/^Applied: /) as unknown });
  }, 300_000);

  const run = (args: readonly string[], more = {}): Promise<{ status: number; printed: string }> =>
    new Promise((resolve) => {
      const options = { cwd: image.folder, env: { ...variables, ...more }, ...image.user };
      execFile(node, args, options, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : Number(error.code), printed: stdout + stderr }),
      );
    });
  const command = (name: string, args: readonly string[] = [], more = {}) =>
    run([`dist/src/commands/${name}.js`, ...args], more);

  it.each([
    ['migrate', [], /^Nothing to do|^The database/],
    ['config-check', [], /DATABASE_URL .*set/],
    ['doctor', [], /, 0 broken\.$/m],
    ['ledger-verify', [], /^The ledger is consistent: 0 evals/],
    ['admin', ['users', 'list', '--help'], /^Usage: mcs admin users list /],
    ['evals-restore', ['service.log'], /^/],
  ])('runs the command %s', async (name, args, words) => {
    expect(await command(name, args)).toEqual({ status: 0, printed: expect.stringMatching(words) as unknown });
  });

  it('runs the commands catalog-check and catalog-propose, which load the SDKs of the vendors', async () => {
    const unreachable = {
      OPENAI_API_KEY: 'sk-0123456789',
      OPENAI_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_API_KEY: 'sk-0123456789',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    };
    for (const [name, ...args] of [['catalog-check'], ['catalog-propose', 'openai/gpt-9']]) {
      const { status, printed } = await command(name ?? '', args, unreachable);
      const unreached = printed.match(/is not reachable/g)?.length;
      expect([name, status, unreached]).toEqual([name, name === 'catalog-check' ? 2 : 1, 2]);
    }
  });

  it('is documented with the commands that run here', () => {
    const documented = /^In the image, .*$/m.exec(readFileSync(join(ROOT, 'docs/operations.md'), 'utf8'))?.[0] ?? '';
    const files = [...documented.matchAll(/([\w-]+)\.js/g)].map(([, name]) => name).sort();
    const all = 'admin catalog-check catalog-propose config-check doctor evals-restore ledger-verify migrate';
    expect(files.join(' ')).toBe(all);
  });

  it('loads every module, and every package that a module loads later', async () => {
    // Not those of mcs, which is the npm package.
    const script = `
      const { globSync, readFileSync } = require('node:fs');
      const exclude = ['dist/src/main.js', 'dist/src/commands/*.js', 'dist/src/clients/cli/**'];
      const files = globSync('dist/src/**/*.js', { exclude });
      const later = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/import\\('([^.'][^']*)'\\)/g)]);
      const packages = [...new Set(later.map(([, name]) => name))].sort();
      files.forEach((file) => require('./' + file));
      Promise.all(packages.map((name) => import(name))).then(() => process.exit(console.log(files.length, ...packages)));`;
    const names = /^\d{3,4} .*@anthropic-ai\/sdk\/client .*@opentelemetry\/sdk-node .*ioredis .*piscina/;
    expect(await run(['--eval', script])).toEqual({ status: 0, printed: expect.stringMatching(names) as unknown });
  });

  it('serves to a user who can write nothing, with a clock a week behind, and ends with 0', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const [, ...args] = image.command;
    const clock = join(image.folder, 'clock.cjs');
    writeFileSync(clock, SLOW_CLOCK);
    const program = await Program.start({
      program: 'env',
      args: [node, '--require', clock, ...args],
      folder: image.folder,
      user: image.user,
      variables: {
        ...variables,
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_TOKEN: 'metrics-token-0123456789',
        DRAIN_SECONDS: '0',
      },
      isReady: async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok === true,
    });
    const [, bundle] = /src="([^"]*swagger-ui-bundle[^"]*)"/.exec(await (await fetch(`${url}/docs`)).text()) ?? [];
    for (const path of ['/', '/docs-json', new URL(bundle ?? 'none', `${url}/docs`).pathname])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    const { text: metrics } = await new Api('metrics-token-0123456789', url).get('/metrics');
    expect(metrics).toContain(`mcs_build_info{version="${version}",commit="${COMMIT}",node="${process.version}"} 1`);
    const caller = await createCaller({ at: url });
    const checks = [{ type: 'regex', pattern: '(a|b)*c' }];
    const wanted = { prompt: 'x'.repeat(30_000), models: ['sim-swift'], checks };
    const compared = await caller.post('/api/v1/compare?include=checks', wanted);
    expect(compared).toMatchObject({ status: 200, body: { results: [{ checks: [{ outcome: 'pass' }] }] } });
    expect(program.output()).toMatch(/clock .* behind/);
    const accept = { headers: { accept: 'application/json, text/event-stream' } };
    expect((await caller.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, accept)).status).toBe(200);
    await program.end('SIGTERM');
    expect(program.child.exitCode).toBe(0);
  });

  it('has the bytes of another build of the same commit', () => {
    const [here, there] = [ROOT, image.folder].map((folder) => filesOf(join(folder, 'dist')));
    const built = there?.filter(([path]) => !NOT_REPRODUCED.test(path)) ?? [];
    expect(built.length).toBeGreaterThan(1000);
    expect(built).toEqual(here?.filter(([path]) => !NOT_REPRODUCED.test(path)));
  });

  it('names its version, and has at most 250 MB, with licenses and nothing to build with', () => {
    expect(image.labels['org.opencontainers.image.version']).toBe(version);
    const files = filesOf(image.folder);
    expect(files.reduce((sum, [, bytes]) => sum + bytes, BASE_BYTES)).toBeLessThan(MAX_IMAGE_BYTES);
    const paths = files.map(([path]) => path);
    expect(paths.filter((path) => /^node_modules\/((typescript|node)\/|.*\.([cm]?ts|map)$)/.test(path))).toEqual([]);
    const licenses = ['LICENSE', 'node_modules/pg/LICENSE', 'node_modules/real-require/LICENSE.md'];
    expect(paths).toEqual(expect.arrayContaining([...licenses, 'node_modules/pgpass/README.md']));
  });
});
