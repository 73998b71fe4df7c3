import cluster from 'node:cluster';
import { join } from 'node:path';
import { Config } from '../platform/config/config';
import type { Variables } from '../platform/config/process-environment';
import { readSettingFiles } from '../platform/config/setting-files';
import { localSecrets } from './local-secrets';

/** Folder of everything that is generated on a machine without configuration; ignored by git. */
export const LOCAL_FOLDER = '.local';

/** Set for the worker that prepares the embedded database which its primary process has started. */
export const PREPARES_EMBEDDED_DATABASE = 'PREPARES_EMBEDDED_DATABASE';

/** A valid configuration, and what has to be stopped with the service. */
export interface Prepared {
  config: Config;
  /** True if the database is the embedded one. */
  isEmbedded: boolean;
  /** Stops the embedded database if no other process uses it. */
  stop(): Promise<void>;
}

/**
 * Prepares a machine without configuration: outside production, a missing database and missing secrets are generated.
 * @throws ConfigError naming what is missing in production, or what is wrong
 */
export async function prepare(environment: Variables, log: (line: string) => void): Promise<Prepared> {
  const { variables, problems } = readSettingFiles(environment);
  if (variables['NODE_ENV'] === 'production' || problems.size > 0)
    return { config: Config.read(variables), isEmbedded: false, stop: async () => {} };
  const folder = join(process.cwd(), LOCAL_FOLDER);
  const complete = variables['ADMIN_API_KEY'] !== undefined && variables['API_KEY_PEPPER'] !== undefined;
  const settings = complete ? variables : { ...localSecrets(folder), ...variables };
  if (settings['DATABASE_URL'] !== undefined) {
    return {
      config: Config.read(settings),
      isEmbedded: cluster.isWorker && variables[PREPARES_EMBEDDED_DATABASE] === 'true',
      stop: async () => {},
    };
  }
  // Wrong settings are reported before a database is set up for them.
  Config.read({ ...settings, DATABASE_URL: 'postgresql://localhost/mcs' });
  // Loaded only where it is used: with DATABASE_URL its package may be missing, as in the image.
  const { EmbeddedPostgres } = await import('./embedded-postgres/embedded-postgres.js');
  const postgres = await EmbeddedPostgres.start({ folder: join(folder, 'postgres'), database: 'mcs', log });
  return {
    config: Config.read({ ...settings, DATABASE_URL: postgres.url }),
    isEmbedded: true,
    stop: () => postgres.stop(),
  };
}
