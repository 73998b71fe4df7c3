import './bootstrap/check-node-version';
import cluster from 'node:cluster';
import { MikroORM } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app';
import { banner } from './bootstrap/banner';
import { createDemoKey } from './bootstrap/demo-user';
import { GracefulShutdown } from './bootstrap/graceful-shutdown';
import { explainListenError } from './bootstrap/listen-error';
import { prepare, type Prepared } from './bootstrap/prepare';
import { startWorkers } from './bootstrap/start-workers';
import { reportStartFailure } from './cluster/primary-channel';
import { explainError, print } from './commands/run-command';
import type { Config } from './common/config';
import { isSilentlyUnencrypted } from './common/connection-string';
import { createLogger } from './common/logger';
import { environmentVariables } from './common/process-environment';
import { migrateUp } from './database/migrate';
import { SqlService } from './database/sql.service';
import { migrationOptions } from './mikro-orm.config';

/** Starts the service: this process serves, or with WEB_CONCURRENCY above 1 its workers do. */
async function start(): Promise<void> {
  const prepared = await prepare(environmentVariables(), print);
  if (cluster.isPrimary) warnOfUnencryptedDatabase(prepared.config);
  if (cluster.isPrimary && prepared.config.WEB_CONCURRENCY > 1) await serveWithWorkers(prepared);
  else await serve(prepared);
}

/** Listens in this process, and stops gracefully: running compares are finished before the database is closed. */
async function serve(prepared: Prepared): Promise<void> {
  let shutdown: GracefulShutdown | undefined;
  try {
    const app = await createApp(prepared.config);
    shutdown = new GracefulShutdown(app, () => prepared.stop());
    shutdown.listen();
    await prepareDatabase(app, prepared);
    await listen(app, prepared.config);
    const demoKey = prepared.isEmbedded ? await createDemoKey(app) : undefined;
    if (cluster.isPrimary) print(banner({ config: prepared.config, url: await app.getUrl(), isEmbedded: prepared.isEmbedded, demoKey }));
  } catch (error) {
    // A stop during the start closes what the start still needs; that is no failure.
    if (shutdown?.isUnderWay === true) return;
    await prepared.stop();
    throw error;
  }
}

/** Prepares the database once, then leaves serving to the workers. */
async function serveWithWorkers(prepared: Prepared): Promise<void> {
  const { config, isEmbedded } = prepared;
  try {
    const demoKey = isEmbedded || config.MIGRATE_ON_START ? await prepareDatabaseOnce(prepared) : undefined;
    const url = await startWorkers(prepared, print);
    print(banner({ config, url, isEmbedded, demoKey }));
  } catch (error) {
    await prepared.stop();
    throw error;
  }
}

async function prepareDatabaseOnce(prepared: Prepared): Promise<string | undefined> {
  const app = await createApp(prepared.config);
  await prepareDatabase(app, prepared);
  const demoKey = prepared.isEmbedded ? await createDemoKey(app) : undefined;
  await app.close();
  return demoKey;
}

async function prepareDatabase(app: NestFastifyApplication, { config, isEmbedded }: Prepared): Promise<void> {
  await app.get(MikroORM).connect();
  await app.get(SqlService).check();
  if (!isEmbedded && !config.MIGRATE_ON_START) return;
  // A connection pool of its own: migrations may take longer than the statement timeout of requests.
  const orm = await MikroORM.init(migrationOptions(config));
  await migrateUp(orm, print).finally(() => orm.close());
}

async function listen(app: NestFastifyApplication, config: Config): Promise<void> {
  try {
    await app.listen(config.PORT, config.HOST);
  } catch (error) {
    throw explainListenError(error, config);
  }
}

function warnOfUnencryptedDatabase({ NODE_ENV, DATABASE_URL, LOG_LEVEL, LOG_PROMPTS }: Config): void {
  if (NODE_ENV !== 'production' || !isSilentlyUnencrypted(DATABASE_URL)) return;
  createLogger(LOG_LEVEL, LOG_PROMPTS).warn('DATABASE_URL has no sslmode: prompts, answers and the password go to the database unencrypted. Add sslmode=verify-full, or sslmode=disable if that is meant.');
}

start().catch(async (error: unknown) => {
  // The primary process prints it once, also when all workers fail in the same way.
  if (!(await reportStartFailure(explainError(error)))) print(explainError(error));
  process.exit(1);
});
