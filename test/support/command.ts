import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { PROGRAM_VARIABLES, STAND_INS, TEST_SECRETS } from './service';

const ROOT = join(__dirname, '../..');

/**
 * Runs `dist/src/commands/NAME.js` to its end with exactly these variables; its results are read here, or written to
 * another file.
 */
export async function runCommand(
  name: string,
  variables: Record<string, string>,
  args: readonly string[] = [],
  { cwd = ROOT, output = 'pipe' }: { cwd?: string; output?: 'pipe' | number } = {},
): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [...STAND_INS, join(ROOT, `dist/src/commands/${name}.js`), ...args], {
    cwd,
    env: { ...PROGRAM_VARIABLES, NODE_ENV: 'test', ...TEST_SECRETS, ...variables },
    stdio: ['ignore', output, 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [results, errors, [status]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    text(child.stderr as Readable),
    exited,
  ]);
  return { status, output: `${results}${errors}`.trim() };
}
