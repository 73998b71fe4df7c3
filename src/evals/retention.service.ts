import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { itself } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { facts } from '../audit/changes';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { firstIdAt } from '../common/ids';
import { PeriodicTask } from '../common/periodic-task';
import { ErasureRepository } from './erasure.repository';

const LOOK_MS = 60_000;
const BATCH = 500;
const DAY_MS = 86_400_000;
const RETENTION = itself('retention');

/** Erases evals older than RETENTION_DAYS, in batches; any number of processes side by side. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(RetentionService.name);
  private chore: PeriodicTask | undefined;

  constructor(
    private readonly repository: ErasureRepository,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const { RETENTION_DAYS: days } = this.config;
    if (days === undefined) return;
    this.chore = new PeriodicTask({
      pauseMs: LOOK_MS,
      runBatch: async () => (await this.eraseBatch(days)) === BATCH,
      onFailure: (error) => this.log.warn(`Expired evals could not be erased now: ${String(error)}`),
    });
    this.chore.start();
  }

  // While the database is still there.
  async beforeApplicationShutdown(): Promise<void> {
    await this.chore?.stop();
  }

  private async eraseBatch(days: number): Promise<number> {
    const before = new Date(this.clock.now().getTime() - days * DAY_MS);
    return this.audit.change(RETENTION, async (tx) => {
      const ids = await this.repository.eraseBefore(tx, firstIdAt('eval', before), BATCH, this.clock.now());
      const targetId = ids.toSorted().at(-1) ?? '';
      const changes = ids.length === 0 ? {} : facts({ count: ids.length, startedBefore: before });
      return { value: ids.length, note: { action: 'evals.expired', targetType: 'eval', targetId, changes } };
    });
  }
}
