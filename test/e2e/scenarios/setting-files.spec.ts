import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../../support/api';
import { workerVariables } from '../../support/redis';
import { startService, TEST_SECRETS } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { worker } from '../../support/worker';

describe('A service whose database and secrets are in files', () => {
  it.each(['1', '2'])('serves with WEB_CONCURRENCY=%s', async (workers) => {
    const folder = temporaryFolder();
    const settings = { DATABASE_URL: worker().databaseUrl, ...TEST_SECRETS };
    for (const [name, value] of Object.entries(settings)) writeFileSync(join(folder, name), `${value}\n`);
    const names = Object.keys(settings);
    const service = await startService({
      ...Object.fromEntries(names.map((name) => [name, ''])),
      ...Object.fromEntries(names.map((name) => [`${name}_FILE`, join(folder, name)])),
      ...(await workerVariables(workers)),
    });
    expect((await new Api(TEST_SECRETS.ADMIN_API_KEY, service.url).get('/api/v1/admin/users')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});
