import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { endOnce } from './cleanup';
import { startTcpProxy } from './tcp-proxy';

/**
 * A TCP proxy between a service and its Postgres: pausing it disconnects the service while the Postgres keeps serving
 * others, holding it lets the service wait.
 */
export class PausableProxy {
  /** How many connections came while it was paused. */
  refused = 0;
  private isPaused = false;
  private isHeld = false;
  private readonly pairs = new Set<{ client: Socket; database: Socket }>();
  /** Breaks every connection and stops listening. */
  readonly close = endOnce(async () => {
    this.pause();
    this.server.close();
    await once(this.server, 'close');
  });
  private dropped: { words: string; resolve: () => void } | undefined;

  private constructor(
    private readonly server: Server,
    /** The address of the database through the proxy. */
    readonly url: string,
  ) {}

  /** Starts a proxy in front of that database, on a free port. */
  static async inFrontOf(databaseUrl: string): Promise<PausableProxy> {
    const { server, url, connectToDatabase } = await startTcpProxy(databaseUrl);
    const proxy = new PausableProxy(server, url);
    server.on('connection', (client) => proxy.join(client, connectToDatabase));
    return proxy;
  }

  /** Breaks every connection, and each new one. */
  pause(): void {
    this.isPaused = true;
    for (const { client } of this.pairs) client.destroy();
  }

  /** Lets new connections through again. */
  resume(): void {
    this.isPaused = false;
  }

  /** Keeps every answer of the database back; connections stay open, also new ones. */
  hold(): void {
    this.isHeld = true;
    for (const { client, database } of this.pairs) database.unpipe(client);
  }

  /** Lets the answers go that were kept back. */
  letGo(): void {
    this.isHeld = false;
    for (const { client, database } of this.pairs) database.pipe(client);
  }

  /**
   * Drops the response of the database to the next statement that contains these words; resolves when the statement was
   * sent.
   */
  dropResponseTo(words: string): Promise<void> {
    return new Promise((resolve) => {
      this.dropped = { words, resolve };
    });
  }

  private join(client: Socket, connectToDatabase: () => Socket): void {
    client.on('error', () => undefined);
    if (this.isPaused) {
      this.refused += 1;
      client.destroy();
      return;
    }
    const database = connectToDatabase();
    const pair = { client, database };
    this.pairs.add(pair);
    client.on('data', (data) => {
      if (this.dropped !== undefined && data.includes(this.dropped.words)) {
        database.unpipe(client).resume();
        this.dropped.resolve();
        this.dropped = undefined;
      }
    });
    client.pipe(database);
    if (!this.isHeld) database.pipe(client);
    database.on('error', () => client.destroy());
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      socket.on('close', () => {
        this.pairs.delete(pair);
        other.destroy();
      });
    }
  }
}
