import type { Logger } from 'pino';
import { ClusterPrimary } from '../platform/cluster/cluster-primary';
import { Clock } from '../common/clock';
import { createLogger } from '../platform/observability/logger';
import { banner } from './banner';
import { onStopSignals, primaryShutdownTimeoutMs } from './graceful-shutdown';
import { PREPARES_EMBEDDED_DATABASE, type Prepared } from './prepare';

/**
 * Starts WEB_CONCURRENCY workers that share one port, and stops them at a signal. The first one prepares the database,
 * since this process loads nothing that could.
 * @throws OperatorError when one ends before all of them listen
 */
export async function startWorkers(prepared: Prepared, print: (line: string) => void): Promise<void> {
  const { config, isEmbedded } = prepared;
  const logger = createLogger(config.LOG_LEVEL, config.LOG_PROMPTS);
  const primary = new ClusterPrimary({
    workers: config.WEB_CONCURRENCY,
    variables: variablesOf(prepared),
    preparing: isEmbedded
      ? { [PREPARES_EMBEDDED_DATABASE]: 'true' }
      : config.MIGRATE_ON_START
        ? { MIGRATE_ON_START: 'true' }
        : undefined,
    warn: (facts, message) => logger.warn(facts, message),
    log: print,
  });
  const shutdown = new PrimaryShutdown(primary, prepared, logger);
  onStopSignals(
    new Clock(),
    () => void shutdown.exit(0),
    () => primary.hurry(),
  );
  process.on('SIGHUP', () => primary.reload());
  try {
    const {
      address: { address, port },
      demoKey,
    } = await primary.start(() => {
      print('The workers crash repeatedly; see their errors above.');
      void shutdown.exit(1);
    });
    print(
      banner({
        config,
        url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
        isEmbedded,
        demoKey,
      }),
    );
  } catch (error) {
    await prepared.stop();
    throw error;
  }
}

/** The values that this process has read from files or generated; a file name beside a value would be a conflict. */
function variablesOf({ config: { DATABASE_URL, ADMIN_API_KEY, API_KEY_PEPPER } }: Prepared) {
  return {
    DATABASE_URL,
    ADMIN_API_KEY,
    API_KEY_PEPPER,
    DATABASE_URL_FILE: '',
    ADMIN_API_KEY_FILE: '',
    API_KEY_PEPPER_FILE: '',
    MIGRATE_ON_START: 'false',
  };
}

/** Ends the primary process once: stops the workers, then the embedded database. */
class PrimaryShutdown {
  private isUnderWay = false;

  constructor(
    private readonly primary: ClusterPrimary,
    private readonly prepared: Prepared,
    private readonly logger: Logger,
  ) {}

  /** Exits with that code, or with 1 when a worker did not end well. */
  async exit(code: number): Promise<void> {
    if (this.isUnderWay) return;
    this.isUnderWay = true;
    setTimeout(() => this.kill(), primaryShutdownTimeoutMs(this.prepared.config));
    const endedWell = await this.primary.stop();
    await this.prepared.stop();
    process.exit(endedWell ? code : 1);
  }

  private kill(): void {
    this.logger.error('the workers took too long to stop and are killed');
    this.primary.kill();
    process.exit(1);
  }
}
