import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '../support/free-port';
import { TEST_SECRETS } from '../support/service';
import { buildImage, type Stage } from './support/image';
import { Postgres } from './support/postgres';
import { Program } from './support/program';
import { describeWith } from './support/programs';

const COMMIT = 'unknown';
const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as { version: string };

describeWith(['postgres'], 'The folder that the Dockerfile makes', () => {
  let image: Stage;
  let variables: Record<string, string>;
  beforeAll(async () => {
    image = buildImage();
    const postgres = await Postgres.start({ fsync: 'on' });
    variables = {
      ...image.variables,
      ...TEST_SECRETS,
      DATABASE_URL: await postgres.database('mcs'),
      SIMULATOR: 'on',
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    };
    writeFileSync(join(image.folder, 'service.log'), '');
    expect(await command('migrate')).toEqual({ status: 0, printed: expect.stringMatching(/^Applied: /) as unknown });
  }, 300_000);

  async function command(name: string, ...args: string[]): Promise<{ status: number; printed: string }> {
    return run(process.execPath, [`dist/src/commands/${name}.js`, ...args]);
  }

  async function run(
    program: string,
    args: readonly string[],
    more: Record<string, string> = {},
  ): Promise<{ status: number; printed: string }> {
    return new Promise((resolve) => {
      execFile(program, args, { cwd: image.folder, env: { ...variables, ...more } }, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : Number(error.code), printed: stdout + stderr }),
      );
    });
  }

  it.each([
    ['migrate', [], /^Nothing to do|^The database/],
    ['config-check', [], /DATABASE_URL .*set/],
    ['doctor', [], /, 0 broken\.$/m],
    ['ledger-verify', [], /^The ledger is consistent: 0 evals/],
    ['admin', ['users', 'list', '--help'], /^Usage: mcs admin users list /],
    ['evals-restore', ['service.log'], /^/],
  ])('runs the command %s', async (name, args, words) => {
    expect(await command(name, ...args)).toEqual({ status: 0, printed: expect.stringMatching(words) as unknown });
  });

  it('runs the commands catalog-check and catalog-propose, which load the SDKs of the vendors', async () => {
    const unreachable = {
      OPENAI_API_KEY: 'sk-0123456789',
      OPENAI_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_API_KEY: 'sk-0123456789',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    };
    for (const [name, ...args] of [['catalog-check'], ['catalog-propose', 'openai/gpt-9']]) {
      const { status, printed } = await run(process.execPath, [`dist/src/commands/${name}.js`, ...args], unreachable);
      expect([name, status, printed.match(/is not reachable/g)?.length]).toEqual([
        name,
        name === 'catalog-check' ? 2 : 1,
        2,
      ]);
    }
  });

  it.each(['config:check', 'doctor', 'ledger:verify'])(
    'runs npm run %s, for which it builds nothing',
    async (script) => {
      expect(await run('npm', ['run', '--silent', script])).toMatchObject({ status: 0 });
    },
  );

  it('is documented with the commands that run here', () => {
    const documented =
      /^In the image, .*$/m.exec(readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8'))?.[0] ?? '';
    const files = [...documented.matchAll(/([\w-]+)\.js/g)].map(([, name]) => name).sort();
    expect(files).toEqual([
      'admin',
      'catalog-check',
      'catalog-propose',
      'config-check',
      'doctor',
      'evals-restore',
      'ledger-verify',
      'migrate',
    ]);
  });

  it('serves the API, its document and the page, names its commit, and ends with 0', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const [, ...args] = image.command;
    const program = await Program.start({
      program: 'node',
      args,
      folder: image.folder,
      variables: {
        ...variables,
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_TOKEN: 'metrics-token-0123456789',
        DRAIN_SECONDS: '0',
      },
      isReady: () =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
    });
    for (const path of ['/', '/docs', '/docs-json'])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    const metrics = await (
      await fetch(`${url}/metrics`, { headers: { Authorization: 'Bearer metrics-token-0123456789' } })
    ).text();
    expect(metrics).toContain(`mcs_build_info{version="${version}",commit="${COMMIT}",node="${process.version}"} 1`);
    await program.end('SIGTERM');
    expect(program.child.exitCode).toBe(0);
  });

  it('has no packages of development, and no other Node', () => {
    expect(() => execFileSync('ls', [join(image.folder, 'node_modules/typescript')], { stdio: 'pipe' })).toThrow();
    expect(() => execFileSync('ls', [join(image.folder, 'node_modules/node')], { stdio: 'pipe' })).toThrow();
  });
});
