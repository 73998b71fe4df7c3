import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgres } from '../../src/bootstrap/embedded-postgres/embedded-postgres';
import { freshDatabase, TEMPLATE_DATABASE } from './database';
import { dataFolderOf, endPostgresAfterThisProcess } from './postgres-guard';
import { running } from './running';
import { PROGRAM_VARIABLES, startService } from './service';
import { startVendorServer } from './vendor/vendor-server';
import { vendorVariables } from './vendors';
import { publishWorkers, type Worker } from './worker';

const execute = promisify(execFile);

/**
 * Once per run: a Postgres (that of TEST_DATABASE_URL, or the embedded one), a vendor server, and for each jest worker
 * a migrated database with a service on it.
 */
async function setUp({ maxWorkers }: { maxWorkers: number }): Promise<void> {
  const postgresUrl = process.env['TEST_DATABASE_URL'] ?? (await embeddedUrl());
  const vendors = await startVendorServer();
  running.unshift({ stop: () => vendors.close() });
  const template = await freshDatabase(postgresUrl, TEMPLATE_DATABASE);
  await execute(process.execPath, [join(__dirname, '../../dist/src/commands/migrate.js')], {
    env: { ...PROGRAM_VARIABLES, DATABASE_URL: template },
  });
  const sharedFolder = mkdtempSync(join(tmpdir(), 'mcs-test-'));
  running.unshift({ stop: () => rmSync(sharedFolder, { recursive: true }) });
  const databaseUrls: string[] = [];
  for (let id = 1; id <= maxWorkers; id += 1)
    databaseUrls.push(await freshDatabase(postgresUrl, `mcs_test_${id}`, TEMPLATE_DATABASE));
  const workers = await Promise.all(
    databaseUrls.map(async (databaseUrl): Promise<Worker> => {
      const service = await startService({
        DATABASE_URL: databaseUrl,
        RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '1000000',
        ...vendorVariables(vendors.url),
      });
      running.unshift(service);
      return { serviceUrl: service.url, databaseUrl, vendorUrl: vendors.url, postgresUrl, sharedFolder };
    }),
  );
  publishWorkers(workers);
}

async function embeddedUrl(): Promise<string> {
  const postgres = await EmbeddedPostgres.start({
    folder: join(__dirname, '../../.local/test-postgres'),
    database: 'mcs_test',
    durable: false,
    maxConnections: 400,
  });
  const guard = endPostgresAfterThisProcess(await dataFolderOf(postgres.url));
  running.unshift(postgres, { stop: () => guard.release() });
  return postgres.url;
}

export = setUp;
