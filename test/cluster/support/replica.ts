import { freePort } from '../../support/free-port';
import { startService, type ServiceProcess } from '../../support/service';

/**
 * One of several processes of the service, which can be stopped and started again at the same address, also as another
 * build.
 */
export class Replica {
  private service: ServiceProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly variables: Record<string, string>,
  ) {}

  static async start(variables: Record<string, string>, build?: string): Promise<Replica> {
    const replica = new Replica(await freePort(), variables);
    await replica.start(build);
    return replica;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get running(): ServiceProcess {
    if (this.service === undefined) throw new Error('This replica has not been started.');
    return this.service;
  }

  /** Starts it and waits until it is ready. */
  async start(build?: string): Promise<void> {
    this.service = await startService({ ...this.variables, PORT: String(this.port) }, build);
  }

  /** Asks it to stop, waits until it has, and starts it again. Gives its exit code. */
  async restart(build?: string): Promise<number | null> {
    const code = await this.running.stop();
    await this.start(build);
    return code;
  }

  freeze(): void {
    this.running.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.running.child.kill('SIGCONT');
  }
}
