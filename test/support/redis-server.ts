import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { endOnce } from './cleanup';
import { eventually } from './factories';
import { freePort } from './free-port';
import { endAfterThisProcess } from './postgres-guard';
import { temporaryFolder } from './temporary-folder';

/** The program of a Redis or Valkey, if one is installed. */
export const PROGRAM = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);

/** A Redis of the test's own, which can be stopped, frozen and started again on the same port. */
export class RedisServer {
  private child: ChildProcess | undefined;
  private readonly folder = temporaryFolder();
  /** Ends it for good. */
  readonly remove = endOnce(() => this.kill());

  private constructor(private readonly port: number) {}

  /** On a free port; not running yet. */
  static async onFreePort(): Promise<RedisServer> {
    return new RedisServer(await freePort());
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.child = spawn(
      PROGRAM ?? '',
      ['--port', `${this.port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.folder],
      { stdio: 'ignore' },
    );
    const guard = endAfterThisProcess(String(this.child.pid), 'SIGKILL');
    this.child.once('exit', () => guard.release());
    await eventually('Redis answers', () =>
      this.ask(async (client) => (await client.ping()) === 'PONG').catch(() => false),
    );
  }

  /** Ends it without any warning. */
  async kill(): Promise<void> {
    if (this.child?.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** From now on it holds its connections and answers nothing. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Sends a command on a separate connection. */
  async ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await question(client);
    } finally {
      client.disconnect();
    }
  }
}
