import type { Client } from 'pg';
import type { ConnectionSettings } from '../../config/connection-string';
import { PgClient } from '../../database/pg-client';

/** No answer is waited for longer. */
export const CHECK_TIMEOUT_MS = 5000;

/** A connection for looking: every statement runs in a transaction that only reads. */
export class Session {
  private constructor(private readonly client: Client) {}

  /** Connects as the service does, with the same parameters. @throws what the driver throws */
  static async open(settings: ConnectionSettings, statementTimeoutMs: number): Promise<Session> {
    const client = new PgClient({
      ...settings,
      // Counted apart from the connections of the service.
      application_name: `${settings.application_name} doctor`,
      sslnegotiation: 'postgres',
      connectionTimeoutMillis: CHECK_TIMEOUT_MS,
      query_timeout: CHECK_TIMEOUT_MS,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return new Session(client);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  /** The process that serves this connection, by what was said when it was made: a pooler makes up a number. */
  get pidAtStart(): number | undefined {
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

  /** Does several things in one transaction that only reads. @throws what the driver throws */
  async reading<T>(work: (client: Client) => Promise<T>): Promise<T> {
    await this.client.query('begin transaction read only');
    try {
      const result = await work(this.client);
      await this.client.query('commit');
      return result;
    } catch (error) {
      await this.client.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  /** Never waits for a server that is silent. */
  close(): void {
    void this.client.end().catch(() => undefined);
  }
}
