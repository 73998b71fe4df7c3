import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { scripts } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

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
});
