import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { runCommand } from '../support/command';
import { onDatabase } from '../support/database';
import { createCaller } from '../support/factories';
import { PROGRAM_VARIABLES, startService, TEST_SECRETS } from '../support/service';
import { expectLedgerIsRight, NO_RATE_LIMITS } from './support/cluster';
import { compares, failedOf, reads, show, startLoad, tableOf } from './support/load';
import { nextBuild } from './support/next-build';
import { Postgres } from './support/postgres';
import { describeWith } from './support/programs';

/** As long as the report of somebody who reads everything. */
const LOCK_MS = 12_000;

describeWith(['postgres'], 'A migration while somebody has been reading its tables for 12 s', () => {
  it('fails no request, and is applied when they are done', async () => {
    const databaseUrl = await (await Postgres.start()).database('mcs');
    expect(await runCommand('migrate', { DATABASE_URL: databaseUrl })).toMatchObject({ status: 0 });
    const service = await startService({ DATABASE_URL: databaseUrl, SIMULATOR: 'on', ...NO_RATE_LIMITS });
    const callers = await Promise.all(Array.from({ length: 4 }, () => createCaller({ at: service.url })));
    const { migrate, migration } = nextBuild();
    const report = new Client({ connectionString: databaseUrl, application_name: 'monthly-report' });
    await report.connect();
    await report.query('begin');
    await report.query('lock table evals, charges in access share mode');
    const load = startLoad([compares({ callers, perSecond: 10, ms: 200 }), reads({ callers, perSecond: 20 })]);
    const begun = performance.now();
    const migrating = promisify(execFile)(process.execPath, [migrate], {
      env: { ...PROGRAM_VARIABLES, NODE_ENV: 'test', DATABASE_URL: databaseUrl, ...TEST_SECRETS },
    });
    await delay(LOCK_MS);
    await report.end();
    const { stdout, stderr } = await migrating;
    const took = ((performance.now() - begun) / 1000).toFixed(1);
    const sent = await load.stop();
    show(tableOf(`Migration in ${took} s behind a reader of ${LOCK_MS / 1000} s:`, sent));
    expect(`${stdout}${stderr}`).toMatch(
      /Waiting for a lock that is held \(try \d+ of 10\): process \d+ of \w+ \(monthly-report\)/,
    );
    expect(`${stdout}${stderr}`).toContain(`Applied: ${migration}`);
    expect(failedOf(sent)).toEqual([]);
    // The service of the build before goes on with it.
    expect(
      (await (callers[0] ?? (await createCaller())).compare({ prompt: 'after it', models: ['sim-swift'] })).status,
    ).toBe(200);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect(
      (await onDatabase(databaseUrl, (client) => client.query('select of_the_next_build from evals limit 1'))).rowCount,
    ).toBe(1);
    await expectLedgerIsRight(databaseUrl);
    expect(await service.stop()).toBe(0);
  }, 180_000);
});
