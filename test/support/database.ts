import { Client } from 'pg';
import { worker } from './worker';

/** Runs statements on a separate connection, outside any pool. */
export async function onDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The migrated database that `ownDatabase` copies; nothing connects to it. */
export const TEMPLATE_DATABASE = 'mcs_template';

/** Creates an empty database, or a copy of a template, and returns its address. */
export async function freshDatabase(serverUrl: string, name: string, template = 'template1'): Promise<string> {
  await onDatabase(serverUrl, async (client) => {
    await client.query(`drop database if exists "${name}" with (force)`);
    await client.query(`create database "${name}" template "${template}"`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

/** Creates a migrated database for one test file of this jest worker, and returns its address. */
export function ownDatabase(name: string): Promise<string> {
  return freshDatabase(worker().postgresUrl, `mcs_${name}_${process.env['JEST_WORKER_ID']}`, TEMPLATE_DATABASE);
}

/** Every column of a database that contains a text, as table.column. */
export async function columnsWith(databaseUrl: string, text: string): Promise<string[]> {
  return onDatabase(databaseUrl, async (client) => {
    const { rows: columns } = await client.query<{ t: string; c: string }>(
      `select table_name as t, column_name as c from information_schema.columns where table_schema = 'public'`,
    );
    const found: string[] = [];
    for (const { t, c } of columns) {
      const { rowCount } = await client.query(`select from "${t}" where strpos("${c}"::text, $1) > 0 limit 1`, [text]);
      if (rowCount) found.push(`${t}.${c}`);
    }
    return found.sort();
  });
}
