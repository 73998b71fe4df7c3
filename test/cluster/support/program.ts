import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { endOnce } from '../../support/cleanup';
import { eventually } from '../../support/factories';
import { endAfterThisProcess } from '../../support/postgres-guard';
import { programPath } from './programs';

/** How a program is started. */
export interface Start {
  program: string;
  args: readonly string[];
  /** The folder it runs in, and its HOME. */
  folder: string;
  /** Whom it runs as, if not as the caller. */
  user?: { uid?: number; gid?: number };
  variables?: Record<string, string>;
  /** True if it serves. */
  isReady: () => Promise<boolean> | boolean;
}

/** Patroni creates or copies a whole database first; a failed start ends the process, and the wait. */
const MAX_START_MS = 90_000;

/**
 * A program that a test has started, and that ends by its pid: by the test, after its file, or after the whole process,
 * whatever becomes of that.
 */
export class Program {
  private printed = '';
  private readonly exited: Promise<unknown>;
  /** Ends it without any warning, once and for all. */
  readonly kill = endOnce(() => this.end('SIGKILL'));

  private constructor(readonly child: ChildProcess) {
    this.exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
    const guard = endAfterThisProcess(String(child.pid), 'SIGKILL');
    child.once('exit', () => guard.release());
  }

  /** Starts it and waits until it is ready; fails with what it has printed if it ends before that. */
  static async start({ program, args, folder, user, variables, isReady }: Start): Promise<Program> {
    const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8', ...variables };
    const child = spawn(programPath(program), args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], ...user });
    const started = new Program(child);
    await eventually(
      `${program} is ready`,
      async () => {
        if (!started.isRunning) throw new Error(`${program} has ended:\n${started.output()}`);
        return isReady();
      },
      MAX_START_MS,
    );
    return started;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Everything it has printed. */
  output(): string {
    return this.printed;
  }

  /** Sends it a signal and waits until it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    // A stopped process receives no other signal.
    this.child.kill('SIGCONT');
    this.child.kill(signal);
    await this.exited;
  }

  /** From now on it holds its connections and answers nothing. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }
}

/** Runs a program to its end and gives what it has printed; fails with that if it fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { folder, user, variables }: Pick<Start, 'folder' | 'user' | 'variables'>,
): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8', ...variables };
  const { stdout, stderr } = await promisify(execFile)(programPath(program), args, {
    cwd: folder,
    env,
    maxBuffer: 1e8,
    ...user,
  });
  return `${stdout}${stderr}`;
}
