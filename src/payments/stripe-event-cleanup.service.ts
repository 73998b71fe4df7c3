import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/clock';
import { PeriodicTask } from '../background/periodic-task';
import { PaymentCustomersRepository } from './payment-customers.repository';

/** Pause between two rounds. */
const INTERVAL_MS = 600_000;
/** Rows a round. */
const BATCH = 1000;
/** Stripe sends an event again for three days at most; by hand it can be sent for thirty. */
const TTL_MS = 30 * 86_400_000;

/** Deletes what is known of old webhook events, so that their table does not grow for ever; any number of processes side by side. */
@Injectable()
export class StripeEventCleanupService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(StripeEventCleanupService.name);
  private readonly task = new PeriodicTask({
    name: 'webhook_events',
    pauseMs: INTERVAL_MS,
    runBatch: async () => (await this.customers.deleteEventsBefore(new Date(this.clock.now().getTime() - TTL_MS), BATCH)) === BATCH,
    onFailure: (error) => this.log.warn(`Old webhook events could not be deleted now: ${String(error)}`),
  });

  constructor(
    private readonly customers: PaymentCustomersRepository,
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
