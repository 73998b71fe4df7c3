import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { endOnce } from './cleanup';
import { destroyTogether, startTcpProxy } from './tcp-proxy';

/** One query that was sent to Postgres. */
export interface RecordedQuery {
  sql: string;
  /** Its parameters as text; null also for values in binary. */
  values: (string | null)[];
}

/**
 * A TCP proxy between a service and its Postgres that records every query. On the wire rather than in the server's log,
 * because it counts
 * what is really sent, sees the values, and works with any Postgres.
 */
export class QueryRecorder {
  private statements: RecordedQuery[] = [];
  private readonly sockets = new Set<Socket>();
  /** Breaks every connection and stops listening. */
  readonly close = endOnce(async () => {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  });

  private constructor(
    private readonly server: Server,
    /** The address of the database through the recorder. */
    readonly url: string,
  ) {}

  /** Starts a recorder in front of that database, on a free port. */
  static async inFrontOf(databaseUrl: string): Promise<QueryRecorder> {
    const { server, url, connectToDatabase } = await startTcpProxy(databaseUrl);
    const recorder = new QueryRecorder(server, url);
    server.on('connection', (client) => recorder.join(client, connectToDatabase()));
    return recorder;
  }

  /** Runs some work and returns the queries that were sent meanwhile. */
  async during(work: () => Promise<unknown>): Promise<RecordedQuery[]> {
    this.statements = [];
    await work();
    return this.statements;
  }

  private join(client: Socket, database: Socket): void {
    const reader = new FrontendReader((statement) => this.statements.push(statement));
    client.on('data', (data) => reader.read(data));
    client.pipe(database);
    database.pipe(client);
    destroyTogether(this.sockets, client, database);
  }
}

const LENGTH = 4;

/**
 * Parses the messages of a client in the Postgres protocol (postgresql.org/docs/current/protocol-message-formats.html).
 */
class FrontendReader {
  private buffered: Buffer = Buffer.alloc(0);
  // The first message of a connection has no type.
  private isStarted = false;
  private readonly prepared = new Map<string, string>();

  constructor(private readonly onQuery: (statement: RecordedQuery) => void) {}

  read(data: Buffer): void {
    this.buffered = Buffer.concat([this.buffered, data]);
    for (;;) {
      const typeLength = this.isStarted ? 1 : 0;
      if (this.buffered.length < typeLength + LENGTH) return;
      const end = typeLength + this.buffered.readInt32BE(typeLength);
      if (this.buffered.length < end) return;
      if (this.isStarted)
        this.parse(this.buffered.toString('latin1', 0, 1), new Fields(this.buffered.subarray(1 + LENGTH, end)));
      this.isStarted = true;
      this.buffered = this.buffered.subarray(end);
    }
  }

  private parse(type: string, fields: Fields): void {
    if (type === 'Q') this.onQuery({ sql: fields.text(), values: [] });
    if (type === 'P') this.prepared.set(fields.text(), fields.text());
    if (type !== 'B') return;
    fields.text(); // the portal
    const sql = this.prepared.get(fields.text()) ?? '';
    const formats = Array.from({ length: fields.int16() }, () => fields.int16());
    const values = Array.from({ length: fields.int16() }, (_, index) =>
      fields.value((formats.length > 1 ? formats[index] : formats[0]) === 1),
    );
    this.onQuery({ sql, values });
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
