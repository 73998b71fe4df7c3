import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../platform/background/periodic-task';
import { Metrics } from '../../platform/observability/metrics';
import { ExperimentsRepository } from './experiments.repository';

const INTERVAL_MS = 15_000;

/** Counts experiments for the metrics, apart from the scrapes: they never wait for the database. */
@Injectable()
export class ExperimentCountsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(ExperimentCountsService.name);
  private readonly task = new PeriodicTask({
    name: 'experiment_counts',
    pauseMs: INTERVAL_MS,
    runBatch: () => this.count(),
    onFailure: (error) => this.log.warn(`Experiments cannot be counted now: ${String(error)}`),
  });

  constructor(
    private readonly experiments: ExperimentsRepository,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  // While the database is still there.
  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  private async count(): Promise<boolean> {
    const { running, paused, erasing, rowsWaiting, silentSeconds } = await this.experiments.counts();
    for (const [state, value] of Object.entries({ running, paused, erasing }))
      this.metrics.experiments.set({ state }, value);
    this.metrics.experimentRowsWaiting.set(rowsWaiting);
    this.metrics.experimentsSilent.set(silentSeconds);
    return false;
  }
}
