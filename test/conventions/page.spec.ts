import { createRequire } from 'node:module';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const REPOSITORY = join(__dirname, '../..');
const ROOT = join(REPOSITORY, 'dist/page');
const { isAllowed } = createRequire(__filename)(join(__dirname, 'licenses.cjs')) as {
  isAllowed: (license: string) => boolean;
};
const KB = 1000;

const read = (file: string) => readFileSync(join(ROOT, file));
const page = String(read('index.html'));
const files = globSync('assets/*.{js,css}', { cwd: ROOT });
const scripts = files.filter((file) => file.endsWith('.js'));
const styles = files.filter((file) => file.endsWith('.css'));
/** The files loaded with the page: its style sheet, and its script with its imports. */
const atFirst = withImports(files.filter((file) => page.includes(`/${file}"`)));
const zippedSize = (names: readonly string[]) => names.reduce((total, name) => total + read(`${name}.gz`).length, 0);

/**
 * Addresses that appear in the files and are never asked for: names of formats, and a library's message of an error.
 */
const NEVER_ASKED = /^https?:\/\/www\.w3\.org\/|^https:\/\/github\.com\/markedjs\/marked\.$/;

/** Files with all that they import before they run. */
function withImports(names: readonly string[]): string[] {
  const imported = names.flatMap((name) =>
    [...String(read(name)).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)].map(([, file]) => `assets/${file}`),
  );
  const more = imported.filter((name) => !names.includes(name));
  return more.length === 0 ? [...names] : withImports([...new Set([...names, ...more])]);
}

describe('The built page', () => {
  it('weighs at most 62 kB before the first answer, and has at most 140 kB of script with all that loads later', () => {
    const first = {
      script: zippedSize(atFirst.filter((file) => file.endsWith('.js'))),
      style: zippedSize(atFirst.filter((file) => file.endsWith('.css'))),
    };
    const all = zippedSize(scripts);
    process.stdout.write(
      `Page, gzipped: ${first.script} B of script and ${first.style} B of style at first, ${all} B of script in all\n`,
    );
    expect(first.script + first.style).toBeLessThanOrEqual(62 * KB);
    expect(all).toBeLessThanOrEqual(140 * KB);
    expect(atFirst.some((file) => file.endsWith('.js'))).toBe(true);
  });

  it('loads the other screens, formatted text, and what checks and samples need later', () => {
    for (const chunk of [
      'record-screens',
      'formatted',
      'differences',
      'evaluation',
      'drift',
      'share-dialog',
      'shared-screen',
    ])
      expect(scripts.filter((file) => file.includes(chunk) && !atFirst.includes(file))).toHaveLength(1);
  });

  it('has one style sheet at first and one for what is new with checks and samples, and both ask for nothing', () => {
    expect([atFirst.filter((file) => file.endsWith('.css')).length, styles.length]).toEqual([1, 2]);
    for (const style of styles) expect(String(read(style))).not.toMatch(/url\((?!["']?data:)|@import/);
  });

  it('contains the address of no other host', () => {
    for (const file of ['index.html', ...files]) {
      const addresses = [...String(read(file)).matchAll(/https?:\/\/[\w.-]+\.[a-z]{2,}[^\s"'`)\\]*/g)].map(
        ([address]) => address,
      );
      expect([file, addresses.filter((address) => !NEVER_ASKED.test(address))]).toEqual([file, []]);
    }
  });

  it('never turns text into markup: nothing of its sources names a way to do so', () => {
    const sources = globSync('src/clients/page/**/*.{ts,tsx,html}', { cwd: REPOSITORY });
    expect(sources.length).toBeGreaterThan(20);
    for (const file of sources)
      expect([
        file,
        readFileSync(join(REPOSITORY, file), 'utf8').match(
          /innerHTML|InnerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment|new Function\b/g,
        ),
      ]).toEqual([file, null]);
  });

  it('has, beside each file, the same compressed', () => {
    for (const file of ['index.html', ...files]) {
      expect([
        file,
        brotliDecompressSync(read(`${file}.br`)).equals(read(file)),
        gunzipSync(read(`${file}.gz`)).equals(read(file)),
      ]).toEqual([file, true, true]);
    }
  });

  it('comes with the licenses of the packages in it, which may all be handed on', () => {
    const headings = [...String(read('licenses.md')).matchAll(/^## (?<name>\S+) - \S+ \((?<license>[^)]+)\)/gm)].map(
      ({ groups }) => groups ?? {},
    );
    expect(headings.map(({ name }) => name)).toEqual(expect.arrayContaining(['preact', '@preact/signals']));
    expect(headings.filter(({ license = '' }) => !isAllowed(license))).toEqual([]);
  });
});
