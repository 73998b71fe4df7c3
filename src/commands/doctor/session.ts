import type { Client } from 'pg';
import type { ConnectionSettings } from '../../platform/config/connection-string';
import { PgClient } from '../../platform/database/pg-client';

const ANSWER_TIMEOUT_MS = 5000;

/** A connection whose statements run in read-only transactions. */
export class Session {
  private constructor(private readonly client: Client) {}

  /** Connects as the service does, with the same parameters. @throws what the driver throws */
  static async open(settings: ConnectionSettings, statementTimeoutMs: number): Promise<Session> {
    const client = new PgClient({
      ...settings,
      // Counted apart from the connections of the service.
      application_name: `${settings.application_name} doctor`,
      sslnegotiation: 'postgres',
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
    });
    client.on('error', () => undefined);
    const session = new Session(client);
    await client.connect().catch((error: unknown) => {
      session.close();
      throw error;
    });
    return session;
  }

  /** The process of this connection as announced when it was made; a pooler invents one. */
  get announcedPid(): number | undefined {
    return (this.client as { processID?: number | null }).processID ?? undefined;
  }

  /** Rows of a statement. @throws what the driver throws */
  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.reading(async (client) => (await client.query<Row>(text, values)).rows);
  }

  /** The only row of a statement. @throws what the driver throws */
  async queryOne<Row extends object>(text: string, values: unknown[] = []): Promise<Row> {
    const [row] = await this.query<Row>(text, values);
    if (row === undefined) throw new Error('The database gave no row.');
    return row;
  }

  /** Runs several statements in one read-only transaction. @throws what the driver throws */
  async reading<T>(work: (client: Client) => Promise<T>): Promise<T> {
    await this.client.query('begin transaction read only');
    try {
      return await work(this.client);
    } finally {
      await this.client.query('rollback').catch(() => undefined);
    }
  }

  /** Never waits for a silent server. */
  close(): void {
    void this.client.end().catch(() => undefined);
  }
}
