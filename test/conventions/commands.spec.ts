import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import catalog from '../../src/models/catalog.json';
import type { Json } from '../support/api';
import { TEST_SECRETS } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';
import { worker } from '../support/worker';

const ROOT = join(__dirname, '../..');

/** Runs a built command to its end, in that folder. */
function run(command: string, { cwd = ROOT, args = [], variables = {} }: { cwd?: string; args?: string[]; variables?: Record<string, string> } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, `dist/src/commands/${command}.js`), ...args], {
    cwd, encoding: 'utf8', env: { NODE_ENV: 'test', ...variables }, maxBuffer: 1e8,
  });
  return { status, stdout, stderr };
}

describe('npm run openapi:generate', () => {
  it('prints the committed API document exactly, without a database and without settings', () => {
    const { status, stdout } = run('openapi');
    expect(status).toBe(0);
    expect(stdout).toBe(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
  });
});

describe('npm run catalog:check', () => {
  it('prints one verdict on every model of a vendor, and a summary', () => {
    const { status, stderr } = run('catalog-check');
    expect(status).toBe(0);
    const lines = stderr.trimEnd().split('\n');
    const checked = catalog.filter(({ vendor }) => vendor !== 'simulator' && vendor !== 'local').map(({ id }) => id);
    expect(lines.slice(0, -1).map((line) => line.split(' ')[0])).toEqual(checked);
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^\S+ +(equal$|differs: (input|output|cach)|not there|no price of ours for today)/);
    const [, all, ...parts] = /^(\d+) models: (\d+) equal, (\d+) differ, (\d+) not there, (\d+) without a price today\.$/.exec(lines.at(-1) ?? '') ?? [];
    expect(Number(all)).toBe(checked.length);
    expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBe(checked.length);
    // Most of the catalog is known there; were nothing, the comparison would be broken.
    expect(Number(parts[0])).toBeGreaterThan(0);
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
