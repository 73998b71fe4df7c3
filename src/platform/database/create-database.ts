import type { Client } from 'pg';
import { parseConnectionString, type ConnectionSettings } from '../config/connection-string';
import { PgClient } from './pg-client';

/** How long a command waits for the greeting of a server; what listens there may be something else, which waits too. */
export const GREETING_TIMEOUT_MS = 10_000;

const NO_SUCH_DATABASE = '3D000';

/**
 * Makes the database that a connection string names, unless it is there. Says whether it was made. @throws what the
 * driver throws
 */
export async function createDatabase(connectionString: string): Promise<boolean> {
  const settings = parseConnectionString(connectionString);
  try {
    await connected(settings, async () => undefined);
    return false;
  } catch (error) {
    if ((error as { code?: unknown }).code !== NO_SUCH_DATABASE) throw error;
  }
  // The database to connect to for creating another.
  await connected({ ...settings, database: 'postgres' }, (client) =>
    client.query(`create database ${client.escapeIdentifier(settings.database)}`),
  );
  return true;
}

async function connected(settings: ConnectionSettings, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new PgClient({ greetingTimeoutMs: GREETING_TIMEOUT_MS, ...settings });
  await client.connect();
  await work(client).finally(() => client.end());
}
