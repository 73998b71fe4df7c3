import cluster from 'node:cluster';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { clusterMessage } from '../platform/cluster/primary-channel';
import { OperatorError } from '../common/operator-error';
import { ModelsService } from '../modules/models/models.service';

/**
 * Reads the catalog again at each SIGHUP; in a worker, at each request of the primary process, which receives the
 * signal.
 */
export function reloadCatalogOnSignal(app: NestFastifyApplication): void {
  if (cluster.isPrimary) process.on('SIGHUP', () => reload(app));
  else
    process.on('message', (message) => {
      if (clusterMessage(message)?.mcs === 'reload') reload(app);
    });
}

function reload(app: NestFastifyApplication): void {
  const [models, { log }] = [app.get(ModelsService), app.getHttpAdapter().getInstance()];
  try {
    models.reload();
    log.info({ models: models.all().length }, 'the catalog was read again');
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    log.error(`the catalog was not read again, and the old one stays: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}`);
  }
}
