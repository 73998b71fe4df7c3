import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { endOnce } from './cleanup';
import { endTogether, inFrontOf } from './tcp-proxy';

/** One statement as it went to Postgres. */
export interface TappedStatement {
  sql: string;
  /** Its parameters as text; null also for what came in binary. */
  values: (string | null)[];
}

/**
 * Stands between a service and its Postgres and notes every statement. On the wire rather than in the server's log, because it counts
 * what is really sent, sees the values, and works with any Postgres a test may be given.
 */
export class DatabaseTap {
  private statements: TappedStatement[] = [];
  private readonly sockets = new Set<Socket>();
  /** Breaks every connection and goes away. */
  readonly close = endOnce(async () => {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  });

  private constructor(
    private readonly server: Server,
    /** The address of the database through the tap. */
    readonly url: string,
  ) {}

  /** A tap in front of that database. */
  static async before(databaseUrl: string): Promise<DatabaseTap> {
    const { server, url, connectBehind } = await inFrontOf(databaseUrl);
    const tap = new DatabaseTap(server, url);
    server.on('connection', (client) => tap.join(client, connectBehind()));
    return tap;
  }

  /** Runs something and gives the statements that were sent meanwhile. */
  async during(work: () => Promise<unknown>): Promise<TappedStatement[]> {
    this.statements = [];
    await work();
    return this.statements;
  }

  private join(client: Socket, database: Socket): void {
    const reader = new FrontendReader((statement) => this.statements.push(statement));
    client.on('data', (data) => reader.read(data));
    client.pipe(database);
    database.pipe(client);
    endTogether(this.sockets, client, database);
  }
}

const LENGTH = 4;

/** Reads what a client says in Postgres' protocol (postgresql.org/docs/current/protocol-message-formats.html). */
class FrontendReader {
  private waiting: Buffer = Buffer.alloc(0);
  // The first message of a connection has no type.
  private isStarted = false;
  private readonly prepared = new Map<string, string>();

  constructor(private readonly found: (statement: TappedStatement) => void) {}

  read(data: Buffer): void {
    this.waiting = Buffer.concat([this.waiting, data]);
    for (;;) {
      const typeLength = this.isStarted ? 1 : 0;
      if (this.waiting.length < typeLength + LENGTH) return;
      const end = typeLength + this.waiting.readInt32BE(typeLength);
      if (this.waiting.length < end) return;
      if (this.isStarted) this.take(this.waiting.toString('latin1', 0, 1), new Fields(this.waiting.subarray(1 + LENGTH, end)));
      this.isStarted = true;
      this.waiting = this.waiting.subarray(end);
    }
  }

  private take(type: string, fields: Fields): void {
    if (type === 'Q') this.found({ sql: fields.text(), values: [] });
    if (type === 'P') this.prepared.set(fields.text(), fields.text());
    if (type !== 'B') return;
    fields.text(); // the portal
    const sql = this.prepared.get(fields.text()) ?? '';
    const formats = Array.from({ length: fields.int16() }, () => fields.int16());
    const values = Array.from({ length: fields.int16() }, (_, index) => fields.value((formats.length > 1 ? formats[index] : formats[0]) === 1));
    this.found({ sql, values });
  }
}

/** The fields of one message, in order. */
class Fields {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end + 1;
    return text;
  }

  int16(): number {
    this.at += 2;
    return this.bytes.readInt16BE(this.at - 2);
  }

  value(isBinary: boolean): string | null {
    const length = this.bytes.readInt32BE(this.at);
    this.at += LENGTH + Math.max(0, length);
    return length < 0 || isBinary ? null : this.bytes.toString('utf8', this.at - length, this.at);
  }
}
