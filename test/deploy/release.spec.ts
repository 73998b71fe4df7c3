import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read } from '../conventions/docs.markdown';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = join(__dirname, '../..');
const { version, scripts } = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };
const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n## [9.1.0] - 2026-12-01\n\n### Added\n\n- Something.\n\n## [9.0.0] - 2026-11-30\n\n';

/** A new repository with the files that name the version, and how git and the script are run in it. */
function repository() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'deploy'));
  for (const file of ['package.json', 'package-lock.json', 'docker-compose.yml', 'deploy/kubernetes'])
    cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  writeFileSync(join(folder, 'CHANGELOG.md'), CHANGELOG);
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
  const release = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'deploy/release.mjs'), ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  };
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'All');
  return { folder, git, release };
}

describe('npm run release', () => {
  it('commits the version wherever it is named, and tags it with the section of the changelog', () => {
    expect(scripts['release']).toBe('node deploy/release.mjs');
    const { folder, git, release } = repository();
    expect(release('9.1.0')).toEqual({ status: 0, said: expect.stringMatching(/^v9\.1\.0 is tagged\./) as unknown });
    expect(git('status', '--porcelain')).toBe('');
    expect(git('rev-parse', 'v9.1.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('tag', '--list', '--format=%(contents)', 'v9.1.0')).toBe(
      '## [9.1.0] - 2026-12-01\n\n### Added\n\n- Something.',
    );
    expect(git('grep', '--name-only', '--fixed-strings', '9.1.0').split('\n').sort()).toEqual([
      'CHANGELOG.md',
      'deploy/kubernetes/daily.yaml',
      'deploy/kubernetes/deployment.yaml',
      'deploy/kubernetes/migrate.yaml',
      'docker-compose.yml',
      'package-lock.json',
      'package.json',
    ]);
    expect(readFileSync(join(folder, 'deploy/kubernetes/migrate.yaml'), 'utf8')).toContain('name: mcs-migrate-9-1-0\n');
    expect(release('9.1.0')).toEqual({ status: 1, said: 'Nothing was changed: there is a tag v9.1.0 already.\n' });
  });

  it.each([
    ['a version that is none', '9.1', 'usage: npm run release -- X.Y.Z'],
    [
      'a version without a section in the changelog',
      '9.2.0',
      'CHANGELOG.md has no section "## [9.2.0] - YYYY-MM-DD" with entries.',
    ],
    [
      'a version whose section is empty',
      '9.0.0',
      'CHANGELOG.md has no section "## [9.0.0] - YYYY-MM-DD" with entries.',
    ],
    ['a version below the last one', '0.0.1', `0.0.1 is below ${version}, the version of package.json.`],
  ])('refuses %s', (_, wanted, reason) => {
    const { git, release } = repository();
    expect(release(wanted)).toEqual({ status: 1, said: `Nothing was changed: ${reason}\n` });
    expect([git('tag'), git('status', '--porcelain')]).toEqual(['', '']);
  });

  it('refuses a checkout with changes', () => {
    const { folder, git, release } = repository();
    writeFileSync(join(folder, 'new.txt'), '');
    expect(release('9.1.0')).toEqual({
      status: 1,
      said: 'Nothing was changed: the checkout has changes that are not committed.\n',
    });
    expect(git('tag')).toBe('');
  });
});
