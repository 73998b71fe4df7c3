import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environment } from '../../src/platform/config/environment';
import { FILE_SETTINGS } from '../../src/platform/config/setting-files';
import { CHAT_VENDORS } from '../../src/modules/providers/chat-vendors';
import type { Json } from '../support/api';
import { parseCompose } from '../deploy/compose';
import { parse, readFiles } from '../deploy/manifests';
import { unknownSettings } from '../deploy/settings';
import { unitVariables } from '../deploy/unit';
import { codeIn, read, rowsOf, sectionOf } from './docs.markdown';

const ROOT = join(__dirname, '../..');
const NAMES = Object.keys(environment.shape).sort();
const GROUPS = ['Server', 'Traces', 'Database', 'Auth', 'Vendors', 'Limits', 'Billing', 'Payments'];

/** Placeholders in the README's calls. */
const PLACEHOLDER = 'USER_ID';

const document = read('docs/configuration.md');

interface Row {
  name: string;
  /** The written value; undefined for a dash or words. */
  value: string | undefined;
}

/** The variables of a group with their defaults, in the order of docs/configuration.md. */
function documented(group: string): Row[] {
  return rowsOf(sectionOf(document, `## ${group}`))
    .map(([name, value]) => ({ name: codeIn(name ?? '')[0] ?? '', value: codeIn(value ?? '')[0] }))
    .filter(({ name }) => /^[A-Z][A-Z0-9_]+$/.test(name));
}

/** The variables of each group of .env.example, in its order. */
function examples(): Record<string, string[]> {
  const [, ...groups] = read('.env.example').split(/^## /m);
  return Object.fromEntries(
    groups.map((group) => [
      group.slice(0, group.indexOf('\n')),
      [...group.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name ?? ''),
    ]),
  );
}

/** The default of a variable as it would be written. */
function defaultOf(name: string): string | undefined {
  const vendor = /^(\w+)_BASE_URL$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(CHAT_VENDORS, vendor)) return CHAT_VENDORS[vendor as keyof typeof CHAT_VENDORS].baseUrl;
  const { data } = environment.shape[name as keyof typeof environment.shape].safeParse(undefined);
  if (data === undefined || (Array.isArray(data) && data.length === 0)) return undefined;
  return String(data);
}

/** A switch may be written in several ways. */
function normalized(value: string | undefined): string | undefined {
  return value === 'on' ? 'true' : value;
}

describe('The configuration', () => {
  it('is listed completely in docs/configuration.md, each variable in one group', () => {
    expect(GROUPS.flatMap((group) => documented(group).map(({ name }) => name)).sort()).toEqual(NAMES);
  });

  it('is listed completely in .env.example, in the groups and the order of docs/configuration.md', () => {
    expect(examples()).toEqual(
      Object.fromEntries(GROUPS.map((group) => [group, documented(group).map(({ name }) => name)])),
    );
  });

  it('has the defaults that docs/configuration.md states', () => {
    // Anthropic's is that of its SDK.
    const rows = GROUPS.flatMap(documented).filter(({ name }) => name !== 'ANTHROPIC_BASE_URL');
    expect(rows.map(({ name, value }) => [name, normalized(value)])).toEqual(
      rows.map(({ name }) => [name, defaultOf(name)]),
    );
  });

  it('has the secrets in files that docs/configuration.md states', () => {
    const named = codeIn(sectionOf(document, '## Secrets in files')).filter((name) => NAMES.includes(name));
    const isStated = (name: string) =>
      named.includes(name) || name.startsWith('STRIPE_') || /^[A-Z]+_API_KEY$/.test(name);
    expect(NAMES.filter((name) => FILE_SETTINGS.includes(name) !== isStated(name))).toEqual([]);
  });

  it.each<[file: string, names: () => string[]]>([
    [
      'the manifests for Kubernetes',
      () => parse(readFiles()).containers.flatMap(({ variables }) => Object.keys(variables)),
    ],
    [
      'docker-compose.yml',
      () =>
        Object.values(parseCompose(read('docker-compose.yml')).services as Record<string, Json>)
          .filter(({ build }) => build !== undefined)
          .flatMap(({ environment: set }) => Object.keys(set as object)),
    ],
    ['deploy/mcs.service', () => Object.keys(unitVariables(read('deploy/mcs.service')))],
    [
      'the Dockerfile',
      () =>
        [...(/^ENV (.+)$/m.exec(read('Dockerfile'))?.[1] ?? '').matchAll(/(?:^| )([A-Z_]+)=/g)].map(
          ([, name]) => name ?? '',
        ),
    ],
    [
      'the README and docs/api.md',
      () =>
        codeIn(read('README.md') + read('docs/api.md'))
          .flatMap((code) => /^([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=.*)?$/.exec(code)?.[1] ?? [])
          .filter((name) => name !== PLACEHOLDER),
    ],
  ])('is all that %s sets: nothing that is not read', (_file, names) => {
    expect(names().length).toBeGreaterThan(1);
    expect(unknownSettings(names())).toEqual([]);
  });

  it('stops a start in production with the name of each missing variable, and shows no value', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/src/main.js')], {
      encoding: 'utf8',
      env: { NODE_ENV: 'production', ADMIN_API_KEY: 'too-short-secret', PORT: 'my-secret-port' },
    });
    expect(status).toBe(78);
    for (const name of ['DATABASE_URL', 'API_KEY_PEPPER', 'PORT']) expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/my-secret-port|too-short-secret/);
  });
});
