import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from './processes';

/** The address of a database of the embedded Postgres of that folder while it runs; starts and makes nothing. */
export function runningEmbeddedUrl(folder: string, database: string): string | undefined {
  const outside = join(folder, 'outside');
  const home = existsSync(outside) ? realpathSync(outside) : folder;
  const [pidFile, password] = [join(home, 'data/postmaster.pid'), join(home, 'password')];
  if (!existsSync(pidFile) || !existsSync(password)) return undefined;
  const [pid, , , port] = readFileSync(pidFile, 'utf8').split('\n');
  if (identify(Number(pid)) === undefined || !port) return undefined;
  return `postgresql://postgres:${readFileSync(password, 'utf8')}@127.0.0.1:${port}/${database}`;
}
