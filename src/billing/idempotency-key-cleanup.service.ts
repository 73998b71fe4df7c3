import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/clock';
import { PeriodicTask } from '../background/periodic-task';
import { ChargesRepository } from './charges.repository';
import { IDEMPOTENCY_MS } from './idempotency-key.entity';

/** Pause between two rounds. */
const INTERVAL_MS = 600_000;
/** Rows a statement. */
const BATCH = 1000;

/** Deletes Idempotency-Keys older than a day, so that their table does not grow without end; any number of processes may do so at once. */
@Injectable()
export class IdempotencyKeyCleanupService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(IdempotencyKeyCleanupService.name);
  private readonly task = new PeriodicTask({
    name: 'idempotency_keys',
    pauseMs: INTERVAL_MS,
    runBatch: async () => (await this.charges.deleteIdempotencyKeysBefore(new Date(this.clock.now().getTime() - IDEMPOTENCY_MS), BATCH)) === BATCH,
    onFailure: (error) => this.log.warn(`Expired Idempotency-Keys could not be deleted now: ${String(error)}`),
  });

  constructor(
    private readonly charges: ChargesRepository,
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
