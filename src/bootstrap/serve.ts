import cluster from 'node:cluster';
import { MikroORM } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../app';
import { sendToPrimary } from '../platform/cluster/primary-channel';
import { Clock } from '../common/clock';
import type { Config } from '../platform/config/config';
import { migrateUp } from '../platform/database/migrate';
import { refuseOlderSchema } from '../platform/database/older-schema';
import { SqlService } from '../platform/database/sql.service';
import { migrationOptions } from '../mikro-orm.config';
import { banner } from './banner';
import { createDemoKey } from './demo-user';
import { GracefulShutdown } from './graceful-shutdown';
import { explainListenError } from './listen-error';
import type { Prepared } from './prepare';
import { reloadCatalogOnSignal } from './reload-catalog';
import { startTracing } from './start-tracing';
import { warnAboutDatabase } from './start-warnings';
import { print } from './terminal';

/** Listens in this process, and stops gracefully: running compares are finished before the database is closed. */
export async function serve(prepared: Prepared): Promise<void> {
  let shutdown: GracefulShutdown | undefined;
  try {
    const sendLastSpans = await startTracing(prepared.config);
    const app = await createApp(prepared.config);
    shutdown = new GracefulShutdown(app, async () => void (await Promise.all([prepared.stop(), sendLastSpans()])));
    shutdown.listen();
    reloadCatalogOnSignal(app);
    await prepareDatabase(app, prepared);
    await listen(app, prepared.config);
    const demo = prepared.isEmbedded ? await createDemoKey(app) : undefined;
    if (cluster.isWorker) await sendToPrimary({ mcs: 'started', demoKey: demo?.key });
    else
      print(
        banner({
          config: prepared.config,
          url: await app.getUrl(),
          isEmbedded: prepared.isEmbedded,
          demoKey: demo?.key,
          demoUserId: demo?.userId,
        }),
      );
  } catch (error) {
    // A stop during the start closes what the start still needs; that is no failure.
    if (shutdown?.isUnderWay === true) return;
    await prepared.stop();
    throw error;
  }
}

async function prepareDatabase(app: NestFastifyApplication, { config, isEmbedded }: Prepared): Promise<void> {
  await app.get(MikroORM).connect();
  await app.get(SqlService).check();
  await refuseOlderSchema(app.get(MikroORM).em);
  await warnAboutDatabase(app.get(SqlService), app.get(Clock));
  if (!isEmbedded && !config.MIGRATE_ON_START) return;
  // A separate connection pool: migrations may take longer than the statement timeout of requests.
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
