import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnPostgres } from './own-postgres';
import { dataFolderOf } from './postgres-guard';
import { describeWithRedis, workerVariables } from './redis';
import { startService } from './service';
import { slowClient } from './slow-client';
import { startStripeServer } from './stripe-server';
import { temporaryFolder } from './temporary-folder';
import { startVendorGate } from './vendor-gate';
import { worker } from './worker';

// Run by test/e2e/scenarios/test-run.spec.ts as the test file of a separate jest process, which does not survive it.
const [stateFile, ending] = [process.env['ABANDONED_FILE'] ?? '', process.env['ABANDONED_ENDING']];

it('starts everything that can outlive a test, reports it, and does not end any of it', async () => {
  const service = await startService({
    DATABASE_URL: worker().databaseUrl,
    SIMULATOR: 'on',
    ...(await workerVariables(2)),
  });
  slowClient(service.url, 'GET ');
  const postgres = await OwnPostgres.start('abandoned');
  const dataFolder = await dataFolderOf(await postgres.database('abandoned'));
  (await startVendorGate(worker().vendorUrl)).shut();
  await startStripeServer();
  const folder = temporaryFolder();
  writeFileSync(
    stateFile,
    JSON.stringify({
      service: service.child.pid,
      url: service.url,
      postmaster: join(dataFolder, 'postmaster.pid'),
      folder,
    }),
  );
  if (ending === 'hangs') await new Promise(() => undefined);
  throw new Error('This test fails.');
});

describeWithRedis('A suite that needs Redis', () => {
  it('is skipped where there is none', () => undefined);
});
