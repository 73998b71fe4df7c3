import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** Everything written by hand that ESLint does not read. */
const FILES = [
  ...readdirSync(ROOT).filter(
    (name) => name.endsWith('.md') && !['THIRD_PARTY_LICENSES.md', 'CHANGELOG.md'].includes(name),
  ),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  'deploy/README.md',
  'src/clients/client/package/README.md',
  '.env.example',
];

interface PlainWords {
  complaintsAboutSentence: (text: string) => string[];
  complaintsAboutSpelling: (text: string) => string[];
}

async function plainWords(): Promise<PlainWords> {
  return (await import(join(__dirname, 'plain-words.mjs'))) as PlainWords;
}

describe('Documents, settings and scripts', () => {
  it.each(FILES)('%s is written in plain words', async (file) => {
    const { complaintsAboutSentence } = await plainWords();
    const prose = readFileSync(join(ROOT, file), 'utf8').replace(/```[\s\S]*?```/g, (block) =>
      block.replace(/[^\n]/g, ''),
    );
    expect(
      prose
        .split('\n')
        .flatMap((line, index) =>
          complaintsAboutSentence(line).map((complaint) => `${file}:${index + 1} ${complaint}`),
        ),
    ).toEqual([]);
  });

  it('names of settings and scripts have American spelling', async () => {
    const { complaintsAboutSpelling } = await plainWords();
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const settings = [...readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(
      ([, name = '']) => name,
    );
    expect(settings.length).toBeGreaterThan(10);
    expect([...settings, ...Object.keys(scripts)].flatMap(complaintsAboutSpelling)).toEqual([]);
  });
});
