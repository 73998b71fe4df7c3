import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentVariables } from '../../platform/config/process-environment';

/** Receives one line of progress, written for a human. */
export type Log = (line: string) => void;

/** The operating-system user a program runs as when that is not the caller. */
export interface SystemAccount {
  uid: number;
  gid: number;
}

/** How a program is run: in which folder, writing to which log, as whom. */
interface RunOptions {
  cwd: string;
  logFile: string;
  account: SystemAccount | undefined;
}

/** Names a running process so that a later one with the same pid is not taken for it; undefined when it is gone. */
export function identify(pid: number): string | undefined {
  try {
    return [pid, startOf(pid)].join('-');
  } catch {
    return undefined;
  }
}

/** The name of this very process. */
export const self = identify(process.pid) ?? 'unknown';

/** True if the process of that name still runs. */
export function isRunning(identity: string): boolean {
  return identify(Number.parseInt(identity, 10)) === identity;
}

/** Does the task while no other process, nor another call in this one, does one under the same lock folder. */
export async function withLock<T>(lock: string, log: Log, task: () => Promise<T>): Promise<T> {
  const ticket = `${self}.${randomBytes(4).toString('hex')}`;
  mkdirSync(lock, { recursive: true });
  for (let isLogged = false; ; isLogged = true) {
    const holder = claim(lock, ticket);
    if (holder === undefined) break;
    if (!isLogged)
      log(`Waiting for process ${Number.parseInt(holder, 10)}, which is starting or stopping Postgres ...`);
    await sleep(50 + randomInt(100));
  }
  try {
    return await task();
  } finally {
    rmSync(join(lock, ticket), { force: true });
  }
}

/** Runs a program to its end and throws with the last lines of its log when it fails. */
export async function runProgram(
  program: string,
  args: string[],
  { cwd, logFile, account }: RunOptions,
): Promise<void> {
  // A file and not a pipe: the server inherits it and outlives this process.
  const output = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(program, args, {
      ...account,
      cwd,
      env: cleanEnvironment(),
      stdio: ['ignore', output, output],
      // Elsewhere pg_ctl starts the server in a separate session, out of reach of Ctrl-C.
      detached: process.platform === 'win32',
      windowsHide: true,
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${basename(program)} failed:\n${lastLines(logFile)}`);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new Error(`${basename(program)} does not run on this system: ${error.message}.`, { cause: error });
    }
    throw error;
  } finally {
    closeSync(output);
  }
}

function startOf(pid: number): string {
  if (process.platform === 'linux') {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') throw new Error(`Process ${pid} has ended.`);
    return rest[18] ?? '';
  }
  if (process.platform === 'darwin') {
    const options = { encoding: 'utf8', env: { TZ: 'UTC', LC_ALL: 'C' } } as const;
    return execFileSync('/bin/ps', ['-o', 'lstart=', '-p', `${pid}`], options).replace(/\W+/g, '');
  }
  process.kill(pid, 0);
  return '0';
}

// Announce first, look second: of two concurrent processes at least one sees the other and gives way.
// A ticket carries the name of its process, so removing one left by a dead process can never hit a living one.
function claim(lock: string, ticket: string): string | undefined {
  writeFileSync(join(lock, ticket), '');
  for (const other of readdirSync(lock)) {
    if (other === ticket) continue;
    const alive = isRunning(other.slice(0, other.lastIndexOf('.')));
    rmSync(join(lock, alive ? ticket : other), { force: true });
    if (alive) return other;
  }
  return undefined;
}

// Not the caller's: its PG* variables and locale would change what initdb and the server do.
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, ComSpec, TEMP, TMP } = environmentVariables();
  return { PATH, SystemRoot, ComSpec, TEMP, TMP, LC_ALL: 'C', TZ: 'UTC' };
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
}
