import { Api } from '../../support/api';
import { createCaller, eventually } from '../../support/factories';
import { freePort } from '../../support/free-port';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const TOKEN = 'metrics-token-0123456789';

describe.each(['1', '2'])('METRICS_PORT with WEB_CONCURRENCY=%s', (WEB_CONCURRENCY) => {
  let service: ServiceProcess;
  let operations: string;
  beforeAll(async () => {
    const port = await freePort();
    operations = `http://127.0.0.1:${port}`;
    service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', METRICS_PORT: `${port}`, METRICS_TOKEN: TOKEN, WEB_CONCURRENCY });
  });
  afterAll(() => service.stop());

  it('serves the metrics there and no longer on PORT, under the same token', async () => {
    expect((await new Api(undefined, operations).get('/metrics')).status).toBe(401);
    const { status, text } = await new Api(TOKEN, operations).get('/metrics');
    expect([status, text]).toEqual([200, expect.stringContaining('\nmcs_compares_running 0\n')]);
    const { status: onPort, body, headers } = await new Api(TOKEN, service.url).get('/metrics');
    expect([onPort, body]).toEqual([404, { error: { code: 'not_found', message: 'No such route or resource.', request_id: headers.get('x-request-id') } }]);
  });

  it('serves the probes on both', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      for (const url of [operations, service.url]) expect((await new Api(undefined, url).get(path)).body).toEqual({ status: 'ok' });
    }
  });

  it('serves nothing else there, with any key or none', async () => {
    const caller = await createCaller({ at: service.url });
    for (const path of ['/', '/docs', '/api/v1/models', '/api/v1/usage', '/nowhere']) {
      const { status, body, headers } = await caller.at(operations).get(path);
      expect([path, status, body.error.code]).toEqual([path, 404, 'not_found']);
      expect(headers.get('x-request-id')).toBe(body.error.request_id);
    }
    expect((await caller.at(operations).compare({ prompt: 'here', models: ['sim-swift'] })).status).toBe(404);
    expect((await caller.usage()).eval_count).toBe(0);
  });

  it('answers there what cannot be read as HTTP, and adds up what all workers have counted', async () => {
    expect((await fetch(`${operations}/metrics`, { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431);
    const caller = await createCaller({ at: service.url });
    for (let count = 0; count < 4; count += 1) expect((await caller.compare({ prompt: `${count}`, models: ['sim-swift'] })).status).toBe(200);
    const text = async () => (await new Api(TOKEN, operations).get('/metrics')).text;
    await eventually('all are counted', async () => (await text()).includes('\nmcs_compares_total{outcome="stored"} 4\n'));
    expect(await text()).toMatch(/^mcs_build_info\{.*\} 1$/m);
    expect(await text()).toMatch(/^mcs_migrations_pending 0$/m);
  });
});

describe('METRICS_PORT', () => {
  it('says that the process is not ready until it has stopped', async () => {
    const port = await freePort();
    const service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', METRICS_PORT: `${port}`, DRAIN_SECONDS: '5' });
    const stopped = service.stop();
    const probe = () => new Api(undefined, `http://127.0.0.1:${port}`).get('/health/ready');
    await eventually('it is not ready', async () => (await probe()).status === 503);
    expect((await new Api(undefined, service.url).get('/health/live')).status).toBe(200);
    expect(await stopped).toBe(0);
    await expect(probe()).rejects.toThrow('fetch failed');
  });
});
