import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { allDocuments, brokenLinks, codeIn, exists, read, rowsOf, sectionOf } from './docs.markdown';

const documents = allDocuments();
const decisions = documents.filter(({ path }) => /^docs\/decisions\/\d/.test(path));

/** The headings of every decision record, in this order. */
const PARTS = ['## Context', '## Decision', '## Alternatives', '## Consequences'];

describe('The documents', () => {
  it('include a README of at most 80 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(80);
  });

  it('link only to files and headings that exist', () => {
    expect(documents.length).toBeGreaterThan(30);
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  it('name only files and folders that exist', () => {
    const named = documents.flatMap(({ path, text }) =>
      codeIn(text).flatMap((code) => {
        const file = /^(?:src|test|docs|bench|migrations)\/[\w./*-]+/.exec(code)?.[0];
        return file === undefined ? [] : [{ path, file }];
      }),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ file }) => !exists(file))).toEqual([]);
  });

  it('name only scripts of package.json', () => {
    const named = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, script = '']) => ({ path, script })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ script }) => !Object.hasOwn(packageJson.scripts, script))).toEqual([]);
  });

  it('run and install only packages that this project depends on, or has built, because others could register our names', () => {
    const known = new Set(Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies }));
    const files = [
      ...documents,
      ...globSync('{src/{clients,bootstrap}/**/*.{ts,tsx},.github/**/*.yml,Dockerfile}').map((path) => ({
        path,
        text: read(path),
      })),
    ];
    const named = files.flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /\b(?:npx|npm (?:i|install|exec)|pnpm (?:add|dlx)|yarn (?:add|dlx)|bunx)((?: -[\w-]+)*) (?!-)([@\w./-]+)/g,
        ),
      ].map(([, , name = '']) => ({ path, name })),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter(({ name }) => !name.startsWith('./') && !known.has(name))).toEqual([]);
    expect(read('src/clients/client/package/build.mjs')).toContain("name: '@model-comparison/client'");
  });

  it('name every script that a person runs in CONTRIBUTING.md', () => {
    const helpers = /^(pre|post)|:if-needed$/;
    const listed = codeIn(sectionOf(read('CONTRIBUTING.md'), '## Scripts')).map(
      (code) => /^npm (?:run )?([\w:-]+)/.exec(code)?.[1],
    );
    expect(
      Object.keys(packageJson.scripts).filter((script) => !helpers.test(script) && !listed.includes(script)),
    ).toEqual([]);
  });

  it('include a changelog whose newest version is that of package.json', () => {
    expect(/^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(packageJson.version);
  });

  it('include a changelog with at most 60 lines about 1.0.0, all that breaks first, and 40 about the versions before', () => {
    const [, stable = '', before = ''] = /^(## \[1\.0\.0\].*?)^(## \[0\..*)/ms.exec(read('CHANGELOG.md')) ?? [];
    expect(stable.match(/^### .*/gm)).toEqual(['### Breaking', '### Added', '### Changed', '### Fixed']);
    expect(stable.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    expect(before.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(stable).not.toMatch(/^.{401}/m);
  });
});

describe('The decision records', () => {
  it('have unique numbers, which their titles carry', () => {
    const numbers = decisions.map(({ path }) => Number(/\/(\d{4})-/.exec(path)?.[1]));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(decisions.map(({ text }) => Number(/^# (\d+)\. \S/.exec(text)?.[1]))).toEqual(numbers);
  });

  it('have files that are named after their titles', () => {
    const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const named = decisions.map(({ path, text }) => [path, /^# \d+\. (.+)$/m.exec(text)?.[1] ?? ''] as const);
    expect(named.filter(([path, title]) => !path.endsWith(`${slug(title)}.md`)).map(([path]) => path)).toEqual([]);
  });

  it('each have a date, a context, a decision, alternatives and consequences', () => {
    expect(decisions.filter(({ text }) => !/^- Date: 2\d{3}-\d{2}-\d{2}/m.test(text)).map(({ path }) => path)).toEqual(
      [],
    );
    for (const { path, text } of decisions)
      expect([path, [...text.matchAll(/^## .+$/gm)].map(String).slice(0, PARTS.length)]).toEqual([path, PARTS]);
  });

  it('are listed in their index under their own titles', () => {
    const listed = rowsOf(read('docs/decisions/README.md')).map(([, link]) =>
      /^\[(.+)\]\((.+)\)$/.exec(link ?? '')?.slice(1),
    );
    expect(listed).toEqual(
      decisions.map(({ path, text }) => [/^# \d+\. (.+)$/m.exec(text)?.[1], path.replace('docs/decisions/', '')]),
    );
  });
});

describe('The root of the repository', () => {
  it('contains the documents that a visitor looks for', () => {
    for (const file of [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'LICENSE',
      'THIRD_PARTY_LICENSES.md',
      '.github/pull_request_template.md',
    ]) {
      expect([file, existsSync(join(__dirname, '../..', file))]).toEqual([file, true]);
    }
  });
});
