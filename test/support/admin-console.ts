import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Json } from './api';
import { PROGRAM_VARIABLES, TEST_SECRETS } from './service';
import { worker } from './worker';

const ROOT = join(__dirname, '../..');
const PROGRAM = join(ROOT, 'dist/src/commands/admin.js');

/** How a command of the console ended. */
export interface ConsoleRun {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `npm run admin -- ARGS` to its end, without npm; on the database of this worker unless the variables say otherwise, and with its results read here or going to another file. */
export async function admin(args: readonly string[], { cwd = ROOT, variables, output = 'pipe' }: { cwd?: string; variables?: Record<string, string>; output?: 'pipe' | number } = {}): Promise<ConsoleRun> {
  const env = { ...PROGRAM_VARIABLES, NODE_ENV: 'test', ...(variables ?? { DATABASE_URL: worker().databaseUrl, ...TEST_SECRETS }) };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['ignore', output, 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [stdout, stderr, [status]] = await Promise.all([child.stdout === null ? '' : text(child.stdout), text(child.stderr as Readable), exited]);
  return { status, stdout, stderr };
}

/** The same with `--json`, for a command that succeeds. */
export async function adminJson(...args: string[]): Promise<Json> {
  const { status, stdout, stderr } = await admin([...args, '--json']);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
