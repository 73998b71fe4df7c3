import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCaller } from '../../support/factories';
import { describeWithPython, pythonEnvironment } from '../../support/python';
import { temporaryFolder } from '../../support/temporary-folder';

const ROOT = join(__dirname, '../../..');
const MARK = '\u0001';

/** The Python of a page in order, each block with the text that is shown after it. */
function stepsOf(file: string): { code: string; shown: string | undefined }[] {
  const blocks = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language, code = ''], i) =>
    language === 'python' ? [{ code, shown: blocks[i + 1]?.[1] === 'text' ? blocks[i + 1]?.[2] : undefined }] : [],
  );
}

const pages = globSync('{docs/guides,clients/python}/*.md', { cwd: ROOT })
  .map((file) => ({ file, steps: stepsOf(file) }))
  .filter(({ steps }) => steps.length > 0);

describeWithPython('The Python of the guides', ['httpx', 'pandas'], (program) => {
  it('is in at least four guides', () => expect(pages.length).toBeGreaterThanOrEqual(4));

  it.each(pages)('$file runs, and shows what it prints', async ({ steps }) => {
    const { url, key } = await createCaller();
    const script = steps.map(({ code }) => `${code}\nprint("\\x01", end="")\n`).join('');
    const { stdout } = await promisify(execFile)(program, ['-c', script], {
      cwd: temporaryFolder(),
      env: pythonEnvironment({ MCS_URL: url, MCS_API_KEY: key }),
    });
    const printed = stdout.split(MARK);
    for (const [i, { code, shown }] of steps.entries())
      if (shown !== undefined) expect([code, printed[i]]).toEqual([code, shown]);
  });
});
