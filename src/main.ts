import './bootstrap/check-node-version';
import './bootstrap/compile-cache';
import cluster from 'node:cluster';
import { prepare } from './bootstrap/prepare';
import { explainError, print } from './bootstrap/terminal';
import { sendToPrimary } from './platform/cluster/primary-channel';
import type { Config } from './platform/config/config';
import { createLogger } from './platform/observability/logger';
import { warningsAbout } from './platform/config/plausibility';
import { REFUSED } from './common/operator-error';
import { environmentVariables, type Variables } from './platform/config/process-environment';
import { isRefusedByDatabase } from './platform/database/explain-database-error';

/** Starts the service: this process serves, or with WEB_CONCURRENCY above 1 its workers do. */
async function start(): Promise<void> {
  // It asks for the catalog again, which a process that still starts will read anyway.
  process.on('SIGHUP', () => undefined);
  const variables = environmentVariables();
  const prepared = await prepare(variables, print);
  // A local start ends with its terminal, which sends the same signal.
  if (prepared.isEmbedded && cluster.isPrimary) process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
  if (cluster.isPrimary) warn(prepared.config, variables);
  // Loaded only where it is used: a process that only watches over its workers needs no application.
  if (cluster.isPrimary && prepared.config.WEB_CONCURRENCY > 1)
    await (await import('./bootstrap/start-workers.js')).startWorkers(prepared, print);
  else await (await import('./bootstrap/serve.js')).serve(prepared);
}

/** Logs implausible settings; the primary process does so for all its workers. */
function warn({ LOG_LEVEL, LOG_PROMPTS, ...settings }: Config, variables: Variables): void {
  const logger = createLogger(LOG_LEVEL, LOG_PROMPTS);
  for (const sentence of warningsAbout(settings, variables)) logger.warn(sentence);
}

function isRefused(error: unknown): boolean {
  // Of a worker the cause is its exit status.
  return (
    isRefusedByDatabase(error) ||
    (error instanceof Error && (error.cause === REFUSED || ['ConfigError', 'CatalogError'].includes(error.name)))
  );
}

start().catch(async (error: unknown) => {
  // The primary process prints it once, also when all workers fail in the same way.
  if (!(await sendToPrimary({ mcs: 'start-failure', reason: explainError(error) }))) print(explainError(error));
  process.exit(isRefused(error) ? REFUSED : 1);
});
