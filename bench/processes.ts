import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/free-port';
import { startScript } from '../test/support/start-script';
import type { LoadJob, LoadReport } from './load';
import { ProcessFamily } from './process-family';
import { FOLDER, serviceVariables } from './settings';

const READY_WITHIN_MS = 60_000;

const running = new Set<Program>();

/** A program in a separate process. Its output is discarded; its errors go to `<name>.err`. */
class Program {
  readonly child: ChildProcess;
  readonly errorFile: string;
  private readonly exited: Promise<unknown>;

  constructor(
    readonly name: string,
    script: string,
    { variables = {}, flags = [] }: { variables?: Record<string, string>; flags?: string[] } = {},
  ) {
    mkdirSync(FOLDER, { recursive: true });
    this.errorFile = join(FOLDER, `${name}.err`);
    this.child = fork(script, {
      execArgv: flags,
      env: { PATH: process.env['PATH'], ...variables },
      stdio: ['ignore', 'ignore', openSync(this.errorFile, 'w'), 'ipc'],
    });
    this.exited = once(this.child, 'exit');
    running.add(this);
  }

  /** The next message of the program after sending it one. */
  async ask<T>(question?: object): Promise<T> {
    const answered = once(this.child, 'message') as Promise<[T]>;
    if (question !== undefined) this.child.send(question);
    const ended = this.exited.then(() => {
      throw new Error(`${this.name} has ended; see ${this.errorFile}`);
    });
    return (await Promise.race([answered, ended]))[0];
  }

  async stop(): Promise<void> {
    running.delete(this);
    this.child.kill('SIGTERM');
    await this.exited;
  }
}

/** A server that is measured. */
export class ServerProgram extends Program {
  readonly family: ProcessFamily;
  startMs = 0;

  constructor(
    name: string,
    script: string,
    options: { variables: Record<string, string>; flags: string[] },
    readonly port: number,
  ) {
    super(name, script, options);
    // An open channel would affect the measurement.
    this.child.disconnect();
    this.family = new ProcessFamily(this.child.pid ?? 0);
  }

  /** Starts it and waits until `/health/ready` answers 200. */
  static async listening(name: string, script: string, variables: Record<string, string>): Promise<ServerProgram> {
    const port = await freePort();
    const begun = performance.now();
    const { flags, variables: started } = startScript(script);
    const server = new ServerProgram(
      name,
      script,
      { flags, variables: { ...started, ...variables, PORT: String(port) } },
      port,
    );
    while (
      !(await fetch(`http://127.0.0.1:${port}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (server.child.exitCode !== null || performance.now() - begun > READY_WITHIN_MS)
        throw new Error(`The ${name} is not ready:\n${readFileSync(server.errorFile, 'utf8')}`);
      await sleep(10);
    }
    server.startMs = performance.now() - begun;
    return server;
  }
}

/** The built service, by default this version. */
export function startService(
  databaseUrl: string,
  vendorUrl: string,
  variables: Record<string, string> = {},
  main = join(process.cwd(), 'dist/src/main.js'),
): Promise<ServerProgram> {
  return ServerProgram.listening('service', main, { ...serviceVariables(databaseUrl, vendorUrl), ...variables });
}

/** The yardstick, under the same flags and variables. */
export function startYardstick(
  databaseUrl: string,
  vendorUrl: string,
  variables: Record<string, string> = {},
): Promise<ServerProgram> {
  return ServerProgram.listening('yardstick', join(__dirname, 'yardstick.js'), {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    VENDOR_URL: vendorUrl,
    ...variables,
  });
}

/** The address of a new vendor server. */
export async function startVendor(): Promise<string> {
  const { port } = await new Program('vendor', join(__dirname, 'vendor.js')).ask<{ port: number }>();
  return `http://127.0.0.1:${port}`;
}

/** The load generator. */
export class Load {
  private readonly program = new Program('load', join(__dirname, 'load.js'));

  async run(job: LoadJob): Promise<LoadReport> {
    const { report, error } = await this.program.ask<{ report?: LoadReport; error?: string }>(job);
    if (report === undefined) throw new Error(`The load generator failed: ${error}`);
    return report;
  }
}

/** Ends all started programs. */
export async function stopAll(): Promise<void> {
  for (const program of [...running].toReversed()) await program.stop();
}
