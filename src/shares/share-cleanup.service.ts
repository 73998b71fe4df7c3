import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/clock';
import { PeriodicTask } from '../background/periodic-task';
import { SharesRepository } from './shares.repository';

/** How long a share that has ended is still listed. */
const LISTED_MS = 30 * 86_400_000;
/** Pause between two rounds. */
const INTERVAL_MS = 600_000;
/** Rows a statement. */
const BATCH = 1000;

/** Deletes shares that ended 30 days ago; any number of processes may do so at once. */
@Injectable()
export class ShareCleanupService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(ShareCleanupService.name);
  private readonly task = new PeriodicTask({
    name: 'ended_shares',
    pauseMs: INTERVAL_MS,
    runBatch: async () => (await this.shares.deleteEndedBefore(new Date(this.clock.now().getTime() - LISTED_MS), BATCH)) === BATCH,
    onFailure: (error) => this.log.warn(`Ended shares could not be deleted now: ${String(error)}`),
  });

  constructor(
    private readonly shares: SharesRepository,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  // While the database is still there.
  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
