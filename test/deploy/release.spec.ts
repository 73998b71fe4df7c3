import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read } from '../conventions/docs.markdown';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = join(__dirname, '../..');
const { version, scripts } = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };
const CHANGELOG = `# Changelog\n\n## [Unreleased]\n\n## [9.1.0] - 2026-12-01\n\n### Added\n\n- Something.\n\n## [9.0.0] - 2026-11-30\n\n## [${version}] - 2026-11-29\n\n- All.\n`;
/** Where the version is named; in the Dockerfile by a label. */
const PLACES = [
  ...['Dockerfile', 'docker-compose.yml', 'docs/openapi.json', 'package-lock.json', 'package.json'],
  ...['daily', 'deployment', 'migrate'].map((name) => `deploy/kubernetes/${name}.yaml`),
  ...['pyproject.toml', 'src/model_comparison/transport.py'].map((name) => `clients/python/${name}`),
];
const DIRTY = 'the checkout has changes that are not committed.';
const INIT =
  'git init -q -b main; git config user.name a; git config user.email a@example.com; git add .; git commit -qm All';
/** Gives the branch an upstream with the same commits. */
const FOLLOW = 'git clone -q --bare . .git/up; git remote add origin .git/up; git push -q -u origin main';

/** A new repository with the files that name the version, and how commands and the script are run in it. */
function repository() {
  const folder = temporaryFolder();
  const options = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder }, encoding: 'utf8' } as const;
  const run = (command: string) => execFileSync('sh', ['-ec', command], { ...options, stdio: 'pipe' }).trim();
  const release = (...args: string[]) => {
    const command = [join(ROOT, 'deploy/release.mjs'), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
    return { status, said: stdout + stderr };
  };
  for (const file of PLACES) cpSync(join(ROOT, file), join(folder, file));
  writeFileSync(join(folder, 'CHANGELOG.md'), CHANGELOG);
  run(INIT);
  return { run, release };
}

describe('npm run release', () => {
  it('commits the version wherever it is named, and tags it with the section of the changelog', () => {
    expect(scripts['release']).toBe('node deploy/release.mjs');
    const { run, release } = repository();
    expect(release('9.1.0')).toEqual({ status: 0, said: expect.stringMatching(/^v9\.1\.0 is tagged\./) as unknown });
    expect(run('git status --porcelain; git diff v9.1.0')).toBe('');
    expect(run('git tag --list --format="%(contents)"')).toBe('## [9.1.0] - 2026-12-01\n\n### Added\n\n- Something.');
    expect(run('git diff --name-only HEAD^').split('\n').sort()).toEqual(PLACES.toSorted());
    expect(run('grep -l 9.1.0 $(git diff --name-only HEAD^)').split('\n').sort()).toEqual(PLACES.toSorted());
    expect(run('cat deploy/kubernetes/migrate.yaml')).toContain('name: mcs-migrate-9-1-0\n');
  });

  it('finds the version of package.json in each place of this checkout, so that it only sets the tag', () => {
    const { run, release } = repository();
    run(FOLLOW);
    expect(release(version).status).toBe(0);
    expect(run(`git log --format=%s v${version}`)).toBe('All');
  });

  it.each([
    ['usage: npm run release -- X.Y.Z', '9.1', ''],
    ['CHANGELOG.md has no section "## [9.2.0] - YYYY-MM-DD" with entries.', '9.2.0', ''],
    ['CHANGELOG.md has no section "## [9.0.0] - YYYY-MM-DD" with entries.', '9.0.0', ''],
    [`0.0.1 is below ${version}, the version of package.json.`, '0.0.1', ''],
    [DIRTY, '9.1.0', 'touch new'],
    ['there is a tag v9.1.0 already.', '9.1.0', 'git tag v9.1.0'],
    [
      'an earlier commit is Release 9.1.0; tag that.',
      '9.1.0',
      'for name in "Release 9.1.0" Next; do git commit -q --allow-empty -m "$name"; done',
    ],
    ['no branch is checked out.', '9.1.0', 'git checkout -q --detach'],
    ['git fetch origin failed, so main may be behind.', '9.1.0', `${FOLLOW}; rm -r .git/up`],
    [
      'main is behind origin: git pull.',
      '9.1.0',
      `git commit -q --allow-empty -m Next; ${FOLLOW}; git reset -q HEAD^; git update-ref refs/remotes/origin/main HEAD`,
    ],
  ])('refuses: %s', (reason, wanted, prepare) => {
    const { run, release } = repository();
    run(prepare);
    const before = run('git for-each-ref refs/tags refs/heads');
    expect(release(wanted)).toEqual({ status: 1, said: `Nothing was changed: ${reason}\n` });
    expect(run('git for-each-ref refs/tags refs/heads; git diff')).toBe(before);
  });

  it('names the build that is checked out, so that each has an image and a Job', () => {
    expect(scripts['release:manifests']).toBe('node deploy/release.mjs --manifests');
    const { run, release } = repository();
    const names = (): string[] => {
      expect(release('--manifests').status).toBe(0);
      const text = run('cat docker-compose.yml deploy/kubernetes/*');
      return [...new Set(text.match(/(?<=-service:|mcs-migrate-)\d[\w.-]*/g))].sort();
    };
    const hash = () => run('git rev-parse --short HEAD');
    expect(names()).toEqual([`${version.replaceAll('.', '-')}-g${hash()}`, `${version}-g${hash()}`]);
    run('git tag v9.1.0');
    expect(names()).toEqual(['9-1-0', '9.1.0']);
    run('git commit -q --allow-empty -m Next');
    expect(names()).toEqual([`9-1-0-1-g${hash()}`, `9.1.0-1-g${hash()}`]);
    run('touch new');
    expect(release('--manifests').said).toBe(`Nothing was changed: ${DIRTY}\n`);
  });
});
