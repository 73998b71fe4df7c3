import { join } from 'node:path';
import { freshDatabase, onDatabase } from '../../support/database';
import { freePort } from '../../support/free-port';
import { Program, runProgram } from './program';
import { postgresFolder, postgresUser } from './postgres-user';

/** Debian's Postgres 15 on a separate port and folder, which a test may stop, kill and start again. */
export class Postgres {
  private program: Program | undefined;

  private constructor(
    readonly folder: string,
    readonly port: number,
    private readonly settings: Record<string, string>,
  ) {}

  /** A new cluster of databases with these settings, running. */
  static async start(settings: Record<string, string> = {}): Promise<Postgres> {
    const postgres = await Postgres.initialize(settings);
    await postgres.start();
    return postgres;
  }

  /** A new cluster of databases, not running. */
  static async initialize(settings: Record<string, string> = {}): Promise<Postgres> {
    const postgres = new Postgres(postgresFolder(), await freePort(), settings);
    await postgres.run('initdb', [
      '-D',
      postgres.dataFolder,
      '-U',
      'mcs',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ]);
    return postgres;
  }

  get dataFolder(): string {
    return join(this.folder, 'data');
  }

  /** The superuser's address of its database `postgres`. */
  get url(): string {
    return `postgresql://mcs@127.0.0.1:${this.port}/postgres`;
  }

  get pid(): number {
    return this.program?.pid ?? 0;
  }

  /** The output of its server since its last start. */
  output(): string {
    return this.program?.output() ?? '';
  }

  /** An empty database of it. */
  async database(name: string): Promise<string> {
    return freshDatabase(this.url, name);
  }

  /** One of its programs, such as `pg_dump`, as the user it runs as. */
  async run(program: string, args: readonly string[]): Promise<string> {
    return runProgram(program, args, { folder: this.folder, user: postgresUser() });
  }

  /** Starts its server, again too. */
  async start(): Promise<void> {
    // Only a broken machine could lose what is not flushed, and a test breaks processes.
    const settings = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.folder,
      fsync: 'off',
      ...this.settings,
    };
    const args = [
      '-D',
      this.dataFolder,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    this.program = await Program.start({
      program: 'postgres',
      args,
      folder: this.folder,
      user: postgresUser(),
      isReady: () => this.answers(),
    });
  }

  /** Ends it as `pg_ctl stop -m fast` does. */
  async stop(): Promise<void> {
    await this.program?.end('SIGINT');
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    await this.program?.end('SIGKILL');
  }

  private async answers(): Promise<boolean> {
    return onDatabase(this.url, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    );
  }
}
