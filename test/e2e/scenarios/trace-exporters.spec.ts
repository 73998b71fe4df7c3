import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../../src/common/version';
import { createCaller, eventually } from '../../support/factories';
import { freePort } from '../../support/free-port';
import { workerVariables } from '../../support/redis';
import { startService, TEST_SECRETS, type ServiceProcess } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { newTraceId, TraceCollector, traceparent } from '../../support/trace-collector';
import { worker } from '../../support/worker';

const ROOT = join(__dirname, '../../..');
const PRELOAD = join(ROOT, 'test/support/list-loaded-modules.cjs');
const USAGE = 'GET /api/v1/usage';
const BODY = { prompt: 'Hi', models: ['sim-swift'] };

/** The name and version of a service for which no setting names others. */
const NAMED = { 'service.name': 'model-comparison-service', 'service.version': version };

const start = (variables: Record<string, string>) =>
  startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', ...variables });

/** The warnings about traces in the log. */
function warnings(service: ServiceProcess): { level: string; reason: string }[] {
  return service
    .output()
    .split('\n')
    .filter((line) => line.includes('traces are incomplete'))
    .map((line) => JSON.parse(line) as { level: string; reason: string });
}

describe('A collector that does not take spans', () => {
  // Only silence is waited for: where something else is expected, a busy machine is not to be the first to run out of
  // time.
  it.each<[string, number | 'never' | 'absent', number, RegExp]>([
    ['answers 500', 500, 60_000, /500|Internal Server Error/],
    ['never answers', 'never', 300, /[Tt]ime(d )?out/],
    ['is not there', 'absent', 60_000, /ECONNREFUSED/],
  ])('costs no request anything and one warning, when it %s', async (_, behavior, timeoutMs, reason) => {
    const collector = await TraceCollector.start();
    if (behavior !== 'absent') collector.behavior = behavior;
    const endpoint: Record<string, string> =
      behavior === 'absent' ? { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` } : {};
    const service = await start({
      ...collector.settings,
      ...endpoint,
      OTEL_EXPORTER_OTLP_TIMEOUT: `${timeoutMs}`,
      OTEL_BSP_MAX_QUEUE_SIZE: '8',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4',
    });
    const caller = await createCaller({ at: service.url });
    const compare = async () => {
      expect((await caller.compare(BODY)).status).toBe(200);
    };
    await compare();
    await eventually('a warning is logged', () => warnings(service).length > 0);
    const before = collector.bodies.length;
    for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 4 }, compare));
    // More exports fail, and more spans are dropped than the queue holds.
    if (behavior !== 'absent') await eventually('more is sent', () => collector.bodies.length > before + 1);
    expect(warnings(service)).toEqual([
      expect.objectContaining({ level: 'warn', reason: expect.stringMatching(reason), suppressed: 0 }),
    ]);
    const stopMs = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - stopMs).toBeLessThan(20_000);
    await collector.close();
  });
});

describe('The exporter', () => {
  it('sends the last spans when the service stops, with the name and the version of the service', async () => {
    const collector = await TraceCollector.start();
    const service = await start({ ...collector.settings, OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    const caller = await createCaller({ at: service.url });
    const traceId = newTraceId();
    await caller.compare(BODY, { headers: traceparent(traceId) });
    expect(await service.stop()).toBe(0);
    expect(collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name)).toContain(
      'POST /api/v1/compare',
    );
    expect(collector.spans[0]?.resource).toMatchObject(NAMED);
    await collector.close();
  });

  it('sends nothing but spans, whatever the SDK is asked for', async () => {
    const collector = await TraceCollector.start();
    const service = await start({
      ...collector.settings,
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_NODE_EXPERIMENTAL_SDK_METRICS: 'true',
    });
    const caller = await createCaller({ at: service.url });
    expect((await caller.compare(BODY)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect([...new Set(collector.paths)]).toEqual(['/v1/traces']);
    await collector.close();
  });

  it('is part of each worker, and of the primary process nothing', async () => {
    const collector = await TraceCollector.start();
    const file = join(temporaryFolder(), 'modules');
    const service = await start({
      ...collector.settings,
      ...(await workerVariables(2)),
      NODE_OPTIONS: `--require ${PRELOAD}`,
      LOADED_MODULES_FILE: file,
    });
    const caller = await createCaller({ at: service.url });
    await eventually('both workers have sent spans', async () => {
      await caller.get('/api/v1/usage', { headers: { connection: 'close' } });
      return new Set(collector.spans.map(({ resource }) => resource['service.instance.id'])).size === 2;
    });
    expect(await service.stop()).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toMatch(/@opentelemetry\/(sdk|exporter)/);
    await collector.close();
  });

  it('takes its name, attributes and headers from the standard variables, the headers also from a file', async () => {
    const collector = await TraceCollector.start();
    const file = join(temporaryFolder(), 'headers');
    writeFileSync(file, 'authorization=Bearer%20SECRET-TOKEN\n');
    const service = await start({
      ...collector.settings,
      OTEL_SERVICE_NAME: 'mcs-test',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=testing',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: file,
      LOG_LEVEL: 'trace',
      OTEL_LOG_LEVEL: 'ALL',
    });
    const caller = await createCaller({ at: service.url });
    const traceId = newTraceId();
    await caller.get('/api/v1/usage', { headers: traceparent(traceId) });
    const [{ resource } = { resource: {} }] = await collector.trace(traceId, USAGE);
    expect(resource).toMatchObject({
      'service.name': 'mcs-test',
      'deployment.environment.name': 'testing',
      'service.instance.id': expect.any(String),
    });
    expect(Object.keys(resource).filter((name) => name.startsWith('process.'))).toEqual([]);
    expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer SECRET-TOKEN' });
    await service.stop();
    expect(service.output()).not.toContain('SECRET-TOKEN');
    await collector.close();
  });

  it.each([
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'a=b,service.name=named-there' },
      { 'service.name': 'named-there', 'service.version': version, a: 'b' },
    ],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'service.version=theirs' }, { ...NAMED, 'service.version': 'theirs' }],
  ])('names the service and its version with %j', async (variables, resource) => {
    const collector = await TraceCollector.start();
    const service = await start({ ...collector.settings, ...variables });
    await createCaller({ at: service.url });
    expect((await collector.find(() => collector.spans[0])).resource).toMatchObject(resource);
    await service.stop();
    await collector.close();
  });

  it('records the share of traces that the sampler says, and nothing where it is turned off', async () => {
    const collector = await TraceCollector.start();
    const silent: Record<string, string>[] = [
      { OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
      { OTEL_SDK_DISABLED: 'true' },
      { OTEL_TRACES_EXPORTER: 'none' },
    ];
    for (const variables of silent) {
      const service = await start({ ...collector.settings, ...variables });
      const caller = await createCaller({ at: service.url });
      expect((await caller.compare(BODY)).status).toBe(200);
      expect(await service.stop()).toBe(0);
    }
    expect(collector.bodies).toEqual([]);
    await collector.close();
  });
});

describe('A wrong variable of OpenTelemetry', () => {
  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'no-address', "Could not parse environment-provided export URL: 'no-address'"],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http', 'Unsupported OTLP traces protocol: http. Using http/protobuf.'],
    ['OTEL_TRACES_EXPORTER', 'otpl', 'Unrecognized OTEL_TRACES_EXPORTER value: otpl.'],
    ['OTEL_TRACES_SAMPLER', 'sometimes', 'unknown OTEL_TRACES_SAMPLER value'],
    ['OTEL_TRACES_SAMPLER_ARG', '10%', "Unknown value '10%' for OTEL_TRACES_SAMPLER_ARG"],
  ])('is named in the log by the SDK and does not stop the start: %s=%s', (name, value, warning) => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/src/main.js')], {
      encoding: 'utf8',
      env: {
        NODE_ENV: 'test',
        DATABASE_URL: 'postgresql://mcs@127.0.0.1:1/mcs',
        ...TEST_SECRETS,
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '1',
        [name]: value,
      },
    });
    const lines = stdout
      .split('\n')
      .filter((line) => line.includes('traces are incomplete'))
      .map((line) => JSON.parse(line) as { reason: string });
    expect(lines.map(({ reason }) => reason)).toEqual([expect.stringContaining(warning)]);
    expect(stderr).toBe('DATABASE_URL: nothing listens at its host and port; is Postgres running there?\n');
  });
});
