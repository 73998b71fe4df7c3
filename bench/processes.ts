import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port';
import { Connection, rawRequest } from './connection';
import type { LoadJob, LoadReport } from './load';
import { ProcessFamily } from './process-family';
import { FOLDER, serviceVariables, SETTINGS } from './settings';

const NULL = process.platform === 'win32' ? 'NUL' : '/dev/null';
const READY_WITHIN_MS = 60_000;

/** Everything that was started and has to end with us, last started first. */
const running: Program[] = [];

/** Starts a bench program as a separate process. Its output is discarded, its errors go to `<name>.err`. */
export class Program {
  private readonly exited: Promise<unknown>;

  protected constructor(readonly name: string, readonly child: ChildProcess) {
    this.exited = once(child, 'exit');
    running.unshift(this);
  }

  /** The next message of the program after sending it one. */
  async ask<T>(question?: unknown): Promise<T> {
    const answered = once(this.child, 'message') as Promise<[T]>;
    if (question !== undefined) this.child.send(question as object);
    const ended = this.exited.then(() => { throw new Error(`${this.name} has ended; see ${complaintsOf(this.name)}`); });
    return (await Promise.race([answered, ended]))[0];
  }

  async stop(): Promise<void> {
    if (running.includes(this)) running.splice(running.indexOf(this), 1);
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGTERM');
      await this.exited;
    }
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  static start(name: string, script: string, options: { variables?: Record<string, string>; nodeArguments?: string[]; hasChannel?: boolean } = {}): Program {
    return new Program(name, spawned(name, script, options));
  }
}

/** A server that is measured. */
export class ServerProgram extends Program {
  readonly family: ProcessFamily;

  private constructor(name: string, child: ChildProcess, readonly port: number, readonly startMs: number) {
    super(name, child);
    this.family = new ProcessFamily(child.pid ?? 0);
  }

  /** Starts it and waits until `/health/ready` answers 200. */
  static async listening(name: string, script: string, variables: Record<string, string>, nodeArguments: string[] = [], hasChannel = false): Promise<ServerProgram> {
    const port = await freePort();
    const begun = performance.now();
    const child = spawned(name, script, { variables: { ...variables, PORT: String(port) }, nodeArguments, hasChannel });
    try {
      await ready(name, child, port, begun);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    return new ServerProgram(name, child, port, performance.now() - begun);
  }

  /** Processor seconds used so far, of all processes and threads of the server. */
  cpuSeconds(): number {
    return this.family.cpuSeconds();
  }

  /** Resident memory of all processes of the server in MiB. */
  rssMib(): number {
    return this.family.rssMib();
  }
}

/** The built service, under the flags and variables of `npm start`. */
export function startService(databaseUrl: string, vendorUrl: string, options: { probeArguments?: string[]; migrate?: boolean; variables?: Record<string, string>; main?: string } = {}): Promise<ServerProgram> {
  const script = startScript();
  const variables = { ...script.variables, ...serviceVariables(databaseUrl, vendorUrl), ...(options.migrate === true && { MIGRATE_ON_START: 'true' }), ...options.variables };
  const { probeArguments = [], main = join(process.cwd(), 'dist/src/main.js') } = options;
  return ServerProgram.listening('service', main, variables, [...script.flags, ...probeArguments], probeArguments.length > 0);
}

/** The flags that the script `start` sets for the service. */
function startScript(): { flags: string[]; variables: Record<string, string> } {
  const { scripts } = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8')) as { scripts: { start: string } };
  const words = scripts.start.split(' ');
  const variables = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('='));
  return { flags: words.filter((word) => word.startsWith('--')), variables: Object.fromEntries(variables) as Record<string, string> };
}

/** The built service with the probe in it. */
export function startProbedService(databaseUrl: string, vendorUrl: string): Promise<ServerProgram> {
  return startService(databaseUrl, vendorUrl, { probeArguments: ['--expose-gc', '--require', join(__dirname, 'probe.js')] });
}

/** The yardstick, under the same flags and variables. */
export function startYardstick(databaseUrl: string, vendorUrl: string): Promise<ServerProgram> {
  const { flags, variables } = startScript();
  return ServerProgram.listening('yardstick', join(__dirname, 'yardstick.js'), { ...variables, NODE_ENV: 'production', DATABASE_URL: databaseUrl, VENDOR_URL: vendorUrl }, flags);
}

/** The vendor server and its address. */
export async function startVendor(): Promise<{ url: string }> {
  const { port } = await Program.start('vendor', join(__dirname, 'vendor.js')).ask<{ port: number }>();
  return { url: `http://127.0.0.1:${port}` };
}

/** The collector of spans, its address, and how many it has taken. */
export class Collector {
  private constructor(private readonly program: Program, readonly url: string) {}

  static async start(): Promise<Collector> {
    const program = Program.start('collector', join(__dirname, 'collector.js'));
    const { port } = await program.ask<{ port: number }>();
    return new Collector(program, `http://127.0.0.1:${port}`);
  }

  async spans(): Promise<number> {
    return (await this.program.ask<{ spans: number }>('spans')).spans;
  }

  async stop(): Promise<void> {
    await this.program.stop();
  }
}

/** The load generator. */
export class Load {
  private readonly program = Program.start('load', join(__dirname, 'load.js'));

  async run(job: LoadJob): Promise<LoadReport> {
    const { report, error } = await this.program.ask<{ report?: LoadReport; error?: string }>(job);
    if (report === undefined) throw new Error(`The load generator failed: ${error}`);
    return report;
  }
}

/** Ends everything that was started here. */
export async function stopAll(): Promise<void> {
  for (const program of [...running]) await program.stop();
}

function spawned(name: string, script: string, { variables = {}, nodeArguments = [], hasChannel = true }: { variables?: Record<string, string>; nodeArguments?: string[]; hasChannel?: boolean }): ChildProcess {
  mkdirSync(FOLDER, { recursive: true });
  const stdio = ['ignore', openSync(NULL, 'w'), openSync(complaintsOf(name), 'w')] as const;
  // fork opens a channel. Close an unused one at once, so that it does not affect the measurement.
  const child = fork(script, { execArgv: nodeArguments, env: { PATH: process.env['PATH'], ...variables }, stdio: [...stdio, 'ipc'] });
  if (!hasChannel) child.disconnect();
  return child;
}

async function ready(name: string, child: ChildProcess, port: number, begunMs: number): Promise<void> {
  const question = Buffer.from(rawRequest('GET', '/health/ready', 'none'));
  while (performance.now() - begunMs < READY_WITHIN_MS) {
    if (child.exitCode !== null) throw new Error(`The ${name} ended before it was ready:\n${readFileSync(complaintsOf(name), 'utf8')}`);
    try {
      const connection = await Connection.open(port);
      const { status } = await connection.send(question).finally(() => connection.close());
      if (status === 200) return;
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`The ${name} was not ready within ${READY_WITHIN_MS / 1000} s; see ${complaintsOf(name)}`);
}

function complaintsOf(name: string): string {
  return join(FOLDER, `${name}.err`);
}

/** A description of the machine, for readers of a result. */
export function machine(): object {
  return { node: process.version, seconds: SETTINGS.seconds, rounds: SETTINGS.rounds, users: SETTINGS.users };
}
