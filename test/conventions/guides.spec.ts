import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, globSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '../support/api';
import { builtPackage } from '../support/client-package';
import { createCaller } from '../support/factories';
import { temporaryFolder } from '../support/temporary-folder';
import { read } from './docs.markdown';

const ROOT = join(__dirname, '../..');
const MARK = '\u0001';
const describeWithCurl = spawnSync('curl', ['--version']).status === 0 ? describe : describe.skip;
/** Figures of time, which differ each time. */
const TIMES = /latency|_ms$|seconds|created_at/;

/** The commands of a guide in order, each with the answer that is shown after it. */
function stepsOf(text: string): { commands: string; shown?: string }[] {
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', content = '']) => ({
    language,
    content,
  }));
  return blocks.flatMap(({ language, content }, i) => {
    const next = blocks[i + 1];
    return language === 'sh'
      ? [{ commands: content, ...(['json', 'text'].includes(next?.language ?? '') && { shown: next?.content }) }]
      : [];
  });
}

/** Runs all commands in one shell, at the service of this worker, and returns what each step printed. */
async function run(steps: readonly { commands: string }[]): Promise<string[]> {
  const [caller, folder, bin, cli] = [
    await createCaller(),
    temporaryFolder(),
    temporaryFolder(),
    join(await builtPackage(), 'cli.js'),
  ];
  chmodSync(cli, 0o755);
  symlinkSync(cli, join(bin, 'mcs'));
  const script = steps
    .map(({ commands }) => `${commands}\nprintf '${MARK}'`)
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', caller.url);
  const { stdout } = await promisify(execFile)('sh', ['-c', script], {
    cwd: folder,
    env: { PATH: [bin, process.env['PATH']].join(delimiter), KEY: caller.key, HOME: folder },
  });
  return stdout.split(MARK);
}

/** A text without ids, moments and figures of time. */
function steady(text: string): string {
  return text
    .trim()
    .replace(/\b(eval|run|req|ds|exp)_[0-9a-z]{26}/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<moment>')
    .replace(/"latency_ms":\d+/g, '"latency_ms":0')
    .replace(/\r/g, '');
}

/** The places at which a shown answer differs from a given one; members that are not shown do not matter. */
function differences(shown: Json, given: Json, path = ''): string[] {
  if (path.split('.').some((part) => TIMES.test(part))) return typeof shown === typeof given ? [] : [path];
  if (typeof shown === 'object' && shown !== null)
    return [
      ...lengthDifference(shown, given, path),
      ...Object.keys(shown).flatMap((key) => differences(shown[key], given?.[key], `${path}.${key}`)),
    ];
  return steady(String(shown)) === steady(String(given)) ? [] : [`${path}: ${given}`];
}

function lengthDifference(shown: Json, given: Json, path: string): string[] {
  return Array.isArray(shown) && shown.length !== given?.length ? [`${path}: length`] : [];
}

describeWithCurl('The guide (needs curl)', () => {
  it.each(
    globSync('docs/{guides/*,experiments}.md', { cwd: ROOT }).filter((file) =>
      stepsOf(read(file)).some(({ shown }) => shown !== undefined),
    ),
  )('%s shows what its commands are answered', async (file) => {
    const steps = stepsOf(read(file));
    const printed = await run(steps);
    for (const [i, { commands, shown }] of steps.entries()) {
      const given = printed[i] ?? '';
      if (shown === undefined) continue;
      if (shown.startsWith('{'))
        expect([commands, differences(JSON.parse(shown), JSON.parse(given.split('\n', 1)[0] ?? ''))]).toEqual([
          commands,
          [],
        ]);
      else expect([commands, steady(given)]).toEqual([commands, steady(shown)]);
    }
  });
});
