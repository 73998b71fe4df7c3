import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Metrics } from '../common/metrics';
import { PeriodicTask } from '../common/periodic-task';
import { aheadOfDatabaseMs } from '../database/clock-difference';
import { SqlService } from '../database/sql.service';

const INTERVAL_MS = 30_000;

/** Measures while the process runs by how much its clock differs from that of the database: a clock may jump at any time. */
@Injectable()
export class ClockOffsetService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task = new PeriodicTask({ name: 'clock', pauseMs: INTERVAL_MS, runBatch: () => this.measure(), onFailure: () => undefined });

  constructor(
    private readonly sql: SqlService,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  // While the database is still there.
  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async measure(): Promise<boolean> {
    const aheadMs = await aheadOfDatabaseMs(async (text) => (await this.sql.queryOne<{ ms: number }>(text, [])) ?? { ms: NaN }, this.clock);
    this.metrics.clockOffset.set(aheadMs / 1000);
    return false;
  }
}
