import { join } from 'node:path';
import { Config, type Variables } from '../common/config';
import { EmbeddedPostgres } from './embedded-postgres/embedded-postgres';
import { localSecrets } from './local-secrets';

/** Folder of everything a machine without configuration makes up; git-ignored. */
export const LOCAL_FOLDER = '.local';

/** A usable configuration, and what has to be stopped with the service. */
export interface Prepared {
  config: Config;
  /** Whether the database is the embedded one. */
  isEmbedded: boolean;
  /** Stops the embedded database if this process started it. */
  stop(): Promise<void>;
}

/**
 * Makes a fresh machine ready: outside production, a missing database and missing secrets are made up.
 * @throws ConfigError naming what is missing in production, or what is wrong
 */
export async function prepare(variables: Variables, say: (line: string) => void): Promise<Prepared> {
  if (variables['NODE_ENV'] === 'production') return { config: Config.read(variables), isEmbedded: false, stop: async () => {} };
  const folder = join(process.cwd(), LOCAL_FOLDER);
  const complete = variables['ADMIN_API_KEY'] !== undefined && variables['API_KEY_PEPPER'] !== undefined;
  const settings = complete ? variables : { ...localSecrets(folder), ...variables };
  if (settings['DATABASE_URL'] !== undefined) return { config: Config.read(settings), isEmbedded: false, stop: async () => {} };
  // A wrong setting should be told before a database is set up for it.
  Config.read({ ...settings, DATABASE_URL: 'postgresql://localhost/mcs' });
  const postgres = await EmbeddedPostgres.start({ folder: join(folder, 'postgres'), database: 'mcs', say });
  return { config: Config.read({ ...settings, DATABASE_URL: postgres.url }), isEmbedded: true, stop: () => postgres.stop() };
}
