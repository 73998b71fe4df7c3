import { globSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TYPE_NAMES } from '../../src/modules/checks/types';
import { Metrics } from '../../src/platform/observability/metrics';
import type { Json } from '../support/api';
import { codeIn, read, rowsOf, sectionOf } from './docs.markdown';

const ROOT = join(__dirname, '../..');

interface Endpoints {
  withTables: (page: string, document: Json) => string;
}

/** Routes that the API document leaves out. */
const UNDOCUMENTED = ['GET /health/live', 'GET /health/ready', 'GET /metrics'];

/** Names and modules of the tables, from the entities. */
function tablesOfEntities(): string[][] {
  return globSync('src/modules/**/*.entity.ts', { cwd: ROOT }).map((path) => {
    const name = /tableName: '(\w+)'/.exec(readFileSync(join(ROOT, path), 'utf8'))?.[1] ?? path;
    return [name, path.split('/')[2] ?? ''];
  });
}

/** The folders of a floor in the order in which the rules of `npm run lint:deps` let them import each other. */
function orderOf(floor: string): string[] {
  const rules: Json = createRequire(__filename)(join(ROOT, '.dependency-cruiser.cjs'));
  return (rules.forbidden as Json[])
    .filter(({ name, from }) => name.endsWith('-only-downwards') && from.path.startsWith(`^src/${floor}/`))
    .map(({ name }) => name.replace(/-only-downwards$/, ''));
}

describe('docs/api.md', () => {
  it('lists every endpoint, and none that is gone', () => {
    const document: Json = JSON.parse(read('docs/openapi.json'));
    const operations = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const listed = rowsOf(sectionOf(read('docs/api.md'), '## Endpoints'))
      .flatMap(([first]) => codeIn(first ?? ''))
      .filter((code) => /^[A-Z]+ \//.test(code));
    expect(listed.toSorted()).toEqual([...operations, ...UNDOCUMENTED].sort());
  });

  it('has the tables that npm run openapi:generate makes from the API document', async () => {
    const { withTables } = (await import(join(ROOT, 'docs/endpoints.mjs'))) as Endpoints;
    const page = read('docs/api.md');
    expect(withTables(page, JSON.parse(read('docs/openapi.json')))).toBe(page);
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

  it.each(['modules', 'platform', 'clients'])('lists every folder of src/%s in the order of the rules', (floor) => {
    const listed = [...sectionOf(text, '## The tree').matchAll(/^\| `src\/([a-z]+)\/([a-z-]+)` \|/gm)];
    const rows = listed.filter(([, its]) => its === floor).map(([, , folder]) => folder);
    expect(rows).toEqual(orderOf(floor));
    expect(rows.toSorted()).toEqual(readdirSync(join(ROOT, 'src', floor)).sort());
  });

  it('draws every folder of src, and says what each is for', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const drawn = /```mermaid\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    expect(
      folders.map(({ name }) => name).filter((name) => !new RegExp(`<b>.*\\b${name}\\b.*</b>`).test(drawn)),
    ).toEqual([]);
  });
});

describe('docs/evaluation.md', () => {
  it('lists every type of check', () => {
    const listed = rowsOf(sectionOf(read('docs/evaluation.md'), '## Checks')).map(([type]) => codeIn(type ?? '')[0]);
    expect(listed).toEqual(TYPE_NAMES);
  });
});
