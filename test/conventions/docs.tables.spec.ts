import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Metrics } from '../../src/platform/observability/metrics';
import type { Json } from '../support/api';
import { codeIn, read, rowsOf, sectionOf } from './docs.markdown';

const ROOT = join(__dirname, '../..');

/** Routes that the API document leaves out. */
const UNDOCUMENTED = ['GET /health/live', 'GET /health/ready', 'GET /metrics'];

/** Names and modules of the tables, from the entities. */
function tablesOfEntities(): string[][] {
  return globSync('src/*/**/*.entity.ts', { cwd: ROOT }).map((path) => {
    const name = /tableName: '(\w+)'/.exec(readFileSync(join(ROOT, path), 'utf8'))?.[1] ?? path;
    return [name, path.split('/')[1] ?? ''];
  });
}

/** The allowed imports of each module, from the rules of `npm run lint:deps`. */
function allowedImports(): Record<string, string[]> {
  const rules: Json = createRequire(__filename)(join(ROOT, '.dependency-cruiser.cjs'));
  const entries = (rules.forbidden as Json[]).flatMap(({ name, to }) => {
    const module = /^(.+)-only-downwards$/.exec(name)?.[1];
    return module === undefined
      ? []
      : [[module, (/\((.+)\)/.exec(to.pathNot)?.[1] ?? '').split('|').filter((target) => target !== module)] as const];
  });
  return Object.fromEntries(entries);
}

describe('README.md', () => {
  it('lists every endpoint, and none that is gone', () => {
    const document: Json = JSON.parse(read('docs/openapi.json'));
    const operations = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const listed = rowsOf(sectionOf(read('README.md'), '## Endpoints'))
      .flatMap(([first]) => codeIn(first ?? ''))
      .filter((code) => /^[A-Z]+ \//.test(code));
    expect(listed.toSorted()).toEqual([...operations, ...UNDOCUMENTED].sort());
  });
});

describe('docs/operations.md', () => {
  const metrics = new Metrics().registry.getMetricsAsArray() as { name: string; labelNames?: string[] }[];
  const names = metrics.map(({ name }) => name);
  const section = sectionOf(read('docs/operations.md'), '## Metrics and alerts');

  it('lists every metric of the service with its labels, and none that is gone', () => {
    const listed = rowsOf(section)
      .map(([name, labels]) => [codeIn(name ?? '')[0] ?? '', codeIn(labels ?? '')] as const)
      .filter(([name]) => /^\w+$/.test(name));
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(metrics.map(({ name, labelNames = [] }) => [name, labelNames])),
    );
  });

  it('watches only metrics that exist', () => {
    const watched = rowsOf(section)
      .flatMap(([first]) => codeIn(first ?? ''))
      .flatMap((code) => /\b[a-z]+(?:_[a-z]+)+(?=\{|\[| ==)/.exec(code) ?? [])
      .map((name) => name.replace(/_count$/, ''));
    expect(watched.length).toBeGreaterThan(3);
    expect(watched.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const text = read('docs/architecture.md');

  it('lists every table with the module that owns it', () => {
    expect(
      rowsOf(sectionOf(text, '## Tables'))
        .map(([name, module]) => [codeIn(name ?? '')[0], module])
        .sort(),
    ).toEqual(tablesOfEntities().sort());
  });

  it('lists every module, and draws each in its diagram', () => {
    const folders = [...new Set(globSync('src/*/*.ts', { cwd: ROOT }).map((path) => path.split('/')[1] ?? ''))];
    const modules = folders.filter((folder) => folder !== 'bootstrap' && folder !== 'commands').sort();
    const section = sectionOf(text, '## Modules');
    expect(
      rowsOf(section)
        .flatMap(([first]) => codeIn(first ?? ''))
        .filter((code) => code.startsWith('src/'))
        .map((code) => code.slice('src/'.length))
        .sort(),
    ).toEqual(modules);
    const drawn = [...section.matchAll(/^ {4}([a-z-]+)$/gm)].map(([, name]) => name).sort();
    expect(drawn).toEqual(modules);
  });

  it('draws every import that the dependency rules allow, and no other: each arrow, or a way along arrows', () => {
    const arrows = [...sectionOf(text, '## Modules').matchAll(/^ {2}([a-z-]+) --> ([a-z-]+)$/gm)].map(
      ([, from = '', to = '']) => [from, to] as const,
    );
    const reachable = (from: string): string[] =>
      arrows.filter(([begin]) => begin === from).flatMap(([, to]) => [to, ...reachable(to)]);
    const allowed = allowedImports();
    expect(arrows.filter(([from, to]) => allowed[from]?.includes(to) !== true)).toEqual([]);
    expect(
      Object.entries(allowed)
        .filter(([module]) => module !== 'bootstrap')
        .flatMap(([module, targets]) =>
          targets.filter((target) => !reachable(module).includes(target)).map((target) => `${module} --> ${target}`),
        ),
    ).toEqual([]);
  });
});
