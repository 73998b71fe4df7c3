import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Metrics } from '../../platform/observability/metrics';
import { PeriodicTask } from '../../platform/background/periodic-task';
import { MeterEventsRepository } from './meter-events.repository';

const WAITING_INTERVAL_MS = 15_000;
/** No index knows the parked ones, so that the whole table is read. */
const PARKED_INTERVAL_MS = 600_000;

/** Counts what the outbox holds for the metrics, apart from the scrapes: they never wait for the database. */
@Injectable()
export class MeterEventCountsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(MeterEventCountsService.name);
  private readonly tasks = [
    new PeriodicTask({
      name: 'waiting_meter_events',
      pauseMs: WAITING_INTERVAL_MS,
      runBatch: () => this.countWaiting(),
      onFailure: (error) => this.warn(error),
    }),
    new PeriodicTask({
      name: 'parked_meter_events',
      pauseMs: PARKED_INTERVAL_MS,
      runBatch: () => this.countParked(),
      onFailure: (error) => this.warn(error),
    }),
  ];

  constructor(
    private readonly events: MeterEventsRepository,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
  }

  // While the database is still there.
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  private async countWaiting(): Promise<boolean> {
    const { count, oldestSeconds } = await this.events.waiting();
    this.metrics.meterEvents.set({ state: 'waiting' }, count);
    this.metrics.meterEventsOldest.set(oldestSeconds);
    return false;
  }

  private async countParked(): Promise<boolean> {
    this.metrics.meterEvents.set({ state: 'parked' }, await this.events.countParked());
    return false;
  }

  private warn(error: unknown): void {
    this.log.warn(`Meter events cannot be counted now: ${String(error)}`);
  }
}
