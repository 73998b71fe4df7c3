import './node-version';
import type { Server } from 'node:http';
import { MikroORM } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app';
import { explain, say } from './commands/run-command';
import { environmentVariables, type Config } from './common/config';
import { banner } from './local/banner';
import { firstDemoKey } from './local/demo';
import { migrate } from './local/migrate';
import { prepare, type Prepared } from './local/prepare';
import { ormOptions } from './mikro-orm.config';

const SWEEP_MS = 100;

/** Starts listening, and stops gracefully: running compares are finished before the database is closed. */
async function start(): Promise<void> {
  const prepared = await prepare(environmentVariables(), say);
  try {
    const app = await createApp(prepared.config);
    stopOnSignal(app, prepared);
    await readyDatabase(app, prepared);
    await listen(app, prepared.config);
    const demoKey = prepared.isEmbedded ? await firstDemoKey(app) : undefined;
    say(banner({ config: prepared.config, url: await app.getUrl(), isEmbedded: prepared.isEmbedded, demoKey }));
  } catch (error) {
    await prepared.stop();
    throw error;
  }
}

async function readyDatabase(app: NestFastifyApplication, { config, isEmbedded }: Prepared): Promise<void> {
  await app.get(MikroORM).connect();
  if (!isEmbedded && !config.MIGRATE_ON_START) return;
  // Migrations may take longer than any request may wait.
  const orm = await MikroORM.init(ormOptions(config));
  await migrate(orm).finally(() => orm.close());
}

async function listen(app: NestFastifyApplication, { HOST, PORT }: Config): Promise<void> {
  try {
    await app.listen(PORT, HOST);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${PORT} is in use; set PORT to another one.`, { cause: error });
  }
}

function stopOnSignal(app: NestFastifyApplication, prepared: Prepared): void {
  let stopping = false;
  let answering = 0;
  const server: Server = app.getHttpServer();
  server.on('request', (_request, response) => {
    answering += 1;
    response.once('close', () => { answering -= 1; });
  });
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    // Closing waits for every connection: also for one that never asked anything, and for one whose stream ended only after the call to stop.
    const sweep = setInterval(() => { if (answering === 0) server.closeAllConnections(); }, SWEEP_MS);
    await app.close();
    clearInterval(sweep);
    await prepared.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}

start().catch((error: unknown) => {
  say(explain(error));
  process.exit(1);
});
