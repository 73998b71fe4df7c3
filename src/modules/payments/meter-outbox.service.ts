import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Metrics } from '../../platform/observability/metrics';
import { PeriodicTask } from '../../platform/background/periodic-task';
import { deadLetterReason, backoffSeconds } from './meter-event-retry-policy';
import { MeterEventsRepository, type ClaimedEvent } from './meter-events.repository';
import { STRIPE_TIMEOUT_MS, StripeService } from './stripe.service';

const INTERVAL_MS = 2000;
const BATCH = 50;
const WAITING_INTERVAL_MS = 15_000;
/** No index knows the parked ones, so that the whole table is read. */
const PARKED_INTERVAL_MS = 600_000;
const CLAIM_SECONDS = 20;
/** A request that is begun later could outlast its claim. */
const MAX_BEGIN_MS = CLAIM_SECONDS * 1000 - STRIPE_TIMEOUT_MS - 2000;

/**
 * Sends what the outbox holds, any number of processes side by side; each event arrives once because Stripe knows its
 * identifier. Counts for the metrics what the outbox holds.
 */
@Injectable()
export class MeterOutboxService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(MeterOutboxService.name);
  private readonly sending = new PeriodicTask({
    name: 'meter_events',
    pauseMs: INTERVAL_MS,
    runBatch: async () => (await this.sendBatch()) === BATCH,
    // The database is unreachable; what was claimed waits until its claim has run out.
    onFailure: (error) => this.log.warn(`The outbox of meter events cannot be read: ${String(error)}`),
  });

  // Counted apart from the scrapes of the metrics, which never wait for the database.
  private readonly tasks = [
    this.sending,
    this.countingTask('waiting_meter_events', WAITING_INTERVAL_MS, () => this.countWaiting()),
    this.countingTask('parked_meter_events', PARKED_INTERVAL_MS, () => this.countParked()),
  ];

  constructor(
    private readonly events: MeterEventsRepository,
    private readonly stripe: StripeService,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
  }

  // While the database is still there.
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  private countingTask(name: string, pauseMs: number, count: () => Promise<void>): PeriodicTask {
    return new PeriodicTask({
      name,
      pauseMs,
      runBatch: async () => {
        await count();
        return false;
      },
      onFailure: (error) => this.log.warn(`Meter events cannot be counted now: ${String(error)}`),
    });
  }

  private async countWaiting(): Promise<void> {
    const { count, oldestSeconds } = await this.events.waiting();
    this.metrics.meterEvents.set({ state: 'waiting' }, count);
    this.metrics.meterEventsOldest.set(oldestSeconds);
  }

  private async countParked(): Promise<void> {
    this.metrics.meterEvents.set({ state: 'parked' }, await this.events.countParked());
  }

  private async sendBatch(): Promise<number> {
    const begunMs = this.clock.monotonicMs();
    const claimed = await this.events.claim(BATCH, CLAIM_SECONDS);
    // Stripe takes one event of a customer at a time.
    const perUser = Map.groupBy(claimed, ({ userId }) => userId).values();
    await Promise.all([...perUser].map((events) => this.sendInTurn(events, begunMs + MAX_BEGIN_MS)));
    return claimed.length;
  }

  private async sendInTurn(events: readonly ClaimedEvent[], latestMs: number): Promise<void> {
    for (const event of events) {
      if (this.sending.isStopping || this.clock.monotonicMs() > latestMs) return;
      await this.send(event);
    }
  }

  private async send(event: ClaimedEvent): Promise<void> {
    const { chargeId, attempts } = event;
    const reason = deadLetterReason(event, this.clock.now());
    if (reason !== undefined) {
      await this.events.deadLetter(chargeId, reason);
      this.metrics.meterEvents.inc({ state: 'parked' });
      this.log.error(`Meter event ${chargeId} is parked. ${reason}`);
      return;
    }
    const delivery = await this.stripe.sendMeterEvent(event);
    if (delivery.isThere) return this.events.markSent(chargeId);
    // A refusal says nothing of earlier attempts, of which one may have arrived.
    const mayHaveArrived = delivery.mayHaveArrived || event.uncertainSeconds > 0;
    await this.events.markFailed(chargeId, delivery.reason, mayHaveArrived, backoffSeconds(attempts));
    this.log.warn(`Meter event ${chargeId} was not accepted (attempt ${attempts}): ${delivery.reason}`);
  }
}
