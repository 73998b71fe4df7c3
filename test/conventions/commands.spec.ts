import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import catalog from '../../src/models/catalog.json';
import type { Json } from '../support/api';
import { PROGRAM_VARIABLES, TEST_SECRETS } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';
import { worker } from '../support/worker';

const ROOT = join(__dirname, '../..');

/** Runs a built command to its end, in that folder. */
function run(command: string, { cwd = ROOT, args = [], variables = {} }: { cwd?: string; args?: string[]; variables?: Record<string, string> } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, `dist/src/commands/${command}.js`), ...args], {
    cwd, encoding: 'utf8', env: { ...PROGRAM_VARIABLES, NODE_ENV: 'test', ...variables }, maxBuffer: 1e8,
  });
  return { status, stdout, stderr };
}

describe('Every command', () => {
  it('checks the version of Node before it loads anything, so that an old version is reported in one sentence', () => {
    for (const file of readdirSync(join(ROOT, 'src/commands')).filter((name) => name.endsWith('.ts'))) {
      const source = readFileSync(join(ROOT, 'src/commands', file), 'utf8');
      if (/^(void )?run(OnDatabase|Command)\(/m.test(source)) expect([file, source.split('\n', 1)[0]]).toEqual([file, "import '../bootstrap/check-node-version';"]);
    }
  });
});

describe('Every command but admin, which mcs reads,', () => {
  const commands = readdirSync(join(ROOT, 'src/commands')).filter((name) => name.endsWith('.ts') && /^void run(OnDatabase|Command)\(/m.test(readFileSync(join(ROOT, 'src/commands', name), 'utf8'))).map((name) => name.replace(/\.ts$/, ''));

  it.each(commands)('ends with 2 and its usage for a word that it does not take: %s', (command) => {
    for (const args of [['--nope'], ['one', 'two']]) expect(run(command, { args })).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^These words are not understood\. Usage: [^\n]+\n$/) });
  });

  it('is eight', () => {
    expect(commands).toHaveLength(8);
  });
});

describe('npm run openapi:generate', () => {
  it('prints the committed API document exactly, without a database and without settings', () => {
    const { status, stdout } = run('openapi');
    expect(status).toBe(0);
    expect(stdout).toBe(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
  });
});

describe('npm run config:check', () => {
  const production = { NODE_ENV: 'production', SIMULATOR: 'on', DATABASE_URL: 'postgresql://mcs:pa55word@nowhere.invalid/mcs?sslmode=disable', ...TEST_SECRETS };

  it('prints every setting with its source, without connecting, and shows no secret', () => {
    const { status, stdout } = run('config-check', { variables: { ...production, PORT: '4000' } });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^PORT {2,}environment {2}4000$/m);
    expect(stdout).toMatch(/^HOST {2,}default {6}127\.0\.0\.1$/m);
    expect(stdout).toMatch(/^DATABASE_URL {2,}environment {2}set$/m);
    expect(stdout).toMatch(/\n\nThe service can start with these settings\.\n$/);
    expect(stdout).not.toMatch(new RegExp(`pa55word|${Object.values(TEST_SECRETS).join('|')}`));
  });

  it('ends with 1 and everything that is wrong, and names variables that look like settings', () => {
    const { status, stdout } = run('config-check', { variables: { ...production, PORT: 'x', LOG_LEVEL: 'chatty', REDIS_URL_FILE: '/nowhere', REDIS_URI: 'redis://redis' } });
    expect(status).toBe(1);
    expect(stdout).toContain('\nREDIS_URI is not read. Is REDIS_URL meant?\n');
    expect(stdout).toMatch(/\n\nThe service cannot start with these settings:\n {2}- REDIS_URL_FILE: names a file that is not there\n {2}- PORT: must be a number\n {2}- LOG_LEVEL: must be one of .*\n$/);
  });

  it('names what is wrong with the models, as the start does', () => {
    const { status, stdout } = run('config-check', { variables: { ...production, FREE_MODELS: 'sim-swift,nothing-1' } });
    expect(status).toBe(1);
    expect(stdout).toMatch(/\n {2}- FREE_MODELS: the catalog has no model with the id nothing-1\n$/);
    expect(run('config-check', { variables: { ...production, MODEL_CATALOG_FILE: '/dev/zero' } }).stdout).toMatch(/\n {2}- MODEL_CATALOG_FILE: names something that is not a file\n$/);
  });

  it('prints the same as JSON', () => {
    const { status, stdout } = run('config-check', { args: ['--json'], variables: { ...production, PORT: 'x' } });
    expect(status).toBe(1);
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual(['settings', 'problems', 'warnings', 'margin', 'unknown']);
    expect(report.problems).toEqual(['PORT: must be a number']);
    expect(report.settings).toContainEqual({ name: 'API_KEY_PEPPER', source: 'environment', value: 'set' });
  });

  it('prints the margin in percent, and implausible settings', () => {
    const { status, stdout } = run('config-check', { variables: { ...production, BILLING_MARGIN: '0.29', EVAL_TIMEOUT_MS: '59000', FREE_QUOTA: '5' } });
    expect(status).toBe(0);
    expect(stdout).toContain('\n\nThe margin is 29 percent on top of what vendors charge.\n\nFREE_QUOTA is not read since version 0.2.0; it is FREE_EVALS_PER_MONTH now.\n\nEVAL_TIMEOUT_MS is below MODEL_TIMEOUT_MS, so no model gets the whole MODEL_TIMEOUT_MS.\n');
    expect(run('config-check', { variables: { ...production, BILLING_MARGIN: '40' } }).stdout).toContain('  - BILLING_MARGIN: must be at most 5, which charges six times the cost; 0.4 means 40 percent\n');
  });

  it('names the lines of .env that say nothing by their numbers', () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.env'), '# ours\nPORT=4000\nsk-secret-of-ours\n');
    const { status, stdout } = run('config-check', { cwd, variables: { ...production, NODE_ENV: 'development' } });
    expect(status).toBe(0);
    expect(stdout).toContain('\n\n.env: line 3 is not read; a setting is written NAME=value.\n');
    expect(stdout).not.toContain('sk-secret');
  });
});

