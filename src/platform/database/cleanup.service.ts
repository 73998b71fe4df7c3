import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../background/periodic-task';
import { Clock } from '../../common/clock';
import { Config } from '../config/config';
import { deleteExpired, EXPIRING_ROWS, type ExpiringRows } from './expiring-rows';
import { SqlService } from './sql.service';

/** Pause between two rounds, in milliseconds. */
const INTERVAL_MS = 600_000;
/** Rows a statement. */
const BATCH = 1000;

/** Deletes expired rows (expiring-rows.ts), with a task for each table; any number of processes may do so at once. */
@Injectable()
export class CleanupService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(CleanupService.name);
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    private readonly sql: SqlService,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.tasks = EXPIRING_ROWS.filter(({ isUsed }) => isUsed?.(config) ?? true).map((rows) => this.taskOf(rows));
  }

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
  }

  // While the database is still there.
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  private taskOf(rows: ExpiringRows): PeriodicTask {
    const statement = deleteExpired(rows);
    return new PeriodicTask({
      name: rows.name,
      pauseMs: INTERVAL_MS,
      runBatch: async () =>
        (await this.sql.query(statement, [new Date(this.clock.now().getTime() - rows.ageMs), BATCH])).length === BATCH,
      onFailure: (error) => this.log.warn(`${rows.title} could not be deleted now: ${String(error)}`),
    });
  }
}
