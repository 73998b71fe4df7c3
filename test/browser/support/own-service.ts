import { randomUUID } from 'node:crypto';
import { freshDatabase, TEMPLATE_DATABASE } from '../../support/database';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

/**
 * A service as on a fresh start: an empty database, and no vendor but the simulator. Started again with the same
 * database, it goes on.
 */
export async function freshService(
  variables: Record<string, string> = {},
): Promise<{ service: ServiceProcess; restart: () => Promise<ServiceProcess> }> {
  const databaseUrl = await freshDatabase(
    worker().postgresUrl,
    `mcs_browser_${randomUUID().slice(0, 8)}`,
    TEMPLATE_DATABASE,
  );
  const start = () =>
    startService({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true', SIMULATOR: 'on', ...variables });
  return { service: await start(), restart: start };
}
