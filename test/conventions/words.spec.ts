import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** Lines that need a retired word, each with the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map();

/** Everything written by hand that ESLint does not read. */
const FILES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md') && name !== 'THIRD_PARTY_LICENSES.md'),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md')).map((name) => join('docs', name)),
  '.env.example',
];

interface RetiredWords {
  retiredInText: (text: string) => string[];
  retiredInName: (name: string) => string[];
}

async function retiredWords(): Promise<RetiredWords> {
  return (await import(join(__dirname, 'retired-words.mjs'))) as RetiredWords;
}

describe('Documents, settings and scripts', () => {
  it.each(FILES)('%s contains no retired word', async (file) => {
    const { retiredInText } = await retiredWords();
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    expect(lines.flatMap((line, index) => (EXCEPTIONS.has(line) ? [] : retiredInText(line)).map((complaint) => `${file}:${index + 1} ${complaint}`))).toEqual([]);
  });

  it('names of settings and scripts contain no retired word', async () => {
    const { retiredInName } = await retiredWords();
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const settings = [...readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(settings.length).toBeGreaterThan(10);
    expect([...settings, ...Object.keys(scripts)].flatMap(retiredInName)).toEqual([]);
  });
});
