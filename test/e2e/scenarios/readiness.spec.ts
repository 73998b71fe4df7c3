import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Api, operator } from '../../support/api';
import { freshDatabase, onDatabase } from '../../support/database';
import { eventually } from '../../support/factories';
import { PausableProxy } from '../../support/pausable-proxy';
import { startService, TEST_SECRETS, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const ROOT = join(__dirname, '../../..');
const MIGRATIONS = readdirSync(join(ROOT, 'migrations')).filter((file) => file.endsWith('.ts')).length;
const NOT_MIGRATED =
  'The database lacks migrations of this version; run `npm run db:migrate` (in the image: node dist/src/commands/migrate.js).';

const ready = ({ url }: ServiceProcess) => new Api(undefined, url).get('/health/ready');

function migrate(databaseUrl: string): void {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'dist/src/commands/migrate.js')], {
    cwd: ROOT,
    env: { NODE_ENV: 'test', DATABASE_URL: databaseUrl, ...TEST_SECRETS },
  });
  expect(status).toBe(0);
}

async function expectReady(service: ServiceProcess): Promise<void> {
  const { status, body } = await ready(service);
  expect([status, body]).toEqual([200, { status: 'ok' }]);
}

async function expectNotReady(service: ServiceProcess, message: string): Promise<void> {
  const { status, body, headers } = await ready(service);
  expect(status).toBe(503);
  expect(body).toEqual({ error: { code: 'unavailable', message, request_id: headers.get('x-request-id') } });
  expect([headers.get('retry-after'), headers.get('cache-control')]).toEqual(['1', 'no-store']);
}

/** The log lines about its readiness, in order. */
const changes = (service: ServiceProcess) =>
  [...service.output().matchAll(/"msg":"((?:not ready|ready again)[^"]*)"/g)].map(([, text]) => text);

describe('The readiness of a service', () => {
  let databaseUrl: string;
  let proxy: PausableProxy;
  let service: ServiceProcess;
  beforeEach(async () => {
    databaseUrl = await freshDatabase(worker().postgresUrl, `mcs_ready_${process.env['JEST_WORKER_ID']}`);
    proxy = await PausableProxy.inFrontOf(databaseUrl);
    service = await startService({ DATABASE_URL: proxy.url, SIMULATOR: 'on', LOG_LEVEL: 'info' });
  });
  afterEach(async () => {
    await service.stop();
    await proxy.close();
  });

  it('requires all migrations that this version needs, also if another process applies or reverts them', async () => {
    for (let probe = 0; probe < 3; probe += 1) await expectNotReady(service, NOT_MIGRATED);
    const pending = async () =>
      Number(/^mcs_migrations_pending (\d+)$/m.exec((await new Api(undefined, service.url).get('/metrics')).text)?.[1]);
    expect(await pending()).toBe(MIGRATIONS);
    const { status, body } = await operator(service.url).get('/api/v1/admin/users');
    expect([status, body.error.code]).toEqual([503, 'unavailable']);
    migrate(databaseUrl);
    for (let probe = 0; probe < 3; probe += 1) await expectReady(service);
    expect(await pending()).toBe(0);
    await onDatabase(databaseUrl, async (client) => {
      await client.query("insert into migrations (name) values ('Migration29990101000000_of_a_newer_version')");
      await expectReady(service);
      await client.query("delete from migrations where name like '%_initial_schema'");
      await expectNotReady(service, NOT_MIGRATED);
      expect(await pending()).toBe(1);
    });
    await eventually('the last change is logged', () => changes(service).length > 2);
    expect(changes(service)).toEqual([`not ready: ${NOT_MIGRATED}`, 'ready again', `not ready: ${NOT_MIGRATED}`]);
  });

  it('requires a database that answers, and logs one line only when that changes', async () => {
    migrate(databaseUrl);
    await expectReady(service);
    proxy.pause();
    for (let probe = 0; probe < 3; probe += 1) await expectNotReady(service, 'The database is unreachable.');
    expect((await new Api(undefined, service.url).get('/health/live')).status).toBe(200);
    proxy.resume();
    await expectReady(service);
    expect((await new Api(undefined, service.url).get('/metrics')).status).toBe(200);
    // Lines of requests are written in bundles; the last ones when the service ends.
    expect(await service.stop()).toBe(0);
    expect(changes(service)).toEqual([
      'not ready: The database is unreachable.',
      'ready again',
      'not ready: the service is stopping',
    ]);
    expect(service.output()).not.toMatch(/"msg":"request"|"level":"error"|"stack"/);
  });
});

describe('The log', () => {
  it.each([
    ['info', []],
    ['debug', ['/health/live', '/health/ready', '/metrics']],
  ])('reports, at level %s, these probes: %p', async (level, paths) => {
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      LOG_LEVEL: level,
      METRICS_TOKEN: 'metrics-token-0123456789',
    });
    const nobody = new Api(undefined, service.url);
    for (const path of ['/health/live', '/health/ready']) await nobody.get(path);
    await new Api('metrics-token-0123456789', service.url).get('/metrics');
    // Somebody who may not is worth a line.
    await nobody.get('/metrics?by=nobody');
    await nobody.get('/api/v1/models');
    await service.stop();
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as { level: string; path: string; status: number });
    expect(lines.filter((line) => line.level === 'debug').map(({ path }) => path)).toEqual(paths);
    expect(lines.filter((line) => line.level === 'info').map(({ path, status }) => [path, status])).toEqual([
      ['/metrics', 401],
      ['/api/v1/models', 401],
    ]);
  });
});
