import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/clock';
import { PeriodicTask } from '../common/periodic-task';
import { ChargesRepository } from './charges.repository';
import { IDEMPOTENCY_MS } from './idempotency-key.entity';

const LOOK_MS = 600_000;
const BATCH = 1000;

/** Deletes Idempotency-Keys that stand for nothing any more, so that their table does not grow for ever; any number of processes side by side. */
@Injectable()
export class IdempotencyKeyCleanupService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(IdempotencyKeyCleanupService.name);
  private readonly chore = new PeriodicTask({
    pauseMs: LOOK_MS,
    runBatch: async () => (await this.charges.forgetIdempotencyBefore(new Date(this.clock.now().getTime() - IDEMPOTENCY_MS), BATCH)) === BATCH,
    onFailure: (error) => this.log.warn(`Expired Idempotency-Keys could not be deleted now: ${String(error)}`),
  });

  constructor(
    private readonly charges: ChargesRepository,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.chore.start();
  }

  // While the database is still there.
  beforeApplicationShutdown(): Promise<void> {
    return this.chore.stop();
  }
}
