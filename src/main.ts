import './bootstrap/check-node-version';
import cluster from 'node:cluster';
import { MikroORM } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app';
import { explainError, print } from './commands/run-command';
import { Clock } from './common/clock';
import { environmentVariables, type Config } from './common/config';
import { isSilentlyUnencrypted } from './common/connection-string';
import { SqlService } from './database/sql.service';
import { createLogger } from './common/logger';
import { reportStartFailure } from './cluster/primary-channel';
import { GracefulShutdown, onStopSignals, primaryShutdownTimeoutMs } from './bootstrap/graceful-shutdown';
import { explainListenError } from './bootstrap/listen-error';
import { banner } from './bootstrap/banner';
import { createDemoKey } from './bootstrap/demo-user';
import { migrateUp } from './database/migrate';
import { prepare, type Prepared } from './bootstrap/prepare';
import { migrationOptions } from './mikro-orm.config';
import { ClusterPrimary } from './cluster/cluster-primary';
import { dropStartGarbage } from './bootstrap/start-garbage';

/** Starts listening, and stops gracefully: running compares are finished before the database is closed. */
async function start(): Promise<void> {
  const prepared = await prepare(environmentVariables(), print);
  if (cluster.isPrimary) warnOfClearText(prepared.config);
  let shutdown: GracefulShutdown | undefined;
  try {
    if (cluster.isPrimary && prepared.config.WEB_CONCURRENCY > 1) return await startWorkers(prepared);
    const app = await createApp(prepared.config);
    shutdown = new GracefulShutdown(app, () => prepared.stop());
    shutdown.listen();
    await readyDatabase(app, prepared);
    dropStartGarbage();
    await listen(app, prepared.config);
    const demoKey = prepared.isEmbedded ? await createDemoKey(app) : undefined;
    if (cluster.isPrimary) print(banner({ config: prepared.config, url: await app.getUrl(), isEmbedded: prepared.isEmbedded, demoKey }));
  } catch (error) {
    // What a stop during the start has taken away is no failure.
    if (shutdown?.isUnderWay === true) return;
    await prepared.stop();
    throw error;
  }
}

function warnOfClearText({ NODE_ENV, DATABASE_URL, LOG_LEVEL, LOG_PROMPTS }: Config): void {
  if (NODE_ENV !== 'production' || !isSilentlyUnencrypted(DATABASE_URL)) return;
  createLogger(LOG_LEVEL, LOG_PROMPTS).warn('DATABASE_URL has no sslmode: prompts, answers and the password go to the database unencrypted. Add sslmode=verify-full, or sslmode=disable if that is meant.');
}

/** Does once what must be done once, then leaves the serving to several processes on one port. */
async function startWorkers(prepared: Prepared): Promise<void> {
  const { config, isEmbedded } = prepared;
  const demoKey = isEmbedded || config.MIGRATE_ON_START ? await readyDatabaseOnce(prepared) : undefined;
  const { DATABASE_URL, ADMIN_API_KEY, API_KEY_PEPPER } = config;
  const logger = createLogger(config.LOG_LEVEL, config.LOG_PROMPTS);
  let ending = false;
  const end = async (code: number) => {
    if (ending) return;
    ending = true;
    setTimeout(() => {
      logger.error('the workers took too long to stop and are killed');
      primary.kill();
      process.exit(1);
    }, primaryShutdownTimeoutMs(config));
    const endedWell = await primary.stop();
    await prepared.stop();
    process.exit(endedWell ? code : 1);
  };
  const primary = new ClusterPrimary({
    workers: config.WEB_CONCURRENCY,
    variables: { DATABASE_URL, ADMIN_API_KEY, API_KEY_PEPPER, MIGRATE_ON_START: 'false' },
    warn: (facts, message) => logger.warn(facts, message),
    log: print,
    onCrashLoop: () => {
      print('The workers end again and again; see their last words above.');
      void end(1);
    },
  });
  onStopSignals(new Clock(), () => void end(0), () => primary.hurry());
  const { address, port } = await primary.start();
  print(banner({ config, url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`, isEmbedded, demoKey }));
}

async function readyDatabaseOnce(prepared: Prepared): Promise<string | undefined> {
  const app = await createApp(prepared.config);
  await readyDatabase(app, prepared);
  const demoKey = prepared.isEmbedded ? await createDemoKey(app) : undefined;
  await app.close();
  return demoKey;
}

async function readyDatabase(app: NestFastifyApplication, { config, isEmbedded }: Prepared): Promise<void> {
  await app.get(MikroORM).connect();
  await app.get(SqlService).check();
  if (!isEmbedded && !config.MIGRATE_ON_START) return;
  // Migrations may take longer than any request may wait.
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

start().catch(async (error: unknown) => {
  // One process says it, also when all workers fail in the same way.
  if (!(await reportStartFailure(explainError(error)))) print(explainError(error));
  process.exit(1);
});
