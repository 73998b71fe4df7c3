import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { endOnce } from './cleanup';
import { inFrontOf } from './tcp-proxy';

/** Stands between a service and its Postgres, so that a test can part the two while the Postgres goes on for others. */
export class DatabaseGate {
  /** How many connections came while it was shut. */
  refused = 0;
  private isShut = false;
  private readonly pairs = new Set<{ client: Socket; database: Socket }>();
  /** Breaks every connection and goes away. */
  readonly close = endOnce(async () => {
    this.shut();
    this.server.close();
    await once(this.server, 'close');
  });
  private silenced: { words: string; found: () => void } | undefined;

  private constructor(
    private readonly server: Server,
    /** The address of the database through the gate. */
    readonly url: string,
  ) {}

  /** An open gate in front of that database. */
  static async before(databaseUrl: string): Promise<DatabaseGate> {
    const { server, url, connectBehind } = await inFrontOf(databaseUrl);
    const gate = new DatabaseGate(server, url);
    server.on('connection', (client) => gate.join(client, connectBehind));
    return gate;
  }

  /** Breaks every connection, and each new one. */
  shut(): void {
    this.isShut = true;
    for (const { client } of this.pairs) client.destroy();
  }

  open(): void {
    this.isShut = false;
  }

  /** The next statement with these words reaches the database, whose answer is lost. Done when it was sent. */
  loseAnswerTo(words: string): Promise<void> {
    return new Promise((found) => { this.silenced = { words, found }; });
  }

  private join(client: Socket, connectBehind: () => Socket): void {
    client.on('error', () => undefined);
    if (this.isShut) {
      this.refused += 1;
      client.destroy();
      return;
    }
    const database = connectBehind();
    const pair = { client, database };
    this.pairs.add(pair);
    client.on('data', (data) => {
      if (this.silenced !== undefined && data.includes(this.silenced.words)) {
        database.unpipe(client).resume();
        this.silenced.found();
        this.silenced = undefined;
      }
    });
    client.pipe(database);
    database.pipe(client);
    database.on('error', () => client.destroy());
    for (const [socket, other] of [[client, database], [database, client]] as const) {
      socket.on('close', () => {
        this.pairs.delete(pair);
        other.destroy();
      });
    }
  }
}
