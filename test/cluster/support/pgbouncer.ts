import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onDatabase } from '../../support/database';
import { freePort } from '../../support/free-port';
import { deployed } from './deployed';
import { Program } from './program';
import type { Postgres } from './postgres';
import { postgresFolder, postgresUser } from './postgres-user';
import { SERVICE } from './roles';

/**
 * Starts PgBouncer with deploy/pgbouncer.ini in front of a Postgres that has the roles of deploy/role.sql. With more
 * texts replaced if wanted. Gives the address of its database for the service.
 */
export async function startPgBouncer(
  postgres: Postgres,
  mode: 'session' | 'transaction',
  replacements: Record<string, string> = {},
): Promise<string> {
  const folder = postgresFolder();
  const port = await freePort();
  const users = await writeForPostgres(join(folder, 'userlist.txt'), await secretOfService(postgres));
  const file = await writeForPostgres(
    join(folder, 'pgbouncer.ini'),
    deployed('pgbouncer.ini', {
      'mcs = host=postgres port=5432': `mcs = host=127.0.0.1 port=${postgres.port}`,
      'listen_addr = 0.0.0.0': 'listen_addr = 127.0.0.1',
      'listen_port = 6432': `listen_port = ${port}\nunix_socket_dir =`,
      '/etc/pgbouncer/userlist.txt': users,
      'pool_mode = transaction': `pool_mode = ${mode}`,
      ...replacements,
    }),
  );
  const url = `postgresql://${SERVICE}@127.0.0.1:${port}/mcs`;
  const isReady = () =>
    onDatabase(url, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    );
  await Program.start({ program: 'pgbouncer', args: [file], folder, user: postgresUser(), isReady });
  return url;
}

/** The line of userlist.txt, by the statement that deploy/pgbouncer.ini names. */
async function secretOfService(postgres: Postgres): Promise<string> {
  const text = /^; +(select .*)$/m.exec(deployed('pgbouncer.ini', {}))?.[1] ?? '';
  const { rows } = await onDatabase(postgres.url, (client) => client.query<{ format: string }>(text));
  return `${rows[0]?.format}\n`;
}

async function writeForPostgres(file: string, text: string): Promise<string> {
  writeFileSync(file, text, { mode: 0o600 });
  const { uid, gid } = postgresUser();
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
  return file;
}