describe('npm run catalog:check', () => {
  it('prints one verdict on every model of a vendor, and a summary', () => {
    const { status, stderr } = run('catalog-check');
    const lines = stderr.trimEnd().split('\n');
    const checked = catalog.filter(({ vendor }) => vendor !== 'simulator' && vendor !== 'local').map(({ id }) => id);
    expect(lines.slice(0, -1).map((line) => line.split(' ')[0])).toEqual(checked);
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^\S+ +(equal$|differs: (input|output|cach)|not there|no price of ours for today)/);
    const [, all, ...parts] = /^(\d+) models: (\d+) equal, (\d+) differ, (\d+) not there, (\d+) without a price today\.$/.exec(lines.at(-1) ?? '') ?? [];
    expect(Number(all)).toBe(checked.length);
    expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBe(checked.length);
    // Most of the catalog is known there; were nothing, the comparison would be broken.
    expect(Number(parts[0])).toBeGreaterThan(0);
    expect(status).toBe(parts[1] === '0' ? 0 : 1);
  });

  it('ends with 1 and names the rates when a price differs, here one of MODEL_CATALOG_FILE', () => {
    const file = join(temporaryFolder(), 'models.json');
    const mine = catalog.filter(({ id }) => id === 'gpt-6-luna').map((model) => ({ ...model, prices: [{ from: '2026-01-01', input: '0.11', cachedInput: '0.01', cacheWrite: '0.125', output: '0.50' }] }));
    writeFileSync(file, JSON.stringify(mine));
    const { status, stderr } = run('catalog-check', { variables: { MODEL_CATALOG_FILE: file } });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^gpt-6-luna +differs: input 0\.11, theirs 0\.1$/m);
  });
});

describe('npm run evals:restore', () => {
  it.each(['/nope', ROOT])('says that there is no file to read before it connects anywhere: %s', (file) => {
    expect(run('evals-restore', { args: [file], variables: { DATABASE_URL: 'postgresql://mcs@nowhere.invalid/mcs', ...TEST_SECRETS } })).toEqual({
      status: 1, stdout: '', stderr: `${file} is not a file that this user may read; nothing was done.\n`,
    });
  });
});

describe('npm run db:migration:create', () => {
  const variables = { DATABASE_URL: worker().databaseUrl, ...TEST_SECRETS };

  /** A folder in which migrations are written, with that snapshot of the last one. */
  function project(change: (snapshot: Json) => void): { folder: string; written: () => string[] } {
    const folder = temporaryFolder();
    const migrations = join(folder, 'migrations');
    mkdirSync(migrations);
    const snapshot: Json = JSON.parse(readFileSync(join(ROOT, 'migrations/.snapshot.json'), 'utf8'));
    change(snapshot);
    writeFileSync(join(migrations, '.snapshot.json'), JSON.stringify(snapshot));
    return { folder, written: () => readdirSync(migrations).filter((name) => name.endsWith('.ts')).map((name) => join(migrations, name)) };
  }

  it('writes nothing while the entities and the snapshot agree', () => {
    const { folder, written } = project(() => undefined);
    expect(run('migration-create', { cwd: folder, args: ['nothing'], variables })).toMatchObject({ status: 0, stderr: expect.stringContaining('The entities and the migrations agree.') });
    expect(written()).toEqual([]);
  });

  it('writes the changes of the entities as a migration of the given name, and a new snapshot', () => {
    const { folder, written } = project(({ tables }) => {
      const { columns } = tables.find(({ name }: Json) => name === 'users');
      delete columns['email'];
    });
    const { status, stderr } = run('migration-create', { cwd: folder, args: ['add_email'], variables });
    const [file = ''] = written();
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^Written: Migration\d{14}_add_email\.ts\. Read it before you commit it\.$/m) });
    expect(file).toMatch(/Migration\d{14}_add_email\.ts$/);
    expect(readFileSync(file, 'utf8')).toMatch(/alter table "users" add "email"/);
    expect(run('migration-create', { cwd: folder, args: ['again'], variables }).stderr).toContain('agree');
  });
});
