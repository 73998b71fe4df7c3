import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { eventually } from './factories';
import { PROGRAM_VARIABLES } from './service';
import { temporaryFolder } from './temporary-folder';
import { worker } from './worker';

const ROOT = join(__dirname, '../..');

let built: Promise<string> | undefined;

/** The package of client and command line, built by the first test file that needs it. Gives its folder. */
export function builtPackage(): Promise<string> {
  return (built ??= (async () => {
    const folder = join(worker().sharedFolder, 'package');
    const [begun, made] = [`${folder}-begun`, `${folder}-made`];
    const isFirst = mkdirSync(begun, { recursive: true }) !== undefined;
    if (isFirst) {
      const args = [join(ROOT, 'src/clients/client/package/build.mjs'), made];
      await promisify(execFile)(process.execPath, args, { cwd: ROOT });
      renameSync(made, folder);
    } else await eventually('the package is built', () => existsSync(folder));
    return folder;
  })());
}

/** The output of a command line, and its exit. */
export interface Ended {
  code: number | null;
  out: string;
  errors: string;
}

/** Options to start the command line with. */
export interface McsOptions {
  environment: Record<string, string>;
  input?: string;
  /** An idle pipe, as a CI job may leave one. */
  keepsInputOpen?: boolean;
  /** Columns of the terminal that it runs on; without it, pipes. */
  columns?: number;
}

/** Starts `mcs` with exactly these variables. */
export async function startMcs(
  args: readonly string[],
  { environment, input, columns, keepsInputOpen = false }: McsOptions,
) {
  const command = [process.execPath, join(await builtPackage(), 'cli.js'), ...args];
  const [program = '', ...rest] =
    columns === undefined
      ? command
      : ['script', '-qefc', `stty cols ${columns} rows 24; exec ${command.map(quoted).join(' ')}`, '/dev/null'];
  const child = spawn(program, rest, {
    cwd: temporaryFolder(),
    env: { ...PROGRAM_VARIABLES, HOME: temporaryFolder(), ...environment },
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined);
  if (input !== undefined || (columns === undefined && !keepsInputOpen)) child.stdin.end(input ?? '');
  const closed = once(child, 'close') as Promise<[number | null]>;
  const ended = (async (): Promise<Ended> => {
    const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { out, errors, code };
  })();
  return { child, ended };
}

/** True if this machine can give a program a terminal. */
export function hasTerminals(): boolean {
  return spawnSync('script', ['-qefc', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0;
}

function quoted(argument: string): string {
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
