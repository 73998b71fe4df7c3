import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import packageJson from '../../package.json';
import { read } from './docs.markdown';

const { scripts, devDependencies } = packageJson;

describe('The first build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-build-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([0, 3])('shows that it lives, and ends as the build does: %i', (code) => {
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    for (const name of ['src', 'migrations', 'docs']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'node_modules/.bin/nest'), '');
    // Its seconds are short here.
    writeFileSync(join(folder, 'node_modules/.bin/sleep'), '#!/bin/sh\nexec /bin/sleep 0.02\n', { mode: 0o755 });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({
        scripts: { 'build:if-needed': scripts['build:if-needed'], build: `/bin/sleep 0.3; echo built; exit ${code}` },
      }),
    );
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build:if-needed'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([code, 'built\n']);
    expect(stderr).toMatch(
      /^Building the service and its page: half a minute to some minutes, after a change only …\n\.{2,}\n$/,
    );
  });

  it('comes with the Node that runs it, whatever Node the machine has', () => {
    const PATH = process.env['PATH']?.split(delimiter).filter((path) => !path.includes('node_modules'));
    const printed = execFileSync('npm', ['exec', '--call', 'node --version'], { env: { PATH: PATH?.join(delimiter) } });
    expect(String(printed)).toBe(`v${devDependencies.node}\n`);
  });

  it('is what both commands of the README begin with', () => {
    expect(read('README.md')).toMatch(/^npm ci && npm start .+\nnpm ci && npm test /m);
    expect(scripts.start).toMatch(/^npm run --silent build:if-needed && .*node .* dist\/src\/main\.js$/);
    expect(scripts.test).toMatch(/^npm run --silent build:if-needed && .*jest --selectProjects unit api\b/);
  });
});
