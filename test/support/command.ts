import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROGRAM_VARIABLES, STAND_INS, TEST_SECRETS } from './service';

const ROOT = join(__dirname, '../..');

/** Runs `dist/src/commands/NAME.js` to its end with exactly these variables. */
export async function runCommand(name: string, variables: Record<string, string>, args: readonly string[] = []): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [...STAND_INS, join(ROOT, `dist/src/commands/${name}.js`), ...args], {
    cwd: ROOT, env: { ...PROGRAM_VARIABLES, NODE_ENV: 'test', ...TEST_SECRETS, ...variables }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { status, output: `${output}${errors}`.trim() };
}
