import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../background/periodic-task';
import { ReservationsRepository } from './reservations.repository';

/** Pause between two rounds. */
const INTERVAL_MS = 60_000;
/** Users a batch. */
const BATCH = 100;

/** Releases expired reservations, also of inactive users; any number of processes may do so at once. */
@Injectable()
export class ReservationCleanupService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(ReservationCleanupService.name);
  private readonly task = new PeriodicTask({
    name: 'expired_reservations',
    pauseMs: INTERVAL_MS,
    runBatch: () => this.releaseBatch(),
    onFailure: (error) => this.log.warn(`Expired reservations could not be released now: ${String(error)}`),
  });

  constructor(private readonly reservations: ReservationsRepository) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  // While the database is still there.
  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async releaseBatch(): Promise<boolean> {
    const users = await this.reservations.usersWithExpired(BATCH);
    for (const userId of users) await this.reservations.releaseExpired(userId);
    return users.length === BATCH;
  }
}
