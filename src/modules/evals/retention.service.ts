import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { systemActor } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { facts } from '../audit/changes';
import { Clock, DAY_MS } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { firstIdAt } from '../../common/ids';
import { PeriodicTask } from '../../platform/background/periodic-task';
import { EvalsRepository } from './evals.repository';

const INTERVAL_MS = 60_000;
const BATCH_SIZE = 500;
const RETENTION = systemActor('retention');

/** Erases evals older than RETENTION_DAYS in batches; any number of processes can run it concurrently. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(RetentionService.name);
  private task: PeriodicTask | undefined;

  constructor(
    private readonly repository: EvalsRepository,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const { RETENTION_DAYS: days } = this.config;
    if (days === undefined) return;
    this.task = new PeriodicTask({
      name: 'retention',
      pauseMs: INTERVAL_MS,
      runBatch: async () => (await this.eraseBatch(days)) === BATCH_SIZE,
      onFailure: (error) => this.log.warn(`Expired evals could not be erased: ${String(error)}`),
    });
    this.task.start();
  }

  // Before the database connection is closed.
  async beforeApplicationShutdown(): Promise<void> {
    await this.task?.stop();
  }

  private async eraseBatch(days: number): Promise<number> {
    const before = new Date(this.clock.now().getTime() - days * DAY_MS);
    return this.audit.change(RETENTION, async (tx) => {
      const ids = await this.repository.eraseBefore(tx, firstIdAt('eval', before), BATCH_SIZE, this.clock.now());
      const targetId = ids.toSorted().at(-1) ?? '';
      const changes = ids.length === 0 ? {} : facts({ count: ids.length, startedBefore: before });
      return { value: ids.length, note: { action: 'evals.expired', targetType: 'eval', targetId, changes } };
    });
  }
}
