import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/clock';
import { PeriodicTask } from '../background/periodic-task';
import { JobsRepository } from './jobs.repository';

/** Pause between two rounds. */
const INTERVAL_MS = 600_000;
/** Rows a statement. */
const BATCH = 1000;
/** How long a run can be read after it was asked for. */
const RUN_TTL_MS = 30 * 86_400_000;

/** Deletes runs that have ended and are older than 30 days; any number of processes may do so at once. */
@Injectable()
export class RunCleanupService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(RunCleanupService.name);
  private readonly task = new PeriodicTask({
    name: 'ended_runs',
    pauseMs: INTERVAL_MS,
    runBatch: async () => (await this.runs.deleteBefore(new Date(this.clock.now().getTime() - RUN_TTL_MS), BATCH)) === BATCH,
    onFailure: (error) => this.log.warn(`Old runs could not be deleted now: ${String(error)}`),
  });

  constructor(
    private readonly runs: JobsRepository,
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
